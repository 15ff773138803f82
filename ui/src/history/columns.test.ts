import { expect, test } from "vitest";
import type { Curve } from "./block";
import { estimateOf, hasAny, lineOf } from "./columns";

function curve(values: (number | null)[], spread = 0): Curve {
  const column = (add: number) => Float64Array.from(values, (value) => (value === null ? 0 : value + add));
  return {
    min: column(-spread),
    max: column(spread),
    mean: column(0),
    there: Uint8Array.from(values, (value) => (value === null ? 0 : 1)),
  };
}

test("a gap is nothing, a measured 0 is 0, and numbers are in the screen's unit", () => {
  const line = lineOf(curve([100_000, null, 0], 5000), 1 / 1000);
  expect(line.mean).toEqual([100, null, 0]);
  expect(line.min).toEqual([95, null, -5]);
  expect(line.max).toEqual([105, null, 5]);
});

test("a point between two gaps is told apart, for no line would show it", () => {
  expect(lineOf(curve([null, 7, null, 8, 9, null, 5]), 1).lonely).toEqual([1, 6]);
});

test("watts are estimated as the account does: 10 W idle, the limit at full load, and only where none are measured", () => {
  const power = curve([null, null, null, 80_000, null]);
  const load = curve([0, 50, 100, 50, null]);
  const limit = curve([115_000, 115_000, 115_000, 115_000, 115_000]);
  // 10 + 0.5 × (115 − 10) = 62.5.
  expect(estimateOf(power, load, limit)).toEqual([10, 62.5, 115, null, null]);
  expect(hasAny(estimateOf(curve([1, 1, 1, 1, 1]), load, limit))).toBe(false);
});

test("without a limit nothing is estimated", () => {
  expect(estimateOf(curve([null]), curve([50]), curve([null]))).toEqual([null]);
});
