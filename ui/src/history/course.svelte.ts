/**
 * The course that is shown: asked for when the range, the cards or the plot's width change, and of a live range whenever another
 * point can have come. One question is on its way at a time; the last answer stays while the next is awaited. Nothing is asked
 * while nobody can see the page.
 */
import { type Backend, BackendError } from "../backend/backend";
import type { Mark } from "../backend/types/Mark";
import type { Quantity } from "../backend/types/Quantity";
import { type Course, courseOf } from "./block";
import { markData } from "./marks";
import { askEvery, type Range } from "./range";

/** What is asked for. */
export interface Wanted {
  uuids: readonly string[];
  quantities: readonly Quantity[];
  range: Range;
  isLive: boolean;
  points: number;
}

/** An answer with its question. */
export interface Answered {
  wanted: Wanted;
  course: Course;
  /** What the driver reported of the one card that was asked for. */
  marks: readonly Mark[];
  /** How many older ones there are beside those. */
  marksLeftOut: number;
}

export class CourseFeed {
  answered = $state.raw<Answered | null>(null);
  failure = $state.raw<BackendError | null>(null);

  readonly #backend: Backend;
  #isAsking = false;
  #next: Wanted | null = null;
  #last: Wanted | null = null;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** Asks if what is there does not serve. To be called with each frame. */
  want(wanted: Wanted): void {
    if (document.visibilityState !== "visible" || (this.#last && serves(this.#last, wanted))) {
      return;
    }
    if (this.#isAsking) {
      this.#next = wanted;
    } else {
      void this.#ask(wanted);
    }
  }

  /** Asks once more what failed. */
  again(): void {
    if (this.#last && !this.#isAsking) {
      void this.#ask(this.#last);
    }
  }

  async #ask(wanted: Wanted): Promise<void> {
    this.#isAsking = true;
    this.#last = wanted;
    const { uuids, quantities, range, points } = wanted;
    const [from, to] = [Math.floor(range.from), Math.ceil(range.to)];
    try {
      const [only, ...others] = uuids;
      const [block, marks] = await Promise.all([
        this.#backend.course({
          uuids: [...uuids],
          quantities: [...quantities],
          from_ms: from,
          to_ms: to,
          points,
        }),
        only !== undefined && others.length === 0 ? this.#backend.marks(only, from, to) : null,
      ]);
      const course = courseOf(block, uuids.length * quantities.length);
      markData();
      this.answered = { wanted, course, marks: marks?.marks ?? [], marksLeftOut: marks?.left_out ?? 0 };
      this.failure = null;
    } catch (cause) {
      this.failure = BackendError.of(cause);
    } finally {
      this.#isAsking = false;
      const next = this.#next;
      this.#next = null;
      if (next) {
        this.want(next);
      }
    }
  }
}

/** Whether the answer to one question serves for another: the same range, or a live one of which no other point can have come. */
export function serves(last: Wanted, next: Wanted): boolean {
  const isSame =
    last.points === next.points &&
    last.isLive === next.isLive &&
    last.uuids.join() === next.uuids.join() &&
    last.quantities.join() === next.quantities.join();
  if (!isSame) {
    return false;
  }
  const span = ({ range }: Wanted) => range.to - range.from;
  if (!next.isLive) {
    return last.range.from === next.range.from && last.range.to === next.range.to;
  }
  return span(last) === span(next) && next.range.to - last.range.to < askEvery(next.range, next.points);
}
