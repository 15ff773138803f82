/** The five steps of heat, which the whole app colours by. A step is never the only carrier: the number and a word stand by. */
import { m } from "../paraglide/messages";

/** From cool to very hot. */
export type Heat = 0 | 1 | 2 | 3 | 4;

/** A card of this step or higher is hot: its tile and the status line say so. */
export const HOT: Heat = 3;

/** Lower bounds of the steps 1 to 4 in °C. An RTX 4060 aims below 83 °C by itself. */
const BOUNDS = [50, 70, 80, 85] as const;

/** The step of a temperature in °C. */
export function heatOf(celsius: number): Heat {
  return BOUNDS.filter((bound) => celsius >= bound).length as Heat;
}

const WORDS: Record<Heat, () => string> = {
  0: m.heat_0,
  1: m.heat_1,
  2: m.heat_2,
  3: m.heat_3,
  4: m.heat_4,
};

/** The step in a word. */
export function heatWord(heat: Heat): string {
  return WORDS[heat]();
}
