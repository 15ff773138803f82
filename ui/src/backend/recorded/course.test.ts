import { expect, test } from "vitest";
import { courseOf } from "../../history/block";
import { AT_MS, uuidOf } from "./cards";
import { blockOf } from "./course";
import { energyOf, weekOf } from "./energy";
import { marksOf, SPIKE_S } from "./past";

const DAY_MS = 86_400_000;

const asked = (
  seat: number,
  quantity: "temperature" | "power" | "fan_speed",
  days: number,
  points: number,
) => {
  const question = {
    uuids: [uuidOf(seat)],
    quantities: [quantity],
    from_ms: AT_MS - days * DAY_MS,
    to_ms: AT_MS,
    points,
  };
  return courseOf(blockOf(question), 1);
};

test("a recorded year shows its second of heat, and its hole as a hole", () => {
  const { level, times, curves } = asked(1, "temperature", 365, 800);
  expect(level).toBe("hours");
  const [curve] = curves;
  const hottest = Math.max(...(curve?.max ?? []));
  expect(hottest).toBe(97);
  const at = curve?.max.indexOf(hottest) ?? -1;
  expect(times[at]).toBeLessThanOrEqual(SPIKE_S);
  expect(times[at + 1]).toBeGreaterThan(SPIKE_S);
  // Twelve days of 365 in 800 points are 26 points.
  expect([...(curve?.there ?? [])].filter((one) => one === 0).length).toBeGreaterThanOrEqual(25);
});

test("a recorded day has a gap of 40 minutes, and a quantity that is never there is never there", () => {
  const day = asked(1, "temperature", 1, 1440);
  expect(day.level).toBe("minutes");
  expect([...(day.curves[0]?.there ?? [])].filter((one) => one === 0)).toHaveLength(40);
  expect([...(asked(1, "fan_speed", 1, 800).curves[0]?.there ?? [])].every((one) => one === 0)).toBe(true);
  expect([...(asked(2, "power", 1, 800).curves[0]?.there ?? [])].every((one) => one === 0)).toBe(true);
});

test("the same question has the same answer", () => {
  expect([...(asked(3, "power", 7, 300).curves[0]?.mean ?? [])]).toEqual([
    ...(asked(3, "power", 7, 300).curves[0]?.mean ?? []),
  ]);
  expect(marksOf(uuidOf(3)).map(({ kind }) => kind.number)).toEqual([13, 43, 31]);
});

test("a recorded day's parts make its whole", () => {
  const [energy] = energyOf(uuidOf(1), AT_MS - DAY_MS, AT_MS);
  const sum = (...shares: ({ ms: number } | undefined)[]) =>
    shares.reduce((all, one) => all + (one?.ms ?? 0), 0);
  const known = sum(energy?.counted, energy?.measured, energy?.estimated);
  expect(known + (energy?.unknown_ms ?? 0)).toBe(DAY_MS);
  expect(sum(energy?.idle, energy?.load)).toBe(known);
  expect(weekOf(uuidOf(1), AT_MS - DAY_MS, AT_MS)[0]?.hours).toHaveLength(168);
});
