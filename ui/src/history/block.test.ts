import { expect, test } from "vitest";
import { BackendError } from "../backend/backend";
import { courseOf } from "./block";

/** The very block of `fanfare-history`'s own test of its layout: three times, two curves, minutes of 43.2 s. */
function known(): ArrayBuffer {
  const block = new ArrayBuffer(48 + 2 * 80);
  const view = new DataView(block);
  for (const [index, letter] of ["F", "H", "Q", "1"].entries()) {
    view.setUint8(index, letter.charCodeAt(0));
  }
  for (const [index, number] of [1, 3, 2].entries()) {
    view.setUint32(4 + 4 * index, number, true);
  }
  const numbers: [number, number[]][] = [
    [16, [43.2, 1, 44.2, 87.4]],
    [48, [40, 0, 40, 50, 0, 50, 45, 0, 45]],
    [128, [0, 0, 1, 0, 0, 9_007_199_254_740_991, 0, 0, 4_503_599_627_370_496]],
  ];
  for (const [at, row] of numbers) {
    for (const [index, number] of row.entries()) {
      view.setFloat64(at + 8 * index, number, true);
    }
  }
  view.setUint8(120, 1);
  view.setUint8(122, 1);
  view.setUint8(202, 1);
  return block;
}

test("a block is read as it is laid out", () => {
  const course = courseOf(known(), 2);
  expect(course.level).toBe("minutes");
  expect(course.stepS).toBe(43.2);
  expect([...course.times]).toEqual([1, 44.2, 87.4]);
  const [one, other] = course.curves;
  expect([...(one?.min ?? [])]).toEqual([40, 0, 40]);
  expect([...(one?.max ?? [])]).toEqual([50, 0, 50]);
  expect([...(one?.mean ?? [])]).toEqual([45, 0, 45]);
  expect([...(one?.there ?? [])]).toEqual([1, 0, 1]);
  expect([...(other?.there ?? [])]).toEqual([0, 0, 1]);
  expect(other?.max[2]).toBe(9_007_199_254_740_991);
});

test("the columns lie in the block itself: nothing is copied", () => {
  const block = known();
  const course = courseOf(block, 2);
  expect(course.times.buffer).toBe(block);
  expect(course.curves.every(({ min, there }) => min.buffer === block && there.buffer === block)).toBe(true);
});

test("an answer of nothing is a head", () => {
  const head = known().slice(0, 24);
  new DataView(head).setUint32(8, 0, true);
  new DataView(head).setUint32(12, 0, true);
  expect(courseOf(head, 0)).toMatchObject({ level: "minutes", curves: [] });
});

test.each([
  ["is empty", () => new ArrayBuffer(0)],
  ["ends in its head", () => known().slice(0, 23)],
  ["ends a byte early", () => known().slice(0, 207)],
  ["has eight bytes too many", () => new ArrayBuffer(216)],
  ["has another name", () => changed(0, 0x46)],
  ["has a level that nobody knows", () => changed(4, 3)],
  ["has more times than bytes", () => changed(8, 0xff_ff_ff_ff)],
  ["has other curves than were asked for", () => changed(12, 3)],
])("a block that %s is refused", (_, make) => {
  expect(() => courseOf(make(), 2)).toThrow(BackendError);
});

function changed(at: number, number: number): ArrayBuffer {
  const block = known();
  new DataView(block).setUint32(at, number, true);
  return block;
}
