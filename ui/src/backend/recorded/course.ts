/** The recorded rig's past as the history would answer: any question of it, as a block in `fanfare-history`'s layout. */
import { BackendError } from "../backend";
import type { CourseQuestion } from "../types/CourseQuestion";
import type { Quantity } from "../types/Quantity";
import { SPIKE_S, valueAt } from "./past";

const HEAD_BYTES = 24;
const WIDTH = 8;
/** Moments that stand for a point that many seconds are folded into. */
const LOOKS = 6;
const BITS: ReadonlySet<Quantity> = new Set<Quantity>(["throttle", "tenancy"]);

interface Fold {
  min: number;
  max: number;
  mean: number;
}

/** The block that answers a question, of samples below a minute a point, of minutes below an hour, then of hours. */
export function blockOf({ uuids, quantities, from_ms, to_ms, points }: CourseQuestion): ArrayBuffer {
  if (from_ms >= to_ms || points < 1 || points > 2000) {
    throw new BackendError("not_readable", "the range is empty or the points are too many");
  }
  const stepS = Math.max(1, Math.ceil((to_ms - from_ms) / 1000 / points));
  const level = stepS < 60 ? 0 : stepS < 3600 ? 1 : 2;
  const count = Math.max(1, Math.floor((to_ms - from_ms) / 1000 / stepS));
  const fromS = Math.ceil(from_ms / 1000);
  const curves = uuids.flatMap((uuid) => quantities.map((quantity) => ({ uuid, quantity })));
  const curveBytes = 3 * WIDTH * count + Math.ceil(count / WIDTH) * WIDTH;
  const block = new ArrayBuffer(HEAD_BYTES + WIDTH * count + curves.length * curveBytes);
  const head = new DataView(block);
  head.setUint32(0, 0x31_51_48_46, true);
  head.setUint32(4, level, true);
  head.setUint32(8, count, true);
  head.setUint32(12, curves.length, true);
  head.setFloat64(16, stepS === 1 ? 0 : stepS, true);
  new Float64Array(block, HEAD_BYTES, count).forEach((_, index, times) => {
    times[index] = fromS + index * stepS;
  });
  for (const [index, { uuid, quantity }] of curves.entries()) {
    const at = HEAD_BYTES + WIDTH * count + index * curveBytes;
    const numbers = new Float64Array(block, at, 3 * count);
    const there = new Uint8Array(block, at + 3 * WIDTH * count, count);
    for (let point = 0; point < count; point += 1) {
      const fold = foldOf(uuid, quantity, fromS + point * stepS, stepS);
      if (fold) {
        numbers[point] = fold.min;
        numbers[count + point] = fold.max;
        numbers[2 * count + point] = fold.mean;
        there[point] = 1;
      }
    }
  }
  return block;
}

/** What a point says of its seconds; none if nothing was read in any of them. Bits are gathered, and have no mean. */
function foldOf(uuid: string, quantity: Quantity, from: number, seconds: number): Fold | null {
  const looks = Math.min(LOOKS, seconds);
  const moments = Array.from({ length: looks }, (_, look) => from + Math.floor((look * seconds) / looks));
  if (SPIKE_S > from && SPIKE_S < from + seconds) {
    moments.push(SPIKE_S);
  }
  const values = moments
    .map((moment) => valueAt(uuid, quantity, moment))
    .filter((value): value is number => value !== null);
  if (values.length === 0) {
    return null;
  }
  if (BITS.has(quantity)) {
    const all = values.reduce((bits, value) => bits | value, 0);
    const each = values.reduce((bits, value) => bits & value, all);
    return { min: each, max: all, mean: 0 };
  }
  return {
    min: Math.min(...values),
    max: Math.max(...values),
    mean: values.reduce((sum, value) => sum + value, 0) / values.length,
  };
}
