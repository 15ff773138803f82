/**
 * Recorded data as a `Backend`: the whole UI in an ordinary browser (`npm run build:recorded`), where the page tests run.
 *
 * The address says what is shown: `?scene=trouble` (a name of `SCENES`), `&lang=zh-cn`, `&theme=light`, and
 * `&fail=settings:no_answer,recent:bridge` for commands that are refused with a code.
 */
import { type Backend, BackendError, type FailureCode } from "../backend";
import type { Language } from "../types/Language";
import type { RigFrame } from "../types/RigFrame";
import type { Section } from "../types/Section";
import type { Settings } from "../types/Settings";
import type { SettingsPatch } from "../types/SettingsPatch";
import type { Theme } from "../types/Theme";
import { recentOf } from "./cards";
import { blockOf } from "./course";
import { energyOf, weekOf } from "./energy";
import { pageOf } from "./page";
import { marksOf } from "./past";
import { diskOf, SCENES } from "./scenes";

const FRAME_EVERY_MS = 1000;
const RECENT_STEP_MS = 10_000;

function defaults(): Settings {
  return {
    appearance: { language: "system", theme: "system", safe_rendering: false },
    reading: { nvml_library: null },
    money: { currency: "USD", zone: "UTC", day_begins: 0, tariff: null },
    history: { raw_days: 8, minute_days: 400 },
    power: { base_mw: null, psu_percent: null, meter: null },
  };
}

/** The backend of one page load. */
export function recordedBackend(search: string): Backend {
  const query = new URLSearchParams(search);
  const scene = SCENES[query.get("scene") ?? "calm"] ?? SCENES.calm;
  if (!scene) {
    throw new Error("there is no scene at all");
  }
  let frame: RigFrame = scene();
  let settings = defaults();
  settings.appearance.language = (query.get("lang") ?? "system") as Language;
  settings.appearance.theme = (query.get("theme") ?? "system") as Theme;
  const failures = new Map(
    (query.get("fail") ?? "").split(",").map((one) => one.split(":", 2) as [string, FailureCode]),
  );
  let visible = true;

  /** The answer, unless the address wants this command to fail. */
  function answer<T>(command: string, value: () => T): Promise<T> {
    const code = failures.get(command);
    return new Promise((resolve) => {
      if (code !== undefined) {
        // The field that a refused setting names; other commands have no use for it.
        throw new BackendError(code, `recorded refusal of ${command}`, "reading.nvml_library");
      }
      resolve(value());
    });
  }

  function change(patch: SettingsPatch): Settings {
    settings = { ...settings, ...patch };
    return settings;
  }

  function mark(uuid: string, own: boolean): void {
    const tiles = frame.tiles.map((tile) =>
      tile.uuid === uuid
        ? {
            ...tile,
            occupancy: own
              ? ({ usage: { kind: "own_job" }, source: "owner" } as const)
              : ({ usage: { kind: "idle" }, source: "processes" } as const),
          }
        : tile,
    );
    frame = { ...frame, tiles };
  }

  function forget(uuid: string): void {
    const tiles = frame.tiles.filter((tile) => tile.uuid !== uuid);
    const seats = new Set(tiles.map((tile) => tile.seat));
    const matters = frame.status.matters
      .map((matter) => ({ ...matter, seats: matter.seats.filter((seat) => seats.has(seat)) }))
      .filter((matter) => !matter.code.startsWith("card_") || matter.seats.length > 0);
    frame = { ...frame, tiles, status: { ...frame.status, matters, cards: tiles.length } };
  }

  return {
    about: () => answer("about", () => ({ name: "Fanfare", version: "0.0.0-recorded" })),
    subscribeRig: (onFrame) =>
      answer("subscribeRig", () => {
        const send = () => {
          if (visible) {
            frame = { ...frame, number: frame.number + 1 };
            onFrame(frame);
          }
        };
        setInterval(send, FRAME_EVERY_MS);
        send();
      }),
    acknowledgeRig: () => answer("acknowledgeRig", () => undefined),
    pageVisible: (now) =>
      answer("pageVisible", () => {
        visible = now;
      }),
    cardPage: (uuid) =>
      answer("cardPage", () => {
        const tile = frame.tiles.find((one) => one.uuid === uuid);
        if (!tile) {
          throw new BackendError("unknown_card", `no recorded card ${uuid}`);
        }
        return pageOf(tile);
      }),
    recent: () => answer("recent", () => ({ step_ms: RECENT_STEP_MS, cards: frame.tiles.map(recentOf) })),
    course: (question) => answer("course", () => blockOf(question)),
    marks: (uuid, fromMs, toMs) =>
      answer("marks", () => ({
        marks: marksOf(uuid).filter(({ at_ms }) => at_ms >= fromMs && at_ms < toMs),
        left_out: 0,
      })),
    energy: (fromMs, toMs) =>
      answer("energy", () => ({ cards: frame.tiles.flatMap(({ uuid }) => energyOf(uuid, fromMs, toMs)) })),
    week: (fromMs, toMs) =>
      answer("week", () => ({
        zone: settings.money.zone,
        cards: frame.tiles.flatMap(({ uuid }) => weekOf(uuid, fromMs, toMs)),
      })),
    historyUsage: () =>
      answer("historyUsage", () => ({
        file_bytes: 24_600_000,
        sample_bytes_a_day: 2_050_000,
        minute_bytes_a_day: 41_000,
        hours_bytes: 9_000,
        compacting_since_ms: null,
        compacting_failed: false,
      })),
    compactHistory: () => answer("compactHistory", () => undefined),
    keepExport: (name, kind) => answer("keepExport", () => `/srv/rig/Downloads/${name}.${kind}`),
    engineInfo: () =>
      answer("engineInfo", () => ({
        profile: frame.profile,
        directory: "/srv/rig/.local/share/fanfare",
        holder: { pid: 2718, kind: "window", version: "0.1.0" },
        own: true,
        disk: diskOf(frame),
      })),
    settings: () => answer("settings", () => settings),
    changeSettings: (patch) => answer("changeSettings", () => change(patch)),
    resetSettings: (section: Section) =>
      answer("resetSettings", () => change({ [section]: defaults()[section] })),
    markOwnJob: (uuid, own) =>
      answer("markOwnJob", () => {
        mark(uuid, own);
      }),
    forgetCard: (uuid) =>
      answer("forgetCard", () => {
        forget(uuid);
      }),
    showProfile: (profile) =>
      answer("showProfile", () => {
        query.set("scene", profile === "demo" ? "demo" : "calm");
        location.search = query.toString();
      }),
  };
}
