/** Small charts side by side: one scale for all, so that they can be compared, and gaps as gaps. */
import type { Quantity } from "../backend/types/Quantity";
import type { Course, Curve } from "../history/block";

/** The quantities that have a small chart. */
export const SHOWN = [
  "temperature",
  "power",
  "utilisation",
  "memory_used",
  "fan_reported",
  "graphics_clock",
] as const satisfies readonly Quantity[];
export type ShownQuantity = (typeof SHOWN)[number];

export const isShown = (text: string): text is ShownQuantity => SHOWN.some((one) => one === text);

export interface Extent {
  low: number;
  high: number;
}

/** Where the values lie in a picture: moments in seconds since 1970 from left to right, values from the bottom up. */
export interface Frame extends Extent {
  fromS: number;
  toS: number;
  width: number;
  height: number;
}

const PERCENT: ReadonlySet<Quantity> = new Set<Quantity>(["utilisation", "fan_reported"]);
/** The scale's ends lie at multiples of this, in the quantity's own unit. */
const GRAIN: Record<ShownQuantity, number> = {
  temperature: 10,
  power: 20_000,
  utilisation: 100,
  memory_used: 2 ** 30,
  fan_reported: 100,
  graphics_clock: 500,
};

/** The least and the greatest of a curve; none if it has no value. */
export function extentOf({ min, max, there }: Curve): Extent | null {
  let extent: Extent | null = null;
  for (let index = 0; index < there.length; index += 1) {
    if (there[index] === 1) {
      const [low, high] = [min[index] ?? 0, max[index] ?? 0];
      extent = extent ? { low: Math.min(extent.low, low), high: Math.max(extent.high, high) } : { low, high };
    }
  }
  return extent;
}

/** The one scale of all curves; none if none has a value. All but temperatures begin at 0, and shares of time end at 100. */
export function scaleOf(quantity: ShownQuantity, curves: readonly Curve[]): Extent | null {
  const extents = curves.map(extentOf).filter((extent): extent is Extent => extent !== null);
  if (extents.length === 0) {
    return null;
  }
  if (PERCENT.has(quantity)) {
    return { low: 0, high: 100 };
  }
  const grain = GRAIN[quantity];
  const least = quantity === "temperature" ? Math.min(...extents.map(({ low }) => low)) : 0;
  const greatest = Math.max(...extents.map(({ high }) => high));
  const low = Math.floor(least / grain) * grain;
  return { low, high: Math.max(low + grain, Math.ceil(greatest / grain) * grain) };
}

/** Two paths: the line of means, and the band from the least to the greatest about it. Both are empty without a value. */
export function pathsOf({ times }: Course, curve: Curve, frame: Frame): { line: string; band: string } {
  const { fromS, toS, width, height, low, high } = frame;
  const x = (index: number) => ((((times[index] ?? 0) - fromS) / (toS - fromS)) * width).toFixed(1);
  const y = (value: number) => (height - ((value - low) / (high - low)) * height).toFixed(1);
  const lines: string[] = [];
  const bands: string[] = [];
  for (const [first, end] of runs(curve.there)) {
    const run = Array.from({ length: end - first }, (_, offset) => first + offset);
    const along = (values: Float64Array) => run.map((index) => `${x(index)} ${y(values[index] ?? 0)}`);
    const means = along(curve.mean);
    // A single value is a dot's width of line: two equal points, which round caps make visible.
    lines.push(`M${(means.length === 1 ? [...means, ...means] : means).join("L")}`);
    bands.push(`M${[...along(curve.max), ...along(curve.min).reverse()].join("L")}Z`);
  }
  return { line: lines.join(""), band: bands.join("") };
}

/** The stretches with values: first and end of each. */
function runs(there: Uint8Array): [number, number][] {
  const found: [number, number][] = [];
  let first: number | null = null;
  for (let index = 0; index <= there.length; index += 1) {
    if (there[index] === 1) {
      first ??= index;
    } else if (first !== null) {
      found.push([first, index]);
      first = null;
    }
  }
  return found;
}
