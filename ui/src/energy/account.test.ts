import { expect, test } from "vitest";
import type { CardEnergy } from "../backend/types/CardEnergy";
import type { Share } from "../backend/types/Share";
import type { WeekHour } from "../backend/types/WeekHour";
import {
  byDay,
  estimated,
  idleShare,
  kilowattHours,
  kinds,
  known,
  meanPower,
  rentedShare,
  shareOf,
} from "./account";

const HOUR = 3_600_000;
const NONE: Share = { ms: 0, mj: 0 };

/** An hour at a power in W. */
const hour = (watts: number): Share => ({ ms: HOUR, mj: watts * HOUR });

const NOTHING: CardEnergy = {
  uuid: "GPU-1",
  counted: NONE,
  measured: NONE,
  estimated: NONE,
  unknown_ms: 0,
  idle: NONE,
  load: NONE,
  rented: NONE,
  free: NONE,
  vacant: NONE,
  wall_mj: null,
  wall_is_guess: true,
  is_open: false,
};

test("eight cards at 115 W for a day are 22.08 kWh", () => {
  // 8 × 115,000 mW × 86,400 s.
  expect(kilowattHours(8 * 115_000 * 86_400)).toBe(22.08);
});

test("a mean power is energy by time, and none over no time", () => {
  expect(meanPower(hour(115))).toBe(115_000);
  expect(meanPower(NONE)).toBeNull();
});

test("a share is of what is known alone", () => {
  expect(shareOf({ ms: 3, mj: 9 }, { ms: 1, mj: 0 })).toBe(0.75);
  expect(shareOf(NONE, { ms: 5, mj: 0 })).toBe(0);
  expect(shareOf(NONE, NONE)).toBeNull();
});

test("energy that is not known is none and not 0, and a card that took nothing took 0", () => {
  expect(known({ ...NOTHING, unknown_ms: HOUR })).toBeNull();
  expect(known({ ...NOTHING, measured: { ms: HOUR, mj: 0 } })).toBe(0);
  expect(known({ ...NOTHING, counted: hour(100), estimated: hour(10) })).toBe(110 * HOUR);
});

test("what is made of estimates is told from what is measured", () => {
  expect(estimated({ ...NOTHING, counted: hour(1) })).toBe("none");
  expect(estimated({ ...NOTHING, measured: hour(1), estimated: hour(2) })).toBe("partly");
  expect(estimated({ ...NOTHING, estimated: hour(2), unknown_ms: HOUR })).toBe("all");
});

test("the kinds of knowing are told in the order of their worth, without those that did not occur", () => {
  expect(kinds({ ...NOTHING, estimated: hour(1), counted: hour(2), unknown_ms: 60_000 })).toEqual([
    ["counted", HOUR],
    ["estimated", HOUR],
    ["unknown", 60_000],
  ]);
});

test("a week is seven days of 24 hours, Monday first, in which what is not known is a gap", () => {
  const empty: WeekHour = { idle: NONE, load: NONE, rented: NONE, free: NONE };
  const hours = Array.from({ length: 168 }, () => empty);
  // Tuesday 3:00 is the hour 24 + 3 of the week.
  hours[27] = { idle: hour(10), load: { ms: 3 * HOUR, mj: 0 }, rented: hour(0), free: hour(0) };
  const idle = byDay(hours, idleShare);
  expect([idle.length, idle[0]?.length]).toEqual([7, 24]);
  expect(idle[1]?.[3]).toBe(0.25);
  expect(byDay(hours, rentedShare)[1]?.[3]).toBe(0.5);
  expect(idle[1]?.[2]).toBeNull();
});
