/** What the UI may ask of the app. Two implementations exist: the shell's (`tauri.ts`) and recorded data (`recorded/`). */
import type { About } from "./types/About";
import type { ApiError } from "./types/ApiError";
import type { CardPage } from "./types/CardPage";
import type { CourseQuestion } from "./types/CourseQuestion";
import type { EnergyReport } from "./types/EnergyReport";
import type { EngineInfo } from "./types/EngineInfo";
import type { ErrorCode } from "./types/ErrorCode";
import type { HistoryUsage } from "./types/HistoryUsage";
import type { Marks } from "./types/Marks";
import type { Profile } from "./types/Profile";
import type { Recent } from "./types/Recent";
import type { RigFrame } from "./types/RigFrame";
import type { Section } from "./types/Section";
import type { Settings } from "./types/Settings";
import type { SettingsPatch } from "./types/SettingsPatch";
import type { WeekReport } from "./types/WeekReport";

/** What went wrong, for the program. `bridge`: the shell refused or did not answer at all. */
export type FailureCode = ErrorCode | "bridge";

/** The one error of a `Backend`. `message` and `detail` are for logs and reports, and are never parsed. */
export class BackendError extends Error {
  readonly code: FailureCode;
  readonly detail: string | null;

  constructor(code: FailureCode, message: string, detail: string | null = null) {
    super(message);
    this.name = "BackendError";
    this.code = code;
    this.detail = detail;
  }

  /** The error as such if it is one; whatever else was thrown came from the bridge. */
  static of(cause: unknown): BackendError {
    if (cause instanceof BackendError) {
      return cause;
    }
    if (isApiError(cause)) {
      return new BackendError(cause.code, cause.message, cause.detail);
    }
    return new BackendError("bridge", typeof cause === "string" ? cause : JSON.stringify(cause));
  }
}

/** The compiler asks for an entry as soon as the engine knows another code. */
const ERROR_CODES: Record<ErrorCode, true> = {
  unknown_card: true,
  bad_setting: true,
  not_stored: true,
  not_readable: true,
  too_much: true,
  not_exported: true,
  no_answer: true,
  holder_silent: true,
  other_version: true,
  other_user: true,
  ending: true,
  not_started: true,
};

function isApiError(cause: unknown): cause is ApiError {
  if (typeof cause !== "object" || cause === null || !("code" in cause) || typeof cause.code !== "string") {
    return false;
  }
  return Object.hasOwn(ERROR_CODES, cause.code);
}

/** What a file for the owner is; also how its name ends. */
export type ExportKind = "csv" | "png";

/** Every call rejects with a `BackendError`, and none waits for ever. */
export interface Backend {
  /** The product's name and version. */
  about(): Promise<About>;
  /**
   * Subscribes the page to the rig's frames, the newest one first. A subscription ends with its page; the page subscribes
   * once. Resolves when the subscription stands.
   */
  subscribeRig(onFrame: (frame: RigFrame) => void): Promise<void>;
  /** Tells that the frame of this number is on the screen, so that the next may come. */
  acknowledgeRig(number: number): Promise<void>;
  /** Tells whether anybody can see the page. While nobody can, no frame comes. */
  pageVisible(visible: boolean): Promise<void>;
  /** All quantities of a card. */
  cardPage(uuid: string): Promise<CardPage>;
  /** The temperatures of the last half hour. */
  recent(): Promise<Recent>;
  /** The course of quantities of cards, as the block that `fanfare-history`'s `pack` lays out. */
  course(question: CourseQuestion): Promise<ArrayBuffer>;
  /** What the driver reported of a card between two moments. */
  marks(uuid: string, fromMs: number, toMs: number): Promise<Marks>;
  /** The energy of every card in the hours of UTC between two moments. */
  energy(fromMs: number, toMs: number): Promise<EnergyReport>;
  /** What cards did by the hour of the week between two moments. */
  week(fromMs: number, toMs: number): Promise<WeekReport>;
  /** What the history takes on the disk. */
  historyUsage(): Promise<HistoryUsage>;
  /** Begins to give free room of the history back to the disk. */
  compactHistory(): Promise<void>;
  /**
   * Writes a file for the owner into the download folder and answers where it lies. `name` is of letters, digits, `.`, `_` and `-`,
   * without an ending; where such a file is already, a number is added. At most 32 MiB.
   */
  keepExport(name: string, kind: ExportKind, bytes: Uint8Array): Promise<string>;
  /** Who holds the data directory, and where it is. */
  engineInfo(): Promise<EngineInfo>;
  settings(): Promise<Settings>;
  /** Changes what the patch names, and answers with all settings as they now are. */
  changeSettings(patch: SettingsPatch): Promise<Settings>;
  /** Gives a section its defaults back, and answers with all settings as they now are. */
  resetSettings(section: Section): Promise<Settings>;
  /** The owner says whether a card does own work. */
  markOwnJob(uuid: string, own: boolean): Promise<void>;
  /** The owner says that a card is gone for good. */
  forgetCard(uuid: string): Promise<void>;
  /** Starts the app again with the other rig. */
  showProfile(profile: Profile): Promise<void>;
}
