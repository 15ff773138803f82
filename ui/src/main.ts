// The shim comes first: what is imported below formats numbers with the language it mends.
import "./shims/language";
import "./styles/font.css";
import "./styles/tokens.css";
import "./styles/base.css";

import { mount } from "svelte";
import App from "./App.svelte";
import type { Backend } from "./backend/backend";
import { recordedBackend } from "./backend/recorded/recorded";
import { tauriBackend } from "./backend/tauri";
import { RigFeed } from "./rig/feed.svelte";
import { SYSTEM_LOOK, wear } from "./settings/look";
import { SettingsStore } from "./settings/store.svelte";

/**
 * The page waits so long for its language, its theme and the first frame, so that it need not be drawn twice; then it looks as the
 * system does, and says that it waits.
 */
const FIRST_LIMIT_MS = 300;

/** Chosen when the page is built: what the other one needs is left out. */
function backendOfThisBuild(): Backend {
  return import.meta.env.MODE === "recorded" ? recordedBackend(location.search) : tauriBackend;
}

async function start(target: HTMLElement): Promise<void> {
  const backend = backendOfThisBuild();
  const store = new SettingsStore(backend);
  const feed = new RigFeed(backend, document);
  feed.start();
  const limit = new Promise((resolve) => setTimeout(resolve, FIRST_LIMIT_MS));
  await Promise.race([Promise.all([store.load(), feed.begun]), limit]);
  wear(store.settings?.appearance ?? SYSTEM_LOOK);
  mount(App, { target, props: { backend, store, feed } });
}

const target = document.getElementById("app");
if (!target) {
  throw new Error("index.html has no #app");
}
void start(target);
