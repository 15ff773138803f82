/** Puts the owner's language and theme onto the page. */
import type { Appearance } from "../backend/types/Appearance";
import { chosenLocale, speak } from "../i18n/locale.svelte";

/** Before the settings are known, the page looks as the system does. */
export const SYSTEM_LOOK: Pick<Appearance, "language" | "theme"> = { language: "system", theme: "system" };

export function wear({ language, theme }: Pick<Appearance, "language" | "theme">): void {
  speak(chosenLocale(language, navigator.languages));
  if (theme === "system") {
    delete document.documentElement.dataset.theme;
  } else {
    document.documentElement.dataset.theme = theme;
  }
}
