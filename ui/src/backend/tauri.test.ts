import { clearMocks, mockIPC } from "@tauri-apps/api/mocks";
import { afterEach, expect, test, vi } from "vitest";
import type { Backend } from "./backend";
import type { RigFrame } from "./types/RigFrame";
import { SCENES } from "./recorded/scenes";
import { tauriBackend } from "./tauri";

afterEach(() => {
  vi.useRealTimers();
  clearMocks();
});

/** Every command with the arguments that the shell reads by name; the subscription has a test of its own. */
const CALLS: [string, unknown, (backend: Backend) => Promise<unknown>][] = [
  ["about", undefined, (backend) => backend.about()],
  ["rig_acknowledge", { number: 7 }, (backend) => backend.acknowledgeRig(7)],
  ["page_visible", { visible: false }, (backend) => backend.pageVisible(false)],
  ["card_page", { uuid: "GPU-1" }, (backend) => backend.cardPage("GPU-1")],
  ["recent", undefined, (backend) => backend.recent()],
  ["engine_info", undefined, (backend) => backend.engineInfo()],
  ["settings", undefined, (backend) => backend.settings()],
  ["change_settings", { patch: {} }, (backend) => backend.changeSettings({})],
  ["reset_settings", { section: "money" }, (backend) => backend.resetSettings("money")],
  ["mark_own_job", { uuid: "GPU-1", own: true }, (backend) => backend.markOwnJob("GPU-1", true)],
  ["forget_card", { uuid: "GPU-1" }, (backend) => backend.forgetCard("GPU-1")],
  ["show_profile", { profile: "demo" }, (backend) => backend.showProfile("demo")],
];

test("each question asks the shell's command of its name with the arguments it reads", async () => {
  const asked: [string, unknown][] = [];
  mockIPC((command, args) => {
    asked.push([command, args]);
    return "answer";
  });
  for (const [command, args, call] of CALLS) {
    await expect(call(tauriBackend)).resolves.toBe("answer");
    expect(asked.at(-1)).toEqual([command, args ?? {}]);
  }
});

test("a file for the owner goes as bytes, with its name and kind beside it", async () => {
  mockIPC((command, args) => {
    expect([command, args]).toEqual(["keep_export", new Uint8Array([1, 2])]);
    return "/srv/rig/Downloads/a.csv";
  });
  const internals = (window as unknown as { __TAURI_INTERNALS__: Record<string, unknown> })
    .__TAURI_INTERNALS__;
  const invoke = vi.fn(internals.invoke as (...args: unknown[]) => unknown);
  internals.invoke = invoke;
  const path = await tauriBackend.keepExport("a", "csv", new Uint8Array([1, 2]));
  expect(path).toBe("/srv/rig/Downloads/a.csv");
  expect(invoke.mock.lastCall?.[2]).toEqual({ headers: { "Fanfare-Name": "a", "Fanfare-Kind": "csv" } });
});

test("a frame that comes in parts reaches the page whole, and only then", async () => {
  let channel: { id: number } | undefined;
  mockIPC((command, args) => {
    expect(command).toBe("rig_subscribe");
    channel = (args as { channel: { id: number } }).channel;
  });
  const frames: RigFrame[] = [];
  await tauriBackend.subscribeRig((frame) => frames.push(frame));
  const whole = SCENES.calm?.();
  if (!channel || !whole) {
    throw new Error("no channel was passed, or there is no frame to send");
  }
  const send = (index: number, message: unknown) => {
    const internals = (window as unknown as { __TAURI_INTERNALS__: Record<string, unknown> })
      .__TAURI_INTERNALS__;
    (internals.runCallback as (id: number, payload: unknown) => void)(channel?.id ?? 0, { index, message });
  };
  send(0, { part: "head", frame: { ...whole, tiles: whole.tiles.slice(0, 3) }, more: 1 });
  expect(frames).toEqual([]);
  send(1, { part: "tiles", number: whole.number, tiles: whole.tiles.slice(3), more: 0 });
  expect(frames).toEqual([whole]);
});

test("a refusal by the engine keeps its code, and the words for a report", async () => {
  mockIPC(() => {
    throw { code: "bad_setting", message: "no such zone", detail: "money.zone" }; // eslint-disable-line @typescript-eslint/only-throw-error -- Tauri rejects with what the command returned
  });
  await expect(tauriBackend.changeSettings({})).rejects.toMatchObject({
    code: "bad_setting",
    message: "no such zone",
    detail: "money.zone",
  });
});

test("a refusal by the shell is a bridge error that keeps the shell's words", async () => {
  mockIPC(() => {
    throw "about not allowed by ACL"; // eslint-disable-line @typescript-eslint/only-throw-error -- Tauri rejects with a string
  });
  await expect(tauriBackend.about()).rejects.toMatchObject({
    code: "bridge",
    message: "about not allowed by ACL",
  });
});

test("a code that this page does not know is a bridge error, not a sentence without words", async () => {
  mockIPC(() => {
    throw { code: "from_the_future", message: "x", detail: null }; // eslint-disable-line @typescript-eslint/only-throw-error -- as above
  });
  await expect(tauriBackend.settings()).rejects.toMatchObject({ code: "bridge" });
});

test("a command that never answers is refused after ten seconds", async () => {
  vi.useFakeTimers();
  mockIPC(() => new Promise(() => undefined));
  const asked = expect(tauriBackend.recent()).rejects.toMatchObject({ code: "no_answer" });
  await vi.advanceTimersByTimeAsync(10_000);
  await asked;
});
