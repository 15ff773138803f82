/**
 * The past of the recorded rig: what each card measured at any second of the last 400 days, as a function of the second alone.
 *
 * It has what a history must show well: rentals in blocks of four hours, a gap of 40 minutes, a hole of twelve days a quarter ago, a
 * thermal event with its Xid, one card without a power sensor, one that never tells what is asked of its fans, and one second of heat.
 */
import type { Mark } from "../types/Mark";
import type { Quantity } from "../types/Quantity";
import { AT_MS, card, FRESH_MS, uuidOf } from "./cards";

const MINUTE = 60;
const HOUR = 3600;
const DAY = 24 * HOUR;
const BLOCK = 4 * HOUR;
const MIB = 2 ** 20;
const IDLE_W = 10;
const LIMIT_W = 115;

/** The newest second, and the first. */
export const NEWEST_S = Math.floor((AT_MS - FRESH_MS) / 1000);
export const OLDEST_S = NEWEST_S - 400 * DAY;

/** When nothing was read: the machine was off. */
const HOLES: readonly (readonly [number, number])[] = [
  [NEWEST_S - 9 * HOUR, NEWEST_S - 9 * HOUR + 40 * MINUTE],
  [NEWEST_S - 101 * DAY, NEWEST_S - 89 * DAY],
];

/** One second, at the first seat, that a year must show. */
export const SPIKE_S = NEWEST_S - 200 * DAY;
const SPIKE_C = 97;

/** The thermal event at the third seat. */
const HEAT_SEAT = 3;
const HEAT_FROM_S = NEWEST_S - 5 * HOUR - 20 * MINUTE;
const HEAT_UNTIL_S = HEAT_FROM_S + 9 * MINUTE;

/** What `tenancy` counts: bits, of which one is set. */
export const TENANCY = { idle: 1, rented: 2, own: 4, busy: 8 } as const;
export type TenancyKind = keyof typeof TENANCY;
/** Of `throttle`, from NVML: nothing runs, the power limit, the target temperature, the hardware's thermal slow-down. */
const THROTTLE = { idle: 1, power: 4, software: 32, hardware: 64 };

const SEATS: ReadonlyMap<string, number> = new Map(
  Array.from({ length: 64 }, (_, index) => [uuidOf(index + 1), index + 1]),
);

/** A number from 0 to 1 that the arguments alone decide. */
function chance(one: number, other: number): number {
  let mixed = Math.imul(one ^ 0x9e_37_79_b9, 0x85_eb_ca_6b) ^ Math.imul(other + 0x7f_4a_7c_15, 0xc2_b2_ae_35);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x27_d4_eb_2f);
  return ((mixed ^ (mixed >>> 13)) >>> 0) / 2 ** 32;
}

/** What a card is used for in a block of four hours; in the newest one, what its tile says. */
function tenancyOf(seat: number, block: number): TenancyKind {
  if (block === Math.floor(NEWEST_S / BLOCK)) {
    const kind = card(seat).occupancy.usage.kind;
    return kind === "own_job" ? "own" : kind === "unknown" ? "idle" : kind;
  }
  const share = chance(seat, block);
  return share < 0.62 ? "rented" : share < 0.86 ? "idle" : share < 0.94 ? "own" : "busy";
}

/** Share of the card's strength, 0 to 1, at a second. */
function loadAt(seat: number, second: number): number {
  const block = Math.floor(second / BLOCK);
  const kind = tenancyOf(seat, block);
  const wave = 0.04 * Math.sin(second / 700 + seat) + 0.03 * (chance(seat, second) - 0.5);
  const full = { idle: 0, rented: 0.93, own: 0.7, busy: 0.86 }[kind];
  // A renter's work pauses now and then.
  const pauses = kind === "rented" && chance(seat + 100, Math.floor(second / 900)) < 0.12;
  return full === 0 ? 0 : Math.min(1, Math.max(0, (pauses ? 0.3 : full) + wave));
}

function celsiusAt(seat: number, second: number): number {
  if (seat === 1 && second === SPIKE_S) {
    return SPIKE_C;
  }
  // A cooler lags behind by minutes: what the load was a while ago counts as well.
  const load = (loadAt(seat, second) + loadAt(seat, second - 120) + loadAt(seat, second - 300)) / 3;
  const room =
    3 * Math.sin((2 * Math.PI * (second % DAY)) / DAY - 2) +
    4 * Math.cos((2 * Math.PI * second) / (365 * DAY));
  const event = seat === HEAT_SEAT && second >= HEAT_FROM_S && second < HEAT_UNTIL_S ? 20 : 0;
  return Math.round(38 + room + seat * 0.6 + 27 * load + event);
}

const isThrottled = (seat: number, second: number) =>
  seat === HEAT_SEAT && second >= HEAT_FROM_S && second < HEAT_UNTIL_S;

const SERIES: Partial<Record<Quantity, (seat: number, second: number) => number | null>> = {
  temperature: celsiusAt,
  power: (seat, second) =>
    seat === 2 ? null : Math.round((IDLE_W + 2 + (LIMIT_W - IDLE_W - 4) * loadAt(seat, second)) * 1000),
  power_limit: (seat, second) => (seat === 1 && second > NEWEST_S - 15 * HOUR ? 105_000 : LIMIT_W * 1000),
  utilisation: (seat, second) => Math.round(100 * loadAt(seat, second)),
  memory_utilisation: (seat, second) => Math.round(45 * loadAt(seat, second)),
  memory_used: (seat, second) =>
    Math.round((307 + 7000 * Math.min(1, 1.05 * loadAt(seat, second - 30))) * MIB),
  graphics_clock: (seat, second) => {
    const load = loadAt(seat, second);
    const free = load === 0 ? 210 : 2460 + Math.round(60 * (1 - load));
    return isThrottled(seat, second) ? 1410 : free;
  },
  memory_clock: (seat, second) => (loadAt(seat, second) === 0 ? 405 : 8251),
  fan_asked: (seat, second) => (seat === 8 ? null : dutyAt(seat, second)),
  fan_reported: (seat, second) => dutyAt(seat, second - 4),
  throttle: (seat, second) => {
    const load = loadAt(seat, second);
    if (isThrottled(seat, second)) {
      return THROTTLE.software | (second > HEAT_FROM_S + 120 ? THROTTLE.hardware : 0);
    }
    return load === 0 ? THROTTLE.idle : load > 0.96 ? THROTTLE.power : 0;
  },
  tenancy: (seat, second) => TENANCY[tenancyOf(seat, Math.floor(second / BLOCK))],
};

function dutyAt(seat: number, second: number): number {
  const celsius = celsiusAt(seat, second);
  return celsius < 50 ? 0 : Math.min(100, Math.round(30 + (celsius - 50) * 1.6));
}

/** What the card of this uuid measured of a quantity in that second; none where nothing was read. */
export function valueAt(uuid: string, quantity: Quantity, second: number): number | null {
  const seat = SEATS.get(uuid);
  if (seat === undefined || second < OLDEST_S || second > NEWEST_S) {
    return null;
  }
  if (HOLES.some(([from, until]) => second >= from && second < until)) {
    return null;
  }
  return SERIES[quantity]?.(seat, second) ?? null;
}

/** What the driver reported of a card, in order. */
export function marksOf(uuid: string): Mark[] {
  if (uuid !== uuidOf(HEAT_SEAT)) {
    return [];
  }
  const xid = (second: number, number: number): Mark => ({
    at_ms: second * 1000,
    uuid,
    kind: { kind: "xid", number },
  });
  return [xid(NEWEST_S - 40 * DAY, 13), xid(HEAT_FROM_S + 5 * MINUTE, 43), xid(HEAT_FROM_S + 6 * MINUTE, 31)];
}
