// The shim comes first: what is imported below formats numbers with the language it mends.
import "./shims/language";
import "./styles/font.css";
import "./styles/tokens.css";
import "./styles/base.css";

import { mount } from "svelte";
import App from "./App.svelte";
import type { Backend } from "./backend/backend";
import { SYSTEM_LOOK, wear } from "./settings/look";
import { SettingsStore } from "./settings/store.svelte";

/** The page waits so long for its language and theme, so that it need not be drawn twice; then it looks as the system does. */
const LOOK_LIMIT_MS = 300;

/** Chosen when the page is built, so that the shipped page carries no recorded data. */
async function backendOfThisBuild(): Promise<Backend> {
  if (import.meta.env.MODE === "recorded") {
    return (await import("./backend/recorded/recorded")).recordedBackend(location.search);
  }
  return (await import("./backend/tauri")).tauriBackend;
}

async function start(target: HTMLElement): Promise<void> {
  const backend = await backendOfThisBuild();
  const store = new SettingsStore(backend);
  const limit = new Promise((resolve) => setTimeout(resolve, LOOK_LIMIT_MS));
  await Promise.race([store.load(), limit]);
  wear(store.settings?.appearance ?? SYSTEM_LOOK);
  mount(App, { target, props: { backend, store } });
}

const target = document.getElementById("app");
if (!target) {
  throw new Error("index.html has no #app");
}
void start(target);
