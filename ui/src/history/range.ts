/** Ranges of time: the ones a button stands for, moving and zooming within bounds, and how many points a plot needs. */

/** From a moment on and before another, in milliseconds since 1970. */
export interface Range {
  from: number;
  to: number;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The spans that have a button, in milliseconds. */
export const SPANS = {
  hour: HOUR,
  hours6: 6 * HOUR,
  day: DAY,
  week: 7 * DAY,
  month: 30 * DAY,
  year: 365 * DAY,
} as const;
export type Span = keyof typeof SPANS;

/** A range narrower than this shows single seconds with nothing between them. */
const NARROWEST = MINUTE;
const WIDEST = 10 * 366 * DAY;
/** What the history answers at most. */
const MOST_POINTS = 2000;
const FEWEST_POINTS = 100;
/** Keys move by a quarter of what is seen, and zoom by half. */
const PAN_SHARE = 1 / 4;
const ZOOM_SHARE = 1 / 2;

/** The range of so long that ends at a moment. */
export function ending(to: number, span: number): Range {
  return { from: to - span, to };
}

/** The range moved by shares of itself: before is negative. It never ends after `now`. */
export function panned(range: Range, direction: -1 | 1, now: number): Range {
  const span = range.to - range.from;
  return ending(Math.min(now, range.to + direction * span * PAN_SHARE), span);
}

/** The range made narrower or wider about its middle, or about its end where that is now. */
export function zoomed(range: Range, direction: "in" | "out", now: number): Range {
  const span = range.to - range.from;
  const wanted = direction === "in" ? span * ZOOM_SHARE : span / ZOOM_SHARE;
  const next = Math.min(WIDEST, Math.max(NARROWEST, wanted));
  const to = range.to >= now ? now : Math.min(now, (range.from + range.to + next) / 2);
  return ending(to, next);
}

/** The range between two moments in any order, wide enough to be seen. */
export function between(one: number, other: number): Range {
  const middle = (one + other) / 2;
  const half = Math.max(Math.abs(one - other), NARROWEST) / 2;
  return { from: middle - half, to: middle + half };
}

/** Points for a plot of this width in CSS pixels: one a pixel, within what the history answers. */
export function pointsFor(width: number): number {
  return Math.round(Math.min(MOST_POINTS, Math.max(FEWEST_POINTS, width)));
}

/** How often a live range is worth asking for anew, in milliseconds: when another point can have come. */
export function askEvery(range: Range, points: number): number {
  return Math.min(MINUTE, Math.max(2000, (range.to - range.from) / points));
}

/** The whole hours of UTC that a range touches: what the energy account is kept by. */
export function wholeHours({ from, to }: Range): Range {
  return { from: Math.floor(from / HOUR) * HOUR, to: Math.ceil(to / HOUR) * HOUR };
}
