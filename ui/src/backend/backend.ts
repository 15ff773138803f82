/** What the UI may ask of the app. Two implementations exist: the shell's (`tauri.ts`) and recorded data (`recorded.ts`). */
import type { About } from "./types/About";

export type { About };

/** What went wrong, for the program; `errorSentence` says it to a person. `bridge`: the shell refused or did not answer. */
export type ErrorCode = "bridge";

/** The one error of a `Backend`. `detail` is for logs and bug reports, and is never parsed. */
export class BackendError extends Error {
  readonly code: ErrorCode;
  readonly detail: string;

  constructor(code: ErrorCode, detail: string) {
    super(`${code}: ${detail}`);
    this.name = "BackendError";
    this.code = code;
    this.detail = detail;
  }
}

export interface Backend {
  /** The product's name and version. Rejects with a `BackendError`. */
  about(): Promise<About>;
}
