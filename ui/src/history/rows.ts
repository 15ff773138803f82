/** Which points of a course a table shows. */

const MOST_ROWS = 48;

/** Indexes of at most 48 of so many points, evenly over them, the newest among them. */
export function rowsOf(count: number): number[] {
  const step = Math.ceil(count / MOST_ROWS);
  const rows: number[] = [];
  for (let at = count - 1; at >= 0; at -= step) {
    rows.unshift(at);
  }
  return rows;
}
