/** Stretches of time as paths: one for each look, however many there are, since each shape of a page is looked at in every frame. */
import type { Stretch } from "./bits";

/** Bits that are drawn alike. */
export interface Kind<Look extends string> {
  bit: number;
  look: Look;
}

/** Where a moment in seconds lies, and the strip's height, in pixels. */
export interface Place {
  x: (seconds: number) => number;
  height: number;
}

/** The outlines of all boxes of each look that there is; two kinds in one stretch stand above each other. */
export function pathsOf<Look extends string>(
  stretches: readonly Stretch[],
  kinds: readonly Kind<Look>[],
  { x, height }: Place,
): { look: Look; d: string }[] {
  const paths = new Map<Look, string[]>();
  for (const { from, to, bits } of stretches) {
    const set = kinds.filter(({ bit }) => (bits & bit) !== 0);
    // A second of a year is less than a pixel, and is seen all the same.
    const width = round(Math.max(1, x(to) - x(from)));
    const tall = round(height / set.length);
    for (const [at, { look }] of set.entries()) {
      const boxes = paths.get(look) ?? [];
      boxes.push(`M${round(x(from))} ${round((at * height) / set.length)}h${width}v${tall}h${-width}z`);
      paths.set(look, boxes);
    }
  }
  return [...paths].map(([look, boxes]) => ({ look, d: boxes.join("") }));
}

/** A hundredth of a pixel is less than anybody sees. */
function round(pixels: number): number {
  return Math.round(pixels * 100) / 100;
}
