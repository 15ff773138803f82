import { expect, test } from "vitest";
import { sparkPaths } from "./spark";

const FRAME = { width: 100, height: 40, low: 30, high: 90, steps: 11 };

test("values stand at the right, ten pixels apart, higher for warmer", () => {
  const { line, area } = sparkPaths([30, 60, 90], FRAME);
  expect(line).toBe("M80.0 40.0L90.0 20.0L100.0 0.0");
  expect(area).toBe("M80.0 40.0L90.0 20.0L100.0 0.0L100.0 40L80.0 40Z");
});

test("a gap stays a gap", () => {
  const { line } = sparkPaths([60, null, 60, 60], FRAME);
  expect(line).toBe("M70.0 20.0L70.0 20.0M90.0 20.0L100.0 20.0");
});

test("a value beyond the scale is drawn at its edge", () => {
  expect(sparkPaths([10, 120], FRAME).line).toBe("M90.0 40.0L100.0 0.0");
});

test("nothing read is nothing drawn", () => {
  expect(sparkPaths([], FRAME)).toEqual({ line: "", area: "" });
  expect(sparkPaths([null, null], FRAME)).toEqual({ line: "", area: "" });
});
