/** The recorded rig's energy and its week, summed from its past by looks into each hour. */
import type { CardEnergy } from "../types/CardEnergy";
import type { CardWeek } from "../types/CardWeek";
import type { Share } from "../types/Share";
import type { WeekHour } from "../types/WeekHour";
import { NEWEST_S, TENANCY, valueAt } from "./past";

const HOUR_S = 3600;
/** Looks into each hour; each stands for ten minutes. */
const LOOKS = 6;
const LOOK_S = HOUR_S / LOOKS;
/** What the rig draws besides its eight cards, a card's share of it, and what the power supply gives of what it takes: guesses. */
const BASE_MW = 100_000 / 8;
const EFFICIENCY = 0.9;
const IDLE_MW = 10_000;
/** Monday 0:00 of a week in UTC. */
const MONDAY_S = Date.UTC(2026, 10, 30) / 1000;
const WEEK_HOURS = 168;

const nothing = (): Share => ({ ms: 0, mj: 0 });

function add(share: Share, milliwatts: number): void {
  share.ms += LOOK_S * 1000;
  share.mj += milliwatts * LOOK_S;
}

interface Look {
  second: number;
  milliwatts: number;
  isMeasured: boolean;
  isIdle: boolean;
  tenancy: number;
}

/** Looks between two moments; `null` where nothing was read. */
function* looks(uuid: string, fromMs: number, toMs: number): Generator<Look | null> {
  const until = Math.min(toMs / 1000, NEWEST_S);
  for (let second = Math.floor(fromMs / 1000); second < until; second += LOOK_S) {
    const power = valueAt(uuid, "power", second);
    const load = valueAt(uuid, "utilisation", second);
    const limit = valueAt(uuid, "power_limit", second);
    const tenancy = valueAt(uuid, "tenancy", second);
    if (load === null || limit === null || tenancy === null) {
      yield null;
      continue;
    }
    yield {
      second,
      milliwatts: power ?? IDLE_MW + (load / 100) * (limit - IDLE_MW),
      isMeasured: power !== null,
      isIdle: load < 5,
      tenancy,
    };
  }
}

/** The card's energy; nothing for a card of which nothing is known. */
export function energyOf(uuid: string, fromMs: number, toMs: number): CardEnergy[] {
  const energy: CardEnergy = {
    uuid,
    counted: nothing(),
    measured: nothing(),
    estimated: nothing(),
    unknown_ms: 0,
    idle: nothing(),
    load: nothing(),
    rented: nothing(),
    free: nothing(),
    vacant: nothing(),
    wall_mj: null,
    wall_is_guess: true,
    is_open: toMs > NEWEST_S * 1000 - 3_600_000,
  };
  let known = 0;
  for (const look of looks(uuid, fromMs, toMs)) {
    if (!look) {
      energy.unknown_ms += LOOK_S * 1000;
      continue;
    }
    known += (look.milliwatts + BASE_MW) * LOOK_S;
    // Around each hour's first ten minutes the counter stood still, so samples count.
    const byCounter = look.isMeasured && look.second % HOUR_S >= LOOK_S;
    add(byCounter ? energy.counted : look.isMeasured ? energy.measured : energy.estimated, look.milliwatts);
    add(look.isIdle ? energy.idle : energy.load, look.milliwatts);
    const isFree = look.tenancy === TENANCY.idle || look.tenancy === TENANCY.own;
    if (look.tenancy === TENANCY.rented) {
      add(energy.rented, look.milliwatts);
    } else if (isFree) {
      add(energy.free, look.milliwatts);
    }
    if (isFree && look.isIdle) {
      add(energy.vacant, look.milliwatts);
    }
  }
  if (known === 0) {
    return [];
  }
  return [{ ...energy, wall_mj: Math.round(known / EFFICIENCY) }];
}

/** The card's week; nothing for a card of which nothing is known. */
export function weekOf(uuid: string, fromMs: number, toMs: number): CardWeek[] {
  const hours = Array.from({ length: WEEK_HOURS }, (): WeekHour => ({
    idle: nothing(),
    load: nothing(),
    rented: nothing(),
    free: nothing(),
  }));
  let any = false;
  for (const look of looks(uuid, fromMs, toMs)) {
    const since = look ? look.second - MONDAY_S : 0;
    const hour = hours[((Math.floor(since / HOUR_S) % WEEK_HOURS) + WEEK_HOURS) % WEEK_HOURS];
    if (!look || !hour) {
      continue;
    }
    any = true;
    add(look.isIdle ? hour.idle : hour.load, look.milliwatts);
    if (look.tenancy === TENANCY.rented) {
      add(hour.rented, look.milliwatts);
    } else if (look.tenancy === TENANCY.idle || look.tenancy === TENANCY.own) {
      add(hour.free, look.milliwatts);
    }
  }
  return any ? [{ uuid, hours }] : [];
}
