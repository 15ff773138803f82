/** What the rig draws besides its cards: the same sums as the engine makes, to be shown beside what is set. */
import type { PowerSettings } from "../backend/types/PowerSettings";
import type { Tile } from "../backend/types/Tile";
import { valueOf } from "../parts/shown";

/** What holds where nothing is set. */
export const GUESSED_BASE_W = 100;
export const GUESSED_PSU_PERCENT = 90;

/** What all cards together draw now, in mW; none if a single one does not tell, or there is none. */
export function cardsPower(tiles: readonly Tile[]): number | null {
  let sum = 0;
  for (const { values, state } of tiles) {
    const power = values && state.kind === "answering" ? valueOf(values.power_mw) : null;
    if (power === null) {
      return null;
    }
    sum += power;
  }
  return tiles.length > 0 ? sum : null;
}

/** What the rig itself draws by the meter, in mW: what the power supply gave, less what the cards took. None without a meter. */
export function meteredBase({ meter, psu_percent }: PowerSettings): number | null {
  if (meter === null) {
    return null;
  }
  return Math.floor((meter.wall_mw * (psu_percent ?? GUESSED_PSU_PERCENT)) / 100) - meter.cards_mw;
}
