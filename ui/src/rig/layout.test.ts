import { expect, test } from "vitest";
import { layoutOf } from "./layout";

/** 1254 px is the room for tiles in a window of 1366; 1808 in one of 1920; 608 in one of 720. */
test.each([
  [1, 1254, "full", 1],
  [2, 1254, "full", 2],
  [5, 1254, "full", 3],
  [8, 1254, "full", 4],
  [8, 1808, "full", 4],
  [8, 608, "full", 2],
  [8, 200, "full", 1],
  [9, 1254, "compact", 3],
  [16, 1254, "compact", 4],
  [24, 1254, "compact", 4],
  [16, 912, "compact", 3],
  [25, 1254, "dense", 7],
  [64, 1254, "dense", 8],
  [64, 1808, "dense", 11],
  [0, 1254, "full", 1],
] as const)("%i cards on %i px are %s, in %i columns", (cards, width, density, columns) => {
  expect(layoutOf(cards, width)).toEqual({ density, columns });
});

test("eight cards stand in two rows of four on a laptop and on a wide screen", () => {
  for (const width of [1254, 1560, 1808]) {
    expect(layoutOf(8, width)).toEqual({ density: "full", columns: 4 });
  }
});
