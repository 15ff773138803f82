/** The shell's commands as a `Backend`. No other file of the UI imports `@tauri-apps/*` (a lint rule holds it). */
import { invoke } from "@tauri-apps/api/core";
import { type About, type Backend, BackendError } from "./backend";

async function call<T>(command: string): Promise<T> {
  try {
    return await invoke<T>(command);
  } catch (cause) {
    throw new BackendError("bridge", typeof cause === "string" ? cause : JSON.stringify(cause));
  }
}

export const tauriBackend: Backend = {
  about: () => call<About>("about"),
};
