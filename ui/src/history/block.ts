/**
 * A course as it comes from the history: one block of bytes, read with typed arrays in place. The block belongs to its course
 * from then on. Its layout is written down in `fanfare-history`'s `pack`; all of it is checked before a number is read.
 */
import { BackendError } from "../backend/backend";

/** One quantity of one card on the course's times. Where `there` is 0 there is no value, and the numbers are 0. */
export interface Curve {
  min: Float64Array;
  max: Float64Array;
  mean: Float64Array;
  there: Uint8Array;
}

/** From which level of the history a course was read. */
export type CourseLevel = "samples" | "minutes" | "hours";

export interface Course {
  level: CourseLevel;
  /** Time from point to point in seconds; 0 where each point is a moment of its own. */
  stepS: number;
  /** Seconds since 1970, rising. */
  times: Float64Array;
  /** Card by card, and within a card in the order of the question's quantities. */
  curves: Curve[];
}

/** "FHQ1", the layout's name and version. */
const NAME = 0x31_51_48_46;
const HEAD_BYTES = 24;
/** Every column begins at a multiple of this. */
const WIDTH = 8;
const LEVELS: readonly CourseLevel[] = ["samples", "minutes", "hours"];

/** The course in a block of so many curves. Throws a `BackendError` for anything that is not such a block. */
export function courseOf(block: ArrayBuffer, curves: number): Course {
  if (block.byteLength < HEAD_BYTES) {
    throw refused(`a head of ${block.byteLength} bytes`);
  }
  const head = new DataView(block);
  const name = head.getUint32(0, true);
  const level = LEVELS[head.getUint32(4, true)];
  const count = head.getUint32(8, true);
  if (name !== NAME || !level) {
    throw refused("another layout");
  }
  if (head.getUint32(12, true) !== curves) {
    throw refused(`${head.getUint32(12, true)} curves in place of ${curves}`);
  }
  const curveBytes = 3 * WIDTH * count + Math.ceil(count / WIDTH) * WIDTH;
  if (block.byteLength !== HEAD_BYTES + WIDTH * count + curves * curveBytes) {
    throw refused(`${block.byteLength} bytes for ${count} times`);
  }
  const column = (at: number) => new Float64Array(block, at, count);
  return {
    level,
    stepS: head.getFloat64(16, true),
    times: column(HEAD_BYTES),
    curves: Array.from({ length: curves }, (_, index) => {
      const at = HEAD_BYTES + WIDTH * count + index * curveBytes;
      const [min, max, mean] = [0, 1, 2].map((part) => column(at + part * WIDTH * count));
      if (!min || !max || !mean) {
        throw refused("no columns");
      }
      return { min, max, mean, there: new Uint8Array(block, at + 3 * WIDTH * count, count) };
    }),
  };
}

function refused(what: string): BackendError {
  return new BackendError("bridge", `course: ${what}`);
}
