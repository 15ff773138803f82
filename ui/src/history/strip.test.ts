import { expect, test } from "vitest";
import { pathsOf } from "./strip";

const KINDS = [
  { bit: 1, look: "idle" },
  { bit: 2, look: "rented" },
] as const;
/** Two pixels a second, from the tenth pixel on. */
const PLACE = { x: (seconds: number) => 10 + 2 * seconds, height: 14 };

test("all stretches of a look are one path, and two looks at once stand above each other", () => {
  const stretches = [
    { from: 0, to: 5, bits: 1 },
    { from: 5, to: 8, bits: 3 },
    { from: 9, to: 10, bits: 4 },
  ];
  expect(pathsOf(stretches, KINDS, PLACE)).toEqual([
    { look: "idle", d: "M10 0h10v14h-10zM20 0h6v7h-6z" },
    { look: "rented", d: "M20 7h6v7h-6z" },
  ]);
});

test("a stretch that is narrower than a pixel is drawn as wide as one", () => {
  expect(pathsOf([{ from: 1, to: 1.25, bits: 2 }], KINDS, PLACE)).toEqual([
    { look: "rented", d: "M12 0h1v14h-1z" },
  ]);
});
