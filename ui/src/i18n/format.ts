/**
 * Numbers, units and times as the reader's language writes them. A unit stands after a no-break space. Formatters are made
 * once for each language and shape: making one costs more than using it a hundred times.
 */
import { m } from "../paraglide/messages";
import { locale } from "./locale.svelte";

const NBSP = "\u00a0";
const GIB = 2 ** 30;
const KIB = 1024;
const MIB = 2 ** 20;
const DAY_MS = 86_400_000;

/** At most languages (2) × digits (0 to 3) of them. */
const numbers = new Map<string, Intl.NumberFormat>();
/** At most languages (2) × shapes (2) of them. */
const times = new Map<string, Intl.DateTimeFormat>();

/** A number with exactly so many decimals. */
export function decimal(value: number, digits: 0 | 1 | 2 | 3 = 0): string {
  const key = `${locale()} ${digits}`;
  let format = numbers.get(key);
  if (!format) {
    format = new Intl.NumberFormat(locale(), {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
    numbers.set(key, format);
  }
  return format.format(value);
}

/** A number with its unit. */
export function withUnit(value: number, unit: string, digits: 0 | 1 | 2 | 3 = 0): string {
  return `${decimal(value, digits)}${NBSP}${unit}`;
}

export const percent = (value: number): string => withUnit(value, "%");
export const celsius = (value: number): string => withUnit(value, "°C");
/** Watts from milliwatts, rounded to whole ones: the sensor is no better than some watts. */
export const watts = (milliwatts: number): string => withUnit(milliwatts / 1000, "W");
export const gib = (bytes: number): string => withUnit(bytes / GIB, "GiB", 1);

/** Bytes in the unit that reads best. */
export function bytes(value: number): string {
  if (value >= GIB) {
    return withUnit(value / GIB, "GiB", 2);
  }
  return value > 0 && value < MIB ? withUnit(value / KIB, "KiB") : withUnit(value / MIB, "MiB");
}

/** `7.2 / 8.0 GiB`. */
export function gibOf(used: number, total: number): string {
  return `${decimal(used / GIB, 1)} / ${gib(total)}`;
}

/** An age in its largest whole unit. */
export function age(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 10) {
    return m.age_seconds({ n: decimal(seconds, 1) });
  }
  if (seconds < 120) {
    return m.age_seconds({ n: decimal(Math.floor(seconds)) });
  }
  if (seconds < 7200) {
    return m.age_minutes({ n: decimal(Math.floor(seconds / 60)) });
  }
  if (seconds < 172_800) {
    return m.age_hours({ n: decimal(Math.floor(seconds / 3600)) });
  }
  return m.age_days({ n: decimal(Math.floor(seconds / 86_400)) });
}

/** A moment on the reader's clock, with its date if that is not within the last half day. Both in milliseconds since 1970. */
export function clockTime(at: number, now: number): string {
  const near = Math.abs(now - at) < DAY_MS / 2;
  const key = `${locale()} ${near ? "time" : "date"}`;
  let format = times.get(key);
  if (!format) {
    const time = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
    format = new Intl.DateTimeFormat(
      locale(),
      near ? { ...time, second: "2-digit" } : { ...time, year: "numeric", month: "short", day: "numeric" },
    );
    times.set(key, format);
  }
  return format.format(at);
}
