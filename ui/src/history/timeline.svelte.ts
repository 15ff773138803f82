/**
 * Which range of time is looked at: a span that ends at now and moves on with it, or a range that stands. Steps that were taken are
 * remembered, at most 32 of them, so that each can be taken back.
 */
import { between, ending, panned, type Range, type Span, SPANS, zoomed } from "./range";

const MOST_STEPS = 32;

type View = { live: true; span: number } | { live: false; range: Range };

export class Timeline {
  #view = $state.raw<View>({ live: true, span: SPANS.day });
  #steps = $state.raw<readonly View[]>([]);

  /** The range at this moment. */
  at(now: number): Range {
    return this.#view.live ? ending(now, this.#view.span) : this.#view.range;
  }

  /** Where the range ends, of a live one in whole points of so many: it moves on by those, and by no less than a second. */
  until(now: number, points: number): number {
    if (!this.#view.live) {
      return this.#view.range.to;
    }
    const step = Math.max(1000, this.#view.span / points);
    return Math.floor(now / step) * step;
  }

  /** Whether the range moves on with time. */
  get isLive(): boolean {
    return this.#view.live;
  }

  /** Whether a step can be taken back. */
  get canGoBack(): boolean {
    return this.#steps.length > 0;
  }

  /** The button that stands for what is shown; none for an own range. */
  get span(): Span | null {
    const view = this.#view;
    const found = view.live ? Object.entries(SPANS).find(([, span]) => span === view.span) : undefined;
    return found ? (found[0] as Span) : null;
  }

  show(span: Span): void {
    this.#go({ live: true, span: SPANS[span] });
  }

  /** Between two moments, as a brush was drawn. */
  brush(one: number, other: number): void {
    this.#go({ live: false, range: between(one, other) });
  }

  pan(direction: -1 | 1, now: number): void {
    this.#stand(panned(this.at(now), direction, now), now);
  }

  zoom(direction: "in" | "out", now: number): void {
    this.#stand(zoomed(this.at(now), direction, now), now);
  }

  /** The same span, ending now. */
  toNow(now: number): void {
    const { from, to } = this.at(now);
    this.#go({ live: true, span: to - from });
  }

  /** Takes the last step back. */
  back(): void {
    const last = this.#steps.at(-1);
    if (last) {
      this.#view = last;
      this.#steps = this.#steps.slice(0, -1);
    }
  }

  /** A range that ends at now goes on being live. */
  #stand(range: Range, now: number): void {
    this.#go(range.to >= now ? { live: true, span: range.to - range.from } : { live: false, range });
  }

  #go(next: View): void {
    this.#steps = [...this.#steps, this.#view].slice(-MOST_STEPS);
    this.#view = next;
  }
}
