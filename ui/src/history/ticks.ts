/** Moments as people read them: at the axis no finer than its steps, in the readout to the second. */
import { locale } from "../i18n/locale.svelte";

const DAY_S = 86_400;

/** At most languages (2) × shapes (5) of them. */
const formats = new Map<string, Intl.DateTimeFormat>();
const SHAPES = {
  second: { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" },
  minute: { hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  day: { day: "numeric", month: "short" },
  month: { month: "short", year: "numeric" },
  whole: {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

function write(seconds: number, shape: keyof typeof SHAPES): string {
  const key = `${locale()} ${shape}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat(locale(), SHAPES[shape]);
    formats.set(key, format);
  }
  return format.format(seconds * 1000);
}

/** A moment at the axis, whose marks stand `step` seconds apart: the date where a day begins, the time elsewhere. */
export function tickText(seconds: number, before: number | null, step: number): string {
  if (step >= 28 * DAY_S) {
    return write(seconds, "month");
  }
  const day = write(seconds, "day");
  if (step >= DAY_S || (before !== null && write(before, "day") !== day)) {
    return day;
  }
  return write(seconds, step < 60 ? "second" : "minute");
}

/** A moment in full, on the reader's clock. */
export function momentText(seconds: number): string {
  return write(seconds, "whole");
}
