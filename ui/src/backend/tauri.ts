/** The shell's commands as a `Backend`. No other file of the UI imports `@tauri-apps/*` (a lint rule holds it). */
import { Channel, invoke, type InvokeArgs, type InvokeOptions } from "@tauri-apps/api/core";
import { type Backend, BackendError } from "./backend";
import { FrameJoin } from "./join";
import type { FramePart } from "./types/FramePart";

/** The shell answers within milliseconds; its own waits for another process end after 5 s. */
const ANSWER_LIMIT_MS = 10_000;

async function call<T>(command: string, args?: InvokeArgs, options?: InvokeOptions): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new BackendError("no_answer", `${command}: no answer within ${ANSWER_LIMIT_MS} ms`));
    }, ANSWER_LIMIT_MS);
  });
  try {
    return await Promise.race([invoke<T>(command, args, options), limit]);
  } catch (cause) {
    throw BackendError.of(cause);
  } finally {
    clearTimeout(timer);
  }
}

export const tauriBackend: Backend = {
  about: () => call("about"),
  subscribeRig: (onFrame) => {
    const join = new FrameJoin();
    const channel = new Channel<FramePart>((part) => {
      const frame = join.take(part);
      if (frame) {
        onFrame(frame);
      }
    });
    return call("rig_subscribe", { channel });
  },
  acknowledgeRig: (number) => call("rig_acknowledge", { number }),
  pageVisible: (visible) => call("page_visible", { visible }),
  cardPage: (uuid) => call("card_page", { uuid }),
  recent: () => call("recent"),
  course: (question) => call("course", { question }),
  marks: (uuid, fromMs, toMs) => call("marks", { uuid, fromMs, toMs }),
  energy: (fromMs, toMs) => call("energy", { fromMs, toMs }),
  week: (fromMs, toMs) => call("week", { fromMs, toMs }),
  historyUsage: () => call("history_usage"),
  compactHistory: () => call("compact_history"),
  // A body of bytes leaves no room for arguments; they go as headers.
  keepExport: (name, kind, bytes) =>
    call("keep_export", bytes, { headers: { "Fanfare-Name": name, "Fanfare-Kind": kind } }),
  engineInfo: () => call("engine_info"),
  settings: () => call("settings"),
  changeSettings: (patch) => call("change_settings", { patch }),
  resetSettings: (section) => call("reset_settings", { section }),
  markOwnJob: (uuid, own) => call("mark_own_job", { uuid, own }),
  forgetCard: (uuid) => call("forget_card", { uuid }),
  showProfile: (profile) => call("show_profile", { profile }),
};
