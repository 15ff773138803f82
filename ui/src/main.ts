// The shim comes first: what is imported below formats numbers with the language it mends.
import "./shims/language";
import "./styles/tokens.css";
import "./styles/base.css";

import { mount } from "svelte";
import App from "./App.svelte";
import type { Backend } from "./backend/backend";
import { pickLocale } from "./i18n/locale";
import { setLocale } from "./paraglide/runtime";

/** Chosen when the page is built, so that the shipped page carries no recorded data. */
async function backendOfThisBuild(): Promise<Backend> {
  if (import.meta.env.MODE === "recorded") {
    return (await import("./backend/recorded")).recordedBackend;
  }
  return (await import("./backend/tauri")).tauriBackend;
}

async function start(target: HTMLElement): Promise<void> {
  const locale = pickLocale(navigator.languages);
  // The page is not drawn yet, so nothing has to be reloaded.
  await setLocale(locale, { reload: false });
  document.documentElement.lang = locale;
  mount(App, { target, props: { backend: await backendOfThisBuild() } });
}

const target = document.getElementById("app");
if (!target) {
  throw new Error("index.html has no #app");
}
void start(target);
