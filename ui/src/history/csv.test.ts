import { expect, test } from "vitest";
import type { Course } from "./block";
import { csvOf, stemOf } from "./csv";

const AT_S = Date.UTC(2026, 10, 30, 3, 12, 7) / 1000;

const course: Course = {
  level: "samples",
  stepS: 0,
  times: Float64Array.from([AT_S, AT_S + 1]),
  curves: [
    {
      min: Float64Array.from([60, 0]),
      max: Float64Array.from([66, 0]),
      mean: Float64Array.from([63.33333, 0]),
      there: Uint8Array.from([1, 0]),
    },
    {
      min: Float64Array.from([2, 1]),
      max: Float64Array.from([2, 3]),
      mean: Float64Array.from([0, 0]),
      there: Uint8Array.from([1, 1]),
    },
  ],
};

test("each time and quantity has a row with its unit; what is missing is empty and never 0", () => {
  const sheet = { course, seats: [3], quantities: ["temperature", "tenancy"], isSimulated: true } as const;
  expect(csvOf(sheet)).toBe(
    [
      "time_utc,card,quantity,unit,min,mean,max,simulated",
      "2026-11-30T03:12:07.000Z,3,temperature,°C,60,63.333,66,yes",
      "2026-11-30T03:12:07.000Z,3,tenancy,bits,2,,2,yes",
      "2026-11-30T03:12:08.000Z,3,temperature,°C,,,,yes",
      "2026-11-30T03:12:08.000Z,3,tenancy,bits,1,,3,yes",
      "",
    ].join("\n"),
  );
});

test("a real rig's rows say that they are not simulated", () => {
  const sheet = { course, seats: [3], quantities: ["temperature", "tenancy"], isSimulated: false } as const;
  expect(csvOf(sheet).split("\n")[1]).toMatch(/,no$/);
});

test("a file's name has the moment in UTC, and only letters that every file system takes", () => {
  expect(stemOf("card-3", AT_S * 1000)).toBe("fanfare-card-3-20261130-031207Z");
});
