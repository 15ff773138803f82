/** How many columns of tiles, and how much each tile says, for 1 to 64 cards. */

/** What a tile has room for. */
export type Density = "full" | "compact" | "dense";

export interface Layout {
  density: Density;
  columns: number;
}

/** Between two tiles, in pixels; the style sheet's `--gap`. */
const GAP = 10;
/** The least width of a tile, in pixels. */
const LEAST: Record<Density, number> = { full: 264, compact: 250, dense: 146 };
/** So many cards at most get tiles of this density. */
const FULL_AT_MOST = 8;
const COMPACT_AT_MOST = 24;

/** The layout of so many cards on so many pixels, with rows as equal as they can be. */
export function layoutOf(cards: number, width: number): Layout {
  const density = cards <= FULL_AT_MOST ? "full" : cards <= COMPACT_AT_MOST ? "compact" : "dense";
  const fitting = Math.max(1, Math.floor((width + GAP) / (LEAST[density] + GAP)));
  const rows = Math.max(1, Math.ceil(cards / fitting));
  return { density, columns: Math.max(1, Math.ceil(cards / rows)) };
}
