/**
 * The temperatures of the last half hour, asked for anew whenever another 10-second value can be there and the page can be
 * seen. Holds one answer: at most 64 cards of 180 values.
 */
import type { Backend } from "../backend/backend";

const ASK_EVERY_MS = 10_000;

export class Recents {
  /** By uuid; empty before the first answer. */
  byCard = $state.raw<Readonly<Partial<Record<string, readonly (number | null)[]>>>>({});

  readonly #backend: Backend;
  readonly #page: Document;

  constructor(backend: Backend, page: Document) {
    this.#backend = backend;
    this.#page = page;
  }

  /** Asks now and from time to time. Returns what ends it. */
  start(): () => void {
    const ask = () => {
      if (this.#page.visibilityState === "visible") {
        void this.#ask();
      }
    };
    const timer = setInterval(ask, ASK_EVERY_MS);
    this.#page.addEventListener("visibilitychange", ask);
    ask();
    return () => {
      clearInterval(timer);
      this.#page.removeEventListener("visibilitychange", ask);
    };
  }

  async #ask(): Promise<void> {
    try {
      const recent = await this.#backend.recent();
      this.byCard = Object.fromEntries(recent.cards.map((card) => [card.uuid, card.temperatures_c]));
    } catch {
      // An ornament: without it the tiles show no line. What is wrong with the rig is said by its frames.
    }
  }
}
