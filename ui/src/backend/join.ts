/** Frames out of the parts that the shell's channel carries; a large rig's frame comes in a handful. */
import type { FramePart } from "./types/FramePart";
import type { RigFrame } from "./types/RigFrame";
import type { Tile } from "./types/Tile";

/**
 * Joins parts as they come. Holds one unfinished frame; a head lets go of the one before it, and a part that does not belong
 * to the head that came last is passed over.
 */
export class FrameJoin {
  #head: RigFrame | null = null;
  #tiles: Tile[] = [];

  /** The frame that this part makes whole; none while parts are to follow. */
  take(part: FramePart): RigFrame | null {
    if (part.part === "head") {
      this.#head = part.frame;
      this.#tiles = part.frame.tiles;
    } else if (this.#head?.number === part.number) {
      this.#tiles = this.#tiles.concat(part.tiles);
    } else {
      return null;
    }
    if (part.more > 0) {
      return null;
    }
    const whole = { ...this.#head, tiles: this.#tiles };
    this.#head = null;
    return whole;
  }
}
