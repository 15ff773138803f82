import { baseLocale, type Locale } from "../paraglide/runtime";

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
