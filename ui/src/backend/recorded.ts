/** Recorded data as a `Backend`: the whole UI in an ordinary browser (`npm run build:recorded`), where the page tests run. */
import type { Backend } from "./backend";

export const recordedBackend: Backend = {
  about: () => Promise.resolve({ name: "Fanfare", version: "0.0.0-recorded" }),
};
