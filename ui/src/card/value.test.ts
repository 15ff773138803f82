import { expect, test } from "vitest";
import { AT_MS } from "../backend/recorded/cards";
import type { Value } from "../backend/types/Value";
import { missingOf, valueText } from "./value";

test.each<[Value, string]>([
  [{ kind: "number", number: 63, unit: "celsius" }, "63\u00a0°C"],
  [{ kind: "number", number: 108_400, unit: "milliwatts" }, "108.4\u00a0W"],
  // 3.6 MJ are a kilowatt-hour.
  [{ kind: "number", number: 3_600_000_000, unit: "millijoules" }, "1.000\u00a0kWh"],
  [{ kind: "number", number: 2475, unit: "megahertz" }, "2,475\u00a0MHz"],
  [{ kind: "number", number: 4, unit: "generation" }, "Gen 4"],
  [{ kind: "number", number: 8, unit: "lanes" }, "×8"],
  [{ kind: "number", number: 2, unit: "pstate" }, "P2"],
  [{ kind: "range", min: 30, max: 100, unit: "percent" }, "30\u00a0% to 100\u00a0%"],
  [{ kind: "flag", on: false }, "off"],
  [{ kind: "text", text: "8.9" }, "8.9"],
  [{ kind: "codes", codes: [] }, "nothing"],
  [{ kind: "codes", codes: ["power_cap", "from_the_future"] }, "power limit · from_the_future"],
  [
    {
      kind: "each",
      values: [{ kind: "number", number: 57, unit: "percent" }, { missing: { kind: "error", nvml: 999 } }],
    },
    "57\u00a0% · The driver answered with error 999 UNKNOWN",
  ],
])("%j reads %s", (value, text) => {
  expect(valueText(value, AT_MS)).toBe(text);
});

test("a value of which every part is missing is missing, for one reason", () => {
  const lost = { missing: { kind: "lost" } } as const;
  const number = { kind: "number", number: 57, unit: "percent" } as const;
  expect(missingOf(lost)).toEqual({ kind: "lost" });
  expect(missingOf({ kind: "each", values: [lost, lost] })).toEqual({ kind: "lost" });
  expect(missingOf({ kind: "each", values: [lost, number] })).toBeNull();
  expect(missingOf({ kind: "each", values: [] })).toBeNull();
  expect(missingOf(number)).toBeNull();
});
