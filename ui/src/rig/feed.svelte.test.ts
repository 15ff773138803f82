import { flushSync } from "svelte";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { type Backend, BackendError } from "../backend/backend";
import { recordedBackend } from "../backend/recorded/recorded";
import { SCENES } from "../backend/recorded/scenes";
import type { RigFrame } from "../backend/types/RigFrame";
import { RigFeed } from "./feed.svelte";

/** A page whose visibility the test sets. */
class Page extends EventTarget {
  visibilityState: DocumentVisibilityState = "visible";

  become(state: DocumentVisibilityState): void {
    this.visibilityState = state;
    this.dispatchEvent(new Event("visibilitychange"));
  }
}

const asDocument = (page: Page) => page as unknown as Document;

function frame(number: number): RigFrame {
  const calm = SCENES.calm?.();
  if (!calm) {
    throw new Error("there is no calm scene");
  }
  return { ...calm, number };
}

/** A backend that records what it was told, and whose frames the test sends. */
function wired() {
  const told: string[] = [];
  let send: (frame: RigFrame) => void = () => {
    throw new Error("nobody has subscribed");
  };
  const backend: Backend = {
    ...recordedBackend(""),
    subscribeRig: (onFrame) => {
      send = onFrame;
      return Promise.resolve();
    },
    acknowledgeRig: (number) => {
      told.push(`acknowledged ${number}`);
      return Promise.resolve();
    },
    pageVisible: (visible) => {
      told.push(visible ? "visible" : "hidden");
      return Promise.resolve();
    },
  };
  return {
    backend,
    told,
    send: (next: RigFrame) => {
      send(next);
    },
  };
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test("it has begun with the first frame, or once there is no subscription", async () => {
  const { backend, send } = wired();
  const feed = new RigFeed(backend, asDocument(new Page()));
  onTestFinished(feed.start());
  const begun = vi.fn();
  void feed.begun.then(begun);
  await vi.advanceTimersByTimeAsync(1000);
  expect(begun).not.toHaveBeenCalled();
  send(frame(1));
  await feed.begun;

  const refused = new RigFeed(recordedBackend("?fail=subscribeRig:bridge"), asDocument(new Page()));
  onTestFinished(refused.start());
  await refused.begun;
  expect(refused.failure?.code).toBe("bridge");
});

test("a frame is shown first and acknowledged after", async () => {
  const { backend, told, send } = wired();
  const feed = new RigFeed(backend, asDocument(new Page()));
  const stop = feed.start();
  send(frame(1));
  expect(feed.frame?.number).toBe(1);
  expect(told).toEqual([]);
  await vi.advanceTimersByTimeAsync(0);
  expect(told).toEqual(["acknowledged 1"]);
  stop();
});

test("a hidden page says so, draws nothing, and shows the newest frame when it is seen again", async () => {
  const { backend, told, send } = wired();
  const page = new Page();
  const feed = new RigFeed(backend, asDocument(page));
  const stop = feed.start();
  await vi.advanceTimersByTimeAsync(0);
  send(frame(1));
  await vi.advanceTimersByTimeAsync(0);
  page.become("hidden");
  send(frame(2));
  send(frame(3));
  await vi.advanceTimersByTimeAsync(0);
  expect(feed.frame?.number).toBe(1);
  page.become("visible");
  expect(feed.frame?.number).toBe(3);
  await vi.advanceTimersByTimeAsync(0);
  expect(told).toEqual(["acknowledged 1", "hidden", "acknowledged 2", "acknowledged 3", "visible"]);
  stop();
});

test("ten thousand frames to a hidden page draw nothing and leave one", async () => {
  const { backend, told, send } = wired();
  const page = new Page();
  const feed = new RigFeed(backend, asDocument(page));
  const stop = feed.start();
  send(frame(1));
  flushSync();
  page.become("hidden");
  let drawn = 0;
  const end = $effect.root(() => {
    $effect(() => {
      if (feed.frame) {
        drawn += 1;
      }
    });
  });
  flushSync();
  drawn = 0;
  for (let number = 2; number <= 10_001; number += 1) {
    send(frame(number));
  }
  flushSync();
  expect(drawn).toBe(0);
  page.become("visible");
  flushSync();
  expect(drawn).toBe(1);
  expect(feed.frame?.number).toBe(10_001);
  await vi.advanceTimersByTimeAsync(0);
  expect(told.filter((word) => word.startsWith("acknowledged"))).toHaveLength(10_001);
  end();
  stop();
});

test("values age by themselves while no frame comes, and are fresh with the next", async () => {
  const { backend, send } = wired();
  const feed = new RigFeed(backend, asDocument(new Page()));
  const stop = feed.start();
  send(frame(1));
  await vi.advanceTimersByTimeAsync(1400);
  expect(feed.silentMs).toBe(0);
  await vi.advanceTimersByTimeAsync(2200);
  // The timer looks 1.5 s after the frame and each second from then on: last at 3.5 s.
  expect(feed.silentMs).toBe(3500);
  send(frame(2));
  expect(feed.silentMs).toBe(0);
  stop();
});

test("a refused subscription is kept as a failure with its code", async () => {
  const { backend } = wired();
  backend.subscribeRig = () => Promise.reject(new BackendError("not_started", "no engine"));
  const feed = new RigFeed(backend, asDocument(new Page()));
  const stop = feed.start();
  await vi.advanceTimersByTimeAsync(0);
  expect(feed.failure?.code).toBe("not_started");
  expect(feed.frame).toBeNull();
  stop();
});

test("a page that starts hidden says so once it has subscribed", async () => {
  const { backend, told } = wired();
  const page = new Page();
  page.visibilityState = "hidden";
  const stop = new RigFeed(backend, asDocument(page)).start();
  await vi.advanceTimersByTimeAsync(0);
  expect(told).toEqual(["hidden"]);
  stop();
});
