/**
 * The language of the screen, as one piece of reactive state: a sentence read in a template is read again when it changes,
 * so that a change needs no reload.
 */
import type { Language } from "../backend/types/Language";
import { baseLocale, type Locale, overwriteGetLocale } from "../paraglide/runtime";

let current = $state<Locale>(baseLocale);
overwriteGetLocale(() => current);

/** The language in force, as a tag that `Intl` knows. */
export function locale(): Locale {
  return current;
}

/** Speaks this language from now on, also to assistive technology. */
export function speak(next: Locale): void {
  current = next;
  document.documentElement.lang = next;
}

/** The catalogue for the owner's choice on a machine with these languages. */
export function chosenLocale(choice: Language, languages: readonly string[]): Locale {
  switch (choice) {
    case "en":
      return "en";
    case "zh-cn":
      return "zh-CN";
    case "system":
      return pickLocale(languages);
  }
}

/**
 * The catalogue for a reader's languages, best first, as `navigator.languages` lists them (RFC 5646 tags).
 * Any Chinese gets 简体中文: a reader of 繁體 is nearer to it than to English. No match gives English.
 */
export function pickLocale(languages: readonly string[]): Locale {
  for (const tag of languages) {
    const primary = tag.toLowerCase().split(/[-_]/, 1)[0];
    if (primary === "zh") {
      return "zh-CN";
    }
    if (primary === "en") {
      return "en";
    }
  }
  return baseLocale;
}
