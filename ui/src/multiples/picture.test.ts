import { expect, test } from "vitest";
import type { Course, Curve } from "../history/block";
import { extentOf, isShown, pathsOf, scaleOf } from "./picture";

/** A curve of points with a least, a greatest and a mean; none is a gap. */
function curve(points: readonly ([number, number, number] | null)[]): Curve {
  const column = (part: 0 | 1 | 2) => Float64Array.from(points, (point) => point?.[part] ?? 0);
  return {
    min: column(0),
    max: column(1),
    mean: column(2),
    there: Uint8Array.from(points, (point) => (point ? 1 : 0)),
  };
}

const flat = (value: number) => curve([[value, value, value]]);

test("a gap has no part in what a curve comes to", () => {
  expect(extentOf(curve([[40, 50, 45], null, [44, 61, 50]]))).toEqual({ low: 40, high: 61 });
  expect(extentOf(curve([null, null]))).toBeNull();
});

test("one scale holds all curves, at whole grains", () => {
  expect(scaleOf("temperature", [flat(41), flat(78)])).toEqual({ low: 40, high: 80 });
  expect(scaleOf("temperature", [flat(40)])).toEqual({ low: 40, high: 50 });
  // 111 W: steps of 20 W from 0.
  expect(scaleOf("power", [flat(111_000), curve([null])])).toEqual({ low: 0, high: 120_000 });
  expect(scaleOf("utilisation", [flat(3)])).toEqual({ low: 0, high: 100 });
  expect(scaleOf("power", [curve([null])])).toBeNull();
});

test("a line breaks at a gap, and a band goes along its greatest and back along its least", () => {
  const course: Course = { level: "samples", stepS: 0, times: Float64Array.of(0, 25, 50, 100), curves: [] };
  const points = curve([[0, 20, 10], [10, 30, 20], null, [40, 40, 40]]);
  const frame = { fromS: 0, toS: 100, width: 200, height: 80, low: 0, high: 40 };
  // 2 px a second, 2 px a unit, upside down.
  expect(pathsOf(course, points, frame)).toEqual({
    line: "M0.0 60.0L50.0 40.0M200.0 0.0L200.0 0.0",
    band: "M0.0 40.0L50.0 20.0L50.0 60.0L0.0 80.0ZM200.0 0.0L200.0 0.0Z",
  });
});

test("only quantities with a small chart are shown", () => {
  expect(["power", "throttle", "", "constructor"].map(isShown)).toEqual([true, false, false, false]);
});
