/**
 * WebKitGTK reports `navigator.language` as "C" when a program is started with `LANG=C` or `C.UTF-8`, as over SSH or from
 * systemd. "C" is no language tag: `new Intl.NumberFormat("C")` throws, and a library that formats a number while it is
 * imported leaves a blank window with no message. This module must therefore be the first import of the page.
 */

/** Whether `Intl` accepts the tag. */
export function isLanguageTag(tag: string): boolean {
  try {
    new Intl.NumberFormat(tag);
    return true;
  } catch {
    return false;
  }
}

/** Replaces a language that `Intl` refuses, on the given navigator, by American English. Leaves a good one alone. */
export function mendLanguage(nav: Navigator): void {
  if (isLanguageTag(nav.language)) {
    return;
  }
  const good = nav.languages.filter(isLanguageTag);
  const languages = good.length > 0 ? good : ["en-US"];
  Object.defineProperty(nav, "language", { value: languages[0], configurable: true });
  Object.defineProperty(nav, "languages", { value: Object.freeze(languages), configurable: true });
}

mendLanguage(navigator);
