/** A line of temperatures as the path of one SVG element; gaps stay gaps. */

/** Where the values lie in the picture. */
export interface Frame {
  width: number;
  height: number;
  /** The value at the bottom. */
  low: number;
  /** The value at the top. */
  high: number;
  /** How many values fill the width; fewer stand at the right, where the newest are. */
  steps: number;
}

/** Two paths: the line, and the area below it. Both are empty without a value. */
export function sparkPaths(
  values: readonly (number | null)[],
  { width, height, low, high, steps }: Frame,
): { line: string; area: string } {
  const step = width / Math.max(1, steps - 1);
  const left = width - (values.length - 1) * step;
  const x = (index: number) => (left + index * step).toFixed(1);
  const y = (value: number) => {
    const share = (Math.min(high, Math.max(low, value)) - low) / (high - low);
    return (height - share * height).toFixed(1);
  };
  const lines: string[] = [];
  const areas: string[] = [];
  for (const { start, run } of runs(values)) {
    const points = run.map((value, index) => `${x(start + index)} ${y(value)}`);
    // A single value is a dot's width of line: two equal points, which round caps make visible.
    const line = `M${points.join("L")}${points.length === 1 ? `L${points.join("")}` : ""}`;
    lines.push(line);
    areas.push(`${line}L${x(start + run.length - 1)} ${height}L${x(start)} ${height}Z`);
  }
  return { line: lines.join(""), area: areas.join("") };
}

/** The stretches without a gap. */
function runs(values: readonly (number | null)[]): { start: number; run: number[] }[] {
  const found: { start: number; run: number[] }[] = [];
  let open: { start: number; run: number[] } | null = null;
  for (const [index, value] of values.entries()) {
    if (value === null) {
      open = null;
    } else if (open) {
      open.run.push(value);
    } else {
      open = { start: index, run: [value] };
      found.push(open);
    }
  }
  return found;
}
