import { expect, test } from "vitest";
import en from "../../messages/en.json";
import zh from "../../messages/zh-CN.json";
import { pickLocale } from "./locale.svelte";

test.each([
  [["zh-CN", "en"], "zh-CN"],
  [["zh"], "zh-CN"],
  [["zh-Hans-SG"], "zh-CN"],
  [["zh_CN"], "zh-CN"],
  [["de-DE", "zh-TW"], "zh-CN"],
  [["en-GB", "zh-CN"], "en"],
  [["fr", "de"], "en"],
  [[], "en"],
] as const)("%j reads the catalogue %s", (languages, locale) => {
  expect(pickLocale(languages)).toBe(locale);
});

// A key that only one catalogue has compiles, and would show English to a Chinese reader.
test("both catalogues have the same keys and no empty sentence", () => {
  expect(Object.keys(zh)).toEqual(Object.keys(en));
  for (const sentence of [...Object.values(en), ...Object.values(zh)]) {
    expect(sentence.trim()).not.toBe("");
  }
});

test("every sentence is shown somewhere", () => {
  const sources = import.meta.glob<string>(["../**/*.{svelte,ts}", "!../paraglide/**", "!../**/*.test.ts"], {
    query: "?raw",
    import: "default",
    eager: true,
  });
  const text = Object.values(sources).join("\n");
  const used = new Set([...text.matchAll(/\bm\.(\w+)/g)].map(([, key]) => key));
  const unused = Object.keys(en).filter((key) => !key.startsWith("$") && !used.has(key));
  expect(unused).toEqual([]);
});
