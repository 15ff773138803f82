import { expect, test } from "vitest";
import { summaryOf } from "./summary";

const line = (mean: (number | null)[], spread = 0) => ({
  mean,
  min: mean.map((value) => (value === null ? null : value - spread)),
  max: mean.map((value) => (value === null ? null : value + spread)),
  lonely: [],
});

test("least and greatest are those of the band, and the mean that of the points", () => {
  expect(summaryOf(line([40, 50, 90], 2))).toEqual({ least: 38, greatest: 92, mean: 60, gaps: 0 });
});

test("stretches without value are counted where values stand on both sides", () => {
  expect(summaryOf(line([null, 1, null, null, 1, null, 1, null]))?.gaps).toBe(2);
});

test("a line without any value has no summary, and no 0", () => {
  expect(summaryOf(line([null, null]))).toBeNull();
  expect(summaryOf(line([]))).toBeNull();
});
