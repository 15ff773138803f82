import { expect, test } from "vitest";
import { SCENES } from "../backend/recorded/scenes";
import type { Tile } from "../backend/types/Tile";
import { cardsPower, meteredBase } from "./power";

function tiles(powers: readonly (number | null)[]): Tile[] {
  const [tile] = SCENES.calm?.().tiles ?? [];
  if (!tile?.values) {
    throw new Error("the calm scene has a card with values");
  }
  const { values } = tile;
  return powers.map((power) => ({
    ...tile,
    values: { ...values, power_mw: power ?? { missing: { kind: "not_supported" } } },
  }));
}

test("the cards' power is their sum, and not known if one does not tell", () => {
  expect(cardsPower(tiles([110_000, 12_500]))).toBe(122_500);
  expect(cardsPower(tiles([110_000, null]))).toBeNull();
  expect(cardsPower([])).toBeNull();
});

test("a card that does not answer has no power now, whatever it had last", () => {
  const [first, second] = tiles([110_000, 12_500]);
  if (!first || !second) {
    throw new Error("two tiles");
  }
  expect(cardsPower([first, { ...second, state: { kind: "lost" } }])).toBeNull();
});

test("a meter tells the base by the power supply's efficiency", () => {
  const meter = { at: "2026-11-30T00:00:00Z", wall_mw: 1_200_000, cards_mw: 840_000 };
  // 1,200 W at the wall are 960 W behind a supply of 80 %, 1,080 W behind one of 90 %.
  expect(meteredBase({ base_mw: 5, psu_percent: 80, meter })).toBe(120_000);
  expect(meteredBase({ base_mw: null, psu_percent: null, meter })).toBe(240_000);
  expect(meteredBase({ base_mw: 5, psu_percent: 80, meter: null })).toBeNull();
});
