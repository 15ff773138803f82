/**
 * The rig as the page has it: the newest frame, acknowledged once it is on the screen, so that the shell sends the next.
 *
 * A page that nobody can see says so and draws nothing; a frame that still comes is held and drawn when it can be seen. Frames
 * come once a second. If none comes for 1.5 s, a timer ages what is shown, each second, until one does: in the ordinary case no
 * timer of this page ever fires.
 */
import { tick } from "svelte";
import { type Backend, BackendError } from "../backend/backend";
import type { RigFrame } from "../backend/types/RigFrame";

const LATE_MS = 1500;
const AGE_EVERY_MS = 1000;

export class RigFeed {
  /** The newest frame that could be seen; none before the first. */
  frame = $state.raw<RigFrame | null>(null);
  /** How long no frame has come, in milliseconds; 0 while they come in time. */
  silentMs = $state(0);
  /** Why there is no subscription. */
  failure = $state.raw<BackendError | null>(null);
  /** Kept once there is a first frame, or no subscription. */
  readonly begun: Promise<void>;

  readonly #backend: Backend;
  readonly #page: Document;
  #held: RigFrame | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #begin: () => void;
  #cameAt = 0;

  constructor(backend: Backend, page: Document) {
    this.#backend = backend;
    this.#page = page;
    let begin: (() => void) | undefined;
    this.begun = new Promise((resolve) => {
      begin = resolve;
    });
    this.#begin = () => begin?.();
  }

  /** Subscribes, and follows whether the page can be seen. Returns what ends the following. */
  start(): () => void {
    const followed = () => {
      this.#seen(this.#page.visibilityState === "visible");
    };
    this.#page.addEventListener("visibilitychange", followed);
    this.#cameAt = performance.now();
    this.#expect();
    void this.#subscribe();
    return () => {
      this.#page.removeEventListener("visibilitychange", followed);
      clearTimeout(this.#timer);
    };
  }

  async #subscribe(): Promise<void> {
    try {
      await this.#backend.subscribeRig((frame) => {
        void this.#take(frame);
      });
      this.failure = null;
      if (this.#page.visibilityState !== "visible") {
        await this.#backend.pageVisible(false);
      }
    } catch (cause) {
      this.failure = BackendError.of(cause);
      this.#begin();
    }
  }

  async #take(frame: RigFrame): Promise<void> {
    this.#cameAt = performance.now();
    if (this.#page.visibilityState === "visible") {
      this.frame = frame;
      this.silentMs = 0;
      this.#expect();
      // The DOM holds the frame after this; a repaint would never come to a page that was hidden meanwhile.
      await tick();
    } else {
      this.#held = frame;
    }
    this.#begin();
    // A refusal needs no word here: without the acknowledgement no frame comes, and the page shows that.
    await this.#backend.acknowledgeRig(frame.number).catch(() => undefined);
  }

  #seen(visible: boolean): void {
    clearTimeout(this.#timer);
    if (visible) {
      this.frame = this.#held ?? this.frame;
      this.#held = null;
      const since = performance.now() - this.#cameAt;
      this.silentMs = since > LATE_MS ? since : 0;
      this.#expect();
    }
    void this.#backend.pageVisible(visible).catch((cause: unknown) => {
      this.failure = BackendError.of(cause);
    });
  }

  /** Waits for the next frame, and ages what is shown while it does not come. */
  #expect(): void {
    clearTimeout(this.#timer);
    const late = () => {
      this.silentMs = performance.now() - this.#cameAt;
      this.#timer = setTimeout(late, AGE_EVERY_MS);
    };
    this.#timer = setTimeout(late, LATE_MS);
  }
}
