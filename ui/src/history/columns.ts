/** Curves as a chart draws them: columns in the unit of the screen, with nothing where there is no value, so that a gap is drawn as one. */
import type { Curve } from "./block";

export type Column = (number | null)[];

/** A line with the band between the least and the greatest of what each point was folded from. */
export interface Line {
  min: Column;
  max: Column;
  mean: Column;
  /** Points between two gaps: no line would show them. */
  lonely: number[];
}

/** What an idle card draws in the account's estimate, in watts: `fanfare-ledger` counts with the same. */
const IDLE_W = 10;
const MILLI = 1000;

/** The line of a curve, its numbers multiplied by `factor`. */
export function lineOf(curve: Curve, factor: number): Line {
  const column = (numbers: Float64Array): Column =>
    Array.from(numbers, (number, at) => (curve.there[at] === 1 ? number * factor : null));
  const mean = column(curve.mean);
  return { min: column(curve.min), max: column(curve.max), mean, lonely: lonelyOf(mean) };
}

/** Watts by load and limit where a card tells no power but both of these, as the energy account estimates them. */
export function estimateOf(power: Curve, utilisation: Curve, limit: Curve): Column {
  return Array.from(power.there, (there, at) => {
    if (there === 1 || utilisation.there[at] !== 1 || limit.there[at] !== 1) {
      return null;
    }
    const watts = (limit.mean[at] ?? 0) / MILLI;
    return IDLE_W + ((utilisation.mean[at] ?? 0) / 100) * Math.max(0, watts - IDLE_W);
  });
}

/** Whether a column has any value. */
export function hasAny(column: Column): boolean {
  return column.some((value) => value !== null);
}

function lonelyOf(column: Column): number[] {
  const found: number[] = [];
  for (const [at, value] of column.entries()) {
    if (value !== null && (column[at - 1] ?? null) === null && (column[at + 1] ?? null) === null) {
      found.push(at);
    }
  }
  return found;
}
