import { beforeEach, expect, test } from "vitest";
import { speak } from "../i18n/locale.svelte";
import type { Curve } from "./block";
import { ANY_REASON, reasonsOf, secondsOf, stretchesOf, TROUBLE } from "./bits";

beforeEach(() => {
  speak("en");
});

function bits(values: (number | null)[]): Curve {
  const column = Float64Array.from(values, (value) => value ?? 0);
  const there = Uint8Array.from(values, (value) => (value === null ? 0 : 1));
  return { min: column, max: column, mean: new Float64Array(values.length), there };
}

const TIMES = Float64Array.from([0, 60, 120, 180, 240]);

test("neighbours of the same bits are one stretch, and unknown time is in none", () => {
  expect(stretchesOf(TIMES, 60, bits([2, 2, null, 2, 1]), 15)).toEqual([
    { from: 0, to: 120, bits: 2 },
    { from: 180, to: 240, bits: 2 },
    { from: 240, to: 300, bits: 1 },
  ]);
});

test("bits that are not looked for make no stretch", () => {
  expect(stretchesOf(TIMES, 60, bits([1, 1, 5, 1, 1]), ANY_REASON)).toEqual([
    { from: 120, to: 180, bits: 4 },
  ]);
});

test("a moment of its own speaks until the next one, and the newest for a second", () => {
  const moments = Float64Array.from([0, 1, 3]);
  expect(stretchesOf(moments, 0, bits([2, 2, 2]), 15)).toEqual([{ from: 0, to: 4, bits: 2 }]);
});

test("a hole between two steps is not filled", () => {
  const holed = Float64Array.from([0, 60, 600]);
  expect(stretchesOf(holed, 60, bits([2, 2, 2]), 15)).toEqual([
    { from: 0, to: 120, bits: 2 },
    { from: 600, to: 660, bits: 2 },
  ]);
});

test("shares are of the known time alone", () => {
  // Known: four of five minutes; rented in two of them.
  expect(secondsOf(TIMES, 60, bits([2, 2, null, 1, 4]), 2)).toEqual({ set: 120, known: 240 });
});

test("reasons have the words of their bits in nvml.h; that nothing runs is none", () => {
  expect(reasonsOf(0x1)).toEqual([]);
  expect(reasonsOf(0x4 | 0x40)).toEqual(["power limit", "hardware thermal slow-down"]);
  // Hardware slow-down, both thermal reasons and the power brake.
  expect(TROUBLE).toBe(0x8 | 0x20 | 0x40 | 0x80);
});
