import { expect, test } from "vitest";
import { rowsOf } from "./rows";

test("a table has at most 48 rows, evenly over the range, the newest among them", () => {
  expect(rowsOf(0)).toEqual([]);
  expect(rowsOf(3)).toEqual([0, 1, 2]);
  const rows = rowsOf(2000);
  expect(rows).toHaveLength(48);
  expect(rows.at(-1)).toBe(1999);
  // 2,000 / 48 rounded up.
  expect(new Set(rows.slice(1).map((row, at) => row - (rows[at] ?? 0)))).toEqual(new Set([42]));
});
