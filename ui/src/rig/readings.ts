/** A tile's values as its meters show them. */
import type { Missing } from "../backend/types/Missing";
import type { Shown } from "../backend/types/Shown";
import type { TileValues } from "../backend/types/TileValues";
import { celsius, gibOf, percent, watts } from "../i18n/format";
import { missingSentence } from "../i18n/missing";
import { m } from "../paraglide/messages";
import { isMissing } from "../parts/shown";
import { fansShare, fansText } from "./fans";

/** A value in words with its unit, or why there is none. */
export type Words = { text: string } | { reason: string };

/** One line of a tile. */
export interface Reading {
  quantity: "load" | "vram" | "power" | "fan";
  label: string;
  title?: string;
  value: Words;
  /** From 0 to 1; none where there is nothing to compare with. */
  share: number | null;
  /** Whether little is left of it. */
  full?: boolean;
}

/** Video memory is nearly full above this share. */
const FULL = 0.9;

/** The words of a value, or its reason. */
export function words<T>(shown: Shown<T>, text: (value: T) => string, now: number): Words {
  return isMissing(shown) ? { reason: missingSentence(shown.missing, now) } : { text: text(shown) };
}

/** The four meters, in the order of the tile. */
export function readingsOf(values: TileValues, now: number): Reading[] {
  const { memory_used_bytes: used, memory_total_bytes: total } = values;
  const { power_mw: power, power_limit_mw: limit, fans_percent: fans } = values;
  const memory = share(used, total);
  return [
    {
      quantity: "load",
      label: m.tile_load(),
      value: words(values.utilisation_percent, percent, now),
      share: share(values.utilisation_percent, 100),
    },
    {
      quantity: "vram",
      label: m.tile_vram(),
      value: memoryWords(used, total, now),
      share: memory,
      full: memory !== null && memory > FULL,
    },
    {
      quantity: "power",
      label: m.tile_power(),
      value: words(power, watts, now),
      share: share(power, limit),
    },
    {
      quantity: "fan",
      label: m.tile_fan(),
      title: m.tile_fan_title(),
      value: words(fans, fansText, now),
      share: isMissing(fans) ? null : fansShare(fans),
    },
  ];
}

/** The values in one line, for a tile that shows old ones; what is missing is left out. */
export function inOneLine(values: TileValues, now: number): string {
  const temperature = words(values.temperature_c, celsius, now);
  const all = [temperature, ...readingsOf(values, now).map((reading) => reading.value)];
  return all.flatMap((one) => ("text" in one ? [one.text] : [])).join(" · ");
}

function memoryWords(used: Shown<number>, total: Shown<number>, now: number): Words {
  const missing: Missing | null = isMissing(used) ? used.missing : isMissing(total) ? total.missing : null;
  return missing === null
    ? { text: gibOf(used as number, total as number) }
    : { reason: missingSentence(missing, now) };
}

function share(part: Shown<number>, whole: Shown<number>): number | null {
  return isMissing(part) || isMissing(whole) || whole <= 0 ? null : part / whole;
}
