import { expect, test } from "vitest";
import { SCENES } from "../backend/recorded/scenes";
import type { RigFrame } from "../backend/types/RigFrame";
import { readAgeMs, remarksOn } from "./remarks";

function scene(name: string): RigFrame {
  const make = SCENES[name];
  if (!make) {
    throw new Error(`there is no scene ${name}`);
  }
  return make();
}

const said = (frame: RigFrame | null, silentMs = 0) =>
  remarksOn(frame, silentMs).map(({ level, what }) => `${level}: ${what}`);

test("nothing wrong is one calm sentence", () => {
  expect(said(scene("calm"))).toEqual(["calm: All cards answer"]);
});

test("before the first frame, and before the first sweep, the rig is waited for", () => {
  expect(said(null)).toEqual(["waiting: Waiting for the first reading"]);
  expect(said(scene("waiting"))).toEqual(["waiting: Waiting for the first reading"]);
});

test("the worst comes first, and hot cards stand among the warnings", () => {
  expect(said(scene("trouble"))).toEqual([
    "critical: Card 7 is missing",
    "critical: Card 4 fell off the bus",
    "critical: Card 3 does not answer",
    "warning: Card 6 needs a reset",
    "warning: Card 8 answers with errors alone",
    "warning: What must be remembered cannot be kept on disk",
    "warning: Cards 1 and 5 are hot",
    "notice: The file with settings and cards was damaged and is set aside",
    "notice: Damaged settings have their defaults again",
  ]);
});

test("frames that stop coming are the worst of all, whatever the last one said", () => {
  expect(said(scene("calm"), 2999)).toEqual(["calm: All cards answer"]);
  expect(said(scene("calm"), 3000)).toEqual(["critical: No new readings arrive"]);
});

test("a holder that says nothing is told while frames come, and not as a window that gets none", () => {
  expect(said(scene("holder_silent"))).toEqual([
    "critical: The program that reads the rig does not answer (fanfarectl serve, process 4711)",
  ]);
});

test("a stale temperature says nothing about now", () => {
  const frame = scene("calm");
  const hot: RigFrame = {
    ...frame,
    tiles: frame.tiles.map((tile) =>
      tile.values ? { ...tile, values: { ...tile.values, temperature_c: 90, age_ms: 3000 } } : tile,
    ),
  };
  expect(said(hot)).toEqual(["calm: All cards answer"]);
});

test("a sweep that no card answered has read nothing: the age is that of the newest reading", () => {
  const calm = scene("calm");
  expect(readAgeMs({ ...calm, age_ms: 300 }, 0)).toBe(300);
  const stuck = scene("driver_stuck");
  expect(stuck.status.answering).toBe(0);
  expect(readAgeMs({ ...stuck, age_ms: 300 }, 500)).toBe(46_500);
  const never = { ...stuck, tiles: stuck.tiles.map((tile) => ({ ...tile, values: null })) };
  expect(readAgeMs(never, 0)).toBeNull();
  expect(readAgeMs(scene("waiting"), 0)).toBeNull();
});
