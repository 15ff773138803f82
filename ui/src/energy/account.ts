/** What a card's energy comes to: the figures of its account as people read them. What is not known is none, and never 0. */
import type { CardEnergy } from "../backend/types/CardEnergy";
import type { Share } from "../backend/types/Share";
import type { WeekHour } from "../backend/types/WeekHour";

/** Millijoules of a kilowatt-hour. */
const KWH = 3.6e9;

/** Days of a week, and hours of a day. */
export const DAYS = 7;
export const HOURS = 24;

export const kilowattHours = (millijoules: number): number => millijoules / KWH;

/** The mean power over some time, in mW: a millijoule a millisecond is a watt. None over no time. */
export function meanPower({ ms, mj }: Share): number | null {
  return ms > 0 ? (mj / ms) * 1000 : null;
}

/** One part of the two that a time is known to have, 0 to 1; none if nothing of it is known. */
export function shareOf(part: Share, rest: Share): number | null {
  const known = part.ms + rest.ms;
  return known > 0 ? part.ms / known : null;
}

/** All energy that is known, in mJ; none if no time is. */
export function known({ counted, measured, estimated }: CardEnergy): number | null {
  const parts = [counted, measured, estimated];
  return parts.some(({ ms }) => ms > 0) ? parts.reduce((sum, { mj }) => sum + mj, 0) : null;
}

/** How much of what is known is estimated; an estimate must not pass for a measurement in what is made of it. */
export function estimated({ counted, measured, estimated: guess }: CardEnergy): "none" | "partly" | "all" {
  if (guess.ms === 0) {
    return "none";
  }
  return counted.ms + measured.ms > 0 ? "partly" : "all";
}

/** How a card's time is known, by kind, in ms; a kind that did not occur is left out. */
export type Kind = "counted" | "measured" | "estimated" | "unknown";
export function kinds({ counted, measured, estimated, unknown_ms }: CardEnergy): [Kind, number][] {
  const all: [Kind, number][] = [
    ["counted", counted.ms],
    ["measured", measured.ms],
    ["estimated", estimated.ms],
    ["unknown", unknown_ms],
  ];
  return all.filter(([, ms]) => ms > 0);
}

/** The shares of a week's hours as seven days of 24, Monday first; none where nothing is known. */
export function byDay(
  hours: readonly WeekHour[],
  share: (hour: WeekHour) => number | null,
): (number | null)[][] {
  const at = (day: number, hour: number): number | null => {
    const found = hours[day * HOURS + hour];
    return found ? share(found) : null;
  };
  return Array.from({ length: DAYS }, (_, day) => Array.from({ length: HOURS }, (__, hour) => at(day, hour)));
}

export const idleShare = ({ idle, load }: WeekHour): number | null => shareOf(idle, load);
export const rentedShare = ({ rented, free }: WeekHour): number | null => shareOf(rented, free);
