/** What can be chosen from: the browser's own lists of currencies and zones, which follow ISO 4217 and the IANA database. */

export interface Currency {
  code: string;
  name: string;
}

/** Currencies with their names in a language, by code. The chosen one is there even if the browser does not list it. */
export function currencies(locale: string, chosen: string): Currency[] {
  const names = new Intl.DisplayNames(locale, { type: "currency" });
  return withChosen(Intl.supportedValuesOf("currency"), chosen).map((code) => ({
    code,
    name: names.of(code) ?? code,
  }));
}

/** Zones by name. UTC, which the browser leaves out, and the chosen one are there. */
export function zones(chosen: string): string[] {
  return withChosen(["UTC", ...Intl.supportedValuesOf("timeZone")], chosen);
}

function withChosen(values: string[], chosen: string): string[] {
  return [...new Set([...values, chosen])].sort();
}
