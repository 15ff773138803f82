/** Eight cards of a rig at work, and as many more as a scene wants: figures of an RTX 4060, written down once. */
import type { Occupancy } from "../types/Occupancy";
import type { RecentCard } from "../types/RecentCard";
import type { Shown } from "../types/Shown";
import type { Tile } from "../types/Tile";
import type { TileState } from "../types/TileState";
import type { TileValues } from "../types/TileValues";

/** The moment of every recorded scene: 2026-11-30 03:12:07 UTC. */
export const AT_MS = Date.UTC(2026, 10, 30, 3, 12, 7);
/** How old a fresh reading is when its frame is made. */
export const FRESH_MS = 200;

const MIB = 2 ** 20;
const TOTAL_BYTES = 8188 * MIB;
const LIMIT_MW = 115_000;
/** Half an hour in steps of 10 s. */
const STEPS = 180;

interface Work {
  celsius: number;
  percent: number;
  usedMib: number;
  watts: number;
  fans: number[];
  occupancy: Occupancy;
}

const rented: Occupancy = { usage: { kind: "rented", platform: "Vast.ai" }, source: "simulation" };
const idle: Occupancy = { usage: { kind: "idle" }, source: "processes" };
const busy: Occupancy = { usage: { kind: "busy" }, source: "processes" };
const own: Occupancy = { usage: { kind: "own_job" }, source: "owner" };
export const nobodySays: Occupancy = { usage: { kind: "unknown" }, source: "nobody" };

const WORK: readonly Work[] = [
  { celsius: 66, percent: 97, usedMib: 7372, watts: 108, fans: [57, 57], occupancy: rented },
  { celsius: 63, percent: 94, usedMib: 7270, watts: 103, fans: [52, 52], occupancy: rented },
  { celsius: 71, percent: 99, usedMib: 7782, watts: 113, fans: [65, 65], occupancy: rented },
  { celsius: 42, percent: 0, usedMib: 307, watts: 12, fans: [0, 0], occupancy: idle },
  { celsius: 69, percent: 98, usedMib: 7680, watts: 112, fans: [61, 63], occupancy: rented },
  { celsius: 64, percent: 92, usedMib: 4403, watts: 106, fans: [53, 53], occupancy: busy },
  { celsius: 61, percent: 88, usedMib: 6144, watts: 99, fans: [49, 49], occupancy: rented },
  { celsius: 44, percent: 3, usedMib: 410, watts: 12, fans: [0, 0], occupancy: own },
];

/** The uuid of the card at a seat. */
export function uuidOf(seat: number): string {
  return `GPU-4060f00d-0000-4000-8000-${String(seat).padStart(12, "0")}`;
}

function valuesOf(work: Work): TileValues {
  return {
    at_ms: AT_MS - FRESH_MS,
    age_ms: FRESH_MS,
    temperature_c: work.celsius,
    utilisation_percent: work.percent,
    memory_used_bytes: work.usedMib * MIB,
    memory_total_bytes: TOTAL_BYTES,
    power_mw: work.watts * 1000,
    power_limit_mw: LIMIT_MW,
    fans_percent: work.fans,
    processes: work.percent > 5 ? 1 : 0,
  };
}

/** The card at a seat, counted from 1, answering. */
export function card(seat: number): Tile {
  const work = WORK[(seat - 1) % WORK.length];
  if (!work) {
    throw new RangeError(`no recorded card for seat ${seat}`);
  }
  return {
    seat,
    uuid: uuidOf(seat),
    name: "RTX 4060",
    slot: `0000:${seat.toString(16).padStart(2, "0")}:00.0`,
    state: { kind: "answering" },
    occupancy: work.occupancy,
    values: valuesOf(work),
  };
}

/** The card with other values. */
export function reading(tile: Tile, values: Partial<TileValues>): Tile {
  return tile.values ? { ...tile, values: { ...tile.values, ...values } } : tile;
}

/** The card as it was so long ago. */
export function aged(tile: Tile, ageMs: number): Tile {
  return reading(tile, { at_ms: AT_MS - ageMs, age_ms: ageMs });
}

/** The card in trouble: its last values are as old as the trouble, and nobody can say what it does. */
export function troubled(tile: Tile, state: TileState, ageMs: number): Tile {
  return { ...aged(tile, ageMs), state, occupancy: nobodySays };
}

/** The card as it is known before it answered. */
export function unread(tile: Tile, state: TileState): Tile {
  return { ...tile, state, occupancy: nobodySays, values: null };
}

/** The temperatures of a card's last half hour, waving about the one it has now. The second card has a gap. */
export function recentOf(tile: Tile): RecentCard {
  const now: Shown<number> = tile.values?.temperature_c ?? { missing: { kind: "not_yet" } };
  const base = typeof now === "number" ? now : 50;
  const temperatures_c = Array.from({ length: STEPS }, (_, step) => {
    if (tile.seat === 2 && step >= 60 && step < 76) {
      return null;
    }
    const toNow = (STEPS - 1 - step) / STEPS;
    return Math.round(base + 4 * Math.sin(step / 14 + tile.seat) * toNow - 3 * toNow);
  });
  return { uuid: tile.uuid, temperatures_c };
}
