import { expect, test } from "vitest";
import { serves, type Wanted } from "./course.svelte";
import { stepOf } from "./keys";
import { Timeline } from "./timeline.svelte";

const HOUR = 3_600_000;
const NOW = 1000 * HOUR;

test("a day that ends at now moves on with it", () => {
  const timeline = new Timeline();
  expect(timeline.span).toBe("day");
  expect(timeline.at(NOW)).toEqual({ from: NOW - 24 * HOUR, to: NOW });
  expect(timeline.at(NOW + HOUR).to).toBe(NOW + HOUR);
});

test("a brush stands still, and each step is taken back in turn", () => {
  const timeline = new Timeline();
  timeline.brush(NOW - 3 * HOUR, NOW - HOUR);
  timeline.zoom("in", NOW);
  expect(timeline.at(NOW + HOUR)).toEqual({ from: NOW - 2.5 * HOUR, to: NOW - 1.5 * HOUR });
  expect(timeline.isLive).toBe(false);
  timeline.back();
  expect(timeline.at(NOW)).toEqual({ from: NOW - 3 * HOUR, to: NOW - HOUR });
  timeline.back();
  expect(timeline.span).toBe("day");
  expect(timeline.canGoBack).toBe(false);
  timeline.back();
  expect(timeline.span).toBe("day");
});

test("a range that is moved up to now is live again", () => {
  const timeline = new Timeline();
  timeline.pan(-1, NOW);
  expect(timeline.at(NOW).to).toBe(NOW - 6 * HOUR);
  timeline.pan(1, NOW);
  expect(timeline.isLive).toBe(true);
  timeline.pan(-1, NOW);
  timeline.toNow(NOW);
  expect(timeline.at(NOW)).toEqual({ from: NOW - 24 * HOUR, to: NOW });
});

test("no more than 32 steps are remembered", () => {
  const timeline = new Timeline();
  for (let step = 0; step < 40; step += 1) {
    timeline.pan(-1, NOW);
  }
  let back = 0;
  while (timeline.canGoBack) {
    timeline.back();
    back += 1;
  }
  expect(back).toBe(32);
});

test("a live range ends at whole points, and moves on by no less than a second", () => {
  const timeline = new Timeline();
  // A day of 1,000 points is 86.4 s a point.
  expect(timeline.until(86_400 * 5 + 86_399, 1000)).toBe(86_400 * 5);
  timeline.show("hour");
  expect(timeline.until(9999, 2000)).toBe(9000);
});

const wanted = (to: number, rest: Partial<Wanted> = {}): Wanted => ({
  uuids: ["GPU-1"],
  quantities: ["temperature"],
  range: { from: to - HOUR, to },
  isLive: true,
  points: 900,
  ...rest,
});

test("a live hour of 900 points is not asked for again within 4 s", () => {
  expect(serves(wanted(NOW), wanted(NOW + 3999))).toBe(true);
  expect(serves(wanted(NOW), wanted(NOW + 4000))).toBe(false);
});

test("another card, quantity, width or range is another question", () => {
  expect(serves(wanted(NOW), wanted(NOW, { uuids: ["GPU-2"] }))).toBe(false);
  expect(serves(wanted(NOW), wanted(NOW, { quantities: ["power"] }))).toBe(false);
  expect(serves(wanted(NOW), wanted(NOW, { points: 901 }))).toBe(false);
  expect(serves(wanted(NOW), wanted(NOW, { range: { from: NOW - 2 * HOUR, to: NOW } }))).toBe(false);
  expect(serves(wanted(NOW), wanted(NOW, { isLive: false }))).toBe(false);
});

test("a range that stands is asked for once", () => {
  const still = wanted(NOW, { isLive: false });
  expect(serves(still, { ...still })).toBe(true);
  expect(serves(still, wanted(NOW + 1, { isLive: false }))).toBe(false);
});

test.each([
  ["ArrowLeft", false, { do: "pan", direction: -1 }],
  ["ArrowRight", true, { do: "cursor", points: 1 }],
  ["+", true, { do: "zoom", direction: "in" }],
  ["-", false, { do: "zoom", direction: "out" }],
  ["Home", false, { do: "widest" }],
  ["End", false, { do: "now" }],
  ["Backspace", false, { do: "back" }],
  ["Tab", false, null],
  ["a", false, null],
])("the key %s (shift: %s) asks for %j", (key, shiftKey, step) => {
  expect(stepOf(new KeyboardEvent("keydown", { key, shiftKey }))).toEqual(step);
});

test("the browser's own zoom stays the browser's", () => {
  expect(stepOf(new KeyboardEvent("keydown", { key: "+", ctrlKey: true }))).toBeNull();
});
