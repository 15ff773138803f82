import { expect, test } from "vitest";
import { askEvery, between, ending, panned, pointsFor, SPANS, wholeHours, zoomed } from "./range";

const HOUR = 3_600_000;
const NOW = 100 * HOUR;

test("a key moves by a quarter of what is seen, and never beyond now", () => {
  const range = ending(90 * HOUR, 8 * HOUR);
  expect(panned(range, -1, NOW)).toEqual({ from: 80 * HOUR, to: 88 * HOUR });
  expect(panned(range, 1, NOW)).toEqual({ from: 84 * HOUR, to: 92 * HOUR });
  expect(panned(ending(99 * HOUR, 8 * HOUR), 1, NOW)).toEqual({ from: 92 * HOUR, to: NOW });
});

test("zooming keeps the middle, or the end where that is now", () => {
  const past = { from: 40 * HOUR, to: 48 * HOUR };
  expect(zoomed(past, "in", NOW)).toEqual({ from: 42 * HOUR, to: 46 * HOUR });
  expect(zoomed(past, "out", NOW)).toEqual({ from: 36 * HOUR, to: 52 * HOUR });
  expect(zoomed(ending(NOW, 8 * HOUR), "in", NOW)).toEqual({ from: 96 * HOUR, to: NOW });
  expect(zoomed({ from: 90 * HOUR, to: 99 * HOUR }, "out", NOW)).toEqual({ from: 82 * HOUR, to: NOW });
});

test("zooming ends at a minute and at ten years", () => {
  expect(zoomed(ending(NOW, 90_000), "in", NOW)).toEqual({ from: NOW - 60_000, to: NOW });
  const ten = 10 * 366 * 24 * HOUR;
  expect(zoomed(ending(NOW, ten), "out", NOW)).toEqual(ending(NOW, ten));
});

test("a brush may be drawn either way, and a click is no range of nothing", () => {
  expect(between(30 * HOUR, 20 * HOUR)).toEqual({ from: 20 * HOUR, to: 30 * HOUR });
  expect(between(20 * HOUR, 20 * HOUR)).toEqual({ from: 20 * HOUR - 30_000, to: 20 * HOUR + 30_000 });
});

test.each([
  [0, 100],
  [740.4, 740],
  [5000, 2000],
])("a plot of %d pixels asks for %d points", (width, points) => {
  expect(pointsFor(width)).toBe(points);
});

test.each([
  ["hour", 4500],
  ["day", 60_000],
  ["year", 60_000],
] as const)("a live %s of 800 points is asked for anew after %d ms", (span, every) => {
  expect(askEvery(ending(NOW, SPANS[span]), 800)).toBe(every);
});

test("a live minute is asked for every two seconds", () => {
  expect(askEvery(ending(NOW, 60_000), 800)).toBe(2000);
});

test("energy is asked for in whole hours", () => {
  expect(wholeHours({ from: 1.5 * HOUR, to: 3.1 * HOUR })).toEqual({ from: HOUR, to: 4 * HOUR });
  expect(wholeHours({ from: HOUR, to: 2 * HOUR })).toEqual({ from: HOUR, to: 2 * HOUR });
});
