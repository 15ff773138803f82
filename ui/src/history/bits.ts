/** Quantities of bits over time: what a card was used for, and what held its clocks down. */
import type { Curve } from "./block";
import { m } from "../paraglide/messages";

/** A stretch of time, in seconds since 1970, in which the same bits were set at some moment. */
export interface Stretch {
  from: number;
  to: number;
  bits: number;
}

/** What a card is used for, by the bits of `tenancy`. */
export type Use = "rented" | "own" | "busy" | "idle";
export const USES: readonly { use: Use; bit: number; name: () => string }[] = [
  { use: "rented", bit: 2, name: m.usage_rented },
  { use: "own", bit: 4, name: m.usage_own_job },
  { use: "busy", bit: 8, name: m.usage_busy },
  { use: "idle", bit: 1, name: m.usage_idle },
];

/** What holds clocks down, by the bits of `nvml.h`. `isTrouble`: heat or power that the owner should look after. */
export const REASONS: readonly { bit: number; isTrouble: boolean; name: () => string }[] = [
  { bit: 0x2, isTrouble: false, name: m.throttle_application_clocks },
  { bit: 0x4, isTrouble: false, name: m.throttle_power_cap },
  { bit: 0x8, isTrouble: true, name: m.throttle_hardware_slowdown },
  { bit: 0x10, isTrouble: false, name: m.throttle_sync_boost },
  { bit: 0x20, isTrouble: true, name: m.throttle_software_thermal },
  { bit: 0x40, isTrouble: true, name: m.throttle_hardware_thermal },
  { bit: 0x80, isTrouble: true, name: m.throttle_power_brake },
  { bit: 0x100, isTrouble: false, name: m.throttle_display_clocks },
];

/** All bits of reasons; that nothing runs (bit 0) holds nothing down. */
export const ANY_REASON = REASONS.reduce((bits, reason) => bits | reason.bit, 0);
export const TROUBLE = REASONS.reduce((bits, reason) => (reason.isTrouble ? bits | reason.bit : bits), 0);

/** Reasons in words; those that no list knows are passed over. */
export function reasonsOf(bits: number): string[] {
  return REASONS.filter(({ bit }) => (bits & bit) !== 0).map(({ name }) => name());
}

/** Until when a point speaks: the next one's time, or a step after it. */
function untilOf(times: Float64Array, at: number, stepS: number): number {
  const next = times[at + 1];
  const own = (times[at] ?? 0) + (stepS || 1);
  return next === undefined ? own : stepS > 0 ? Math.min(next, own) : next;
}

/** The stretches of a curve of bits, as far as `mask` sees them; time of which nothing is known is in none. */
export function stretchesOf(times: Float64Array, stepS: number, curve: Curve, mask: number): Stretch[] {
  const found: Stretch[] = [];
  let open: Stretch | null = null;
  for (const [at, from] of times.entries()) {
    const bits = curve.there[at] === 1 ? (curve.max[at] ?? 0) & mask : 0;
    const to = untilOf(times, at, stepS);
    if (bits === 0) {
      open = null;
    } else if (open && open.bits === bits && open.to >= from) {
      open.to = to;
    } else {
      open = { from, to, bits };
      found.push(open);
    }
  }
  return found;
}

/** Seconds in which a bit was set, and those of which anything is known. A point with several bits counts for each of them. */
export function secondsOf(
  times: Float64Array,
  stepS: number,
  curve: Curve,
  bit: number,
): { set: number; known: number } {
  let [set, known] = [0, 0];
  for (const [at, from] of times.entries()) {
    if (curve.there[at] === 1) {
      const seconds = untilOf(times, at, stepS) - from;
      known += seconds;
      set += ((curve.max[at] ?? 0) & bit) === 0 ? 0 : seconds;
    }
  }
  return { set, known };
}
