import { expect, test } from "vitest";
import { mendLanguage } from "./language";

const navigatorWith = (language: string, languages: string[]) =>
  ({ language, languages }) as unknown as Navigator;

test("the language of a program started with LANG=C becomes one that Intl accepts", () => {
  const nav = navigatorWith("C", ["C"]);
  mendLanguage(nav);
  expect(nav.language).toBe("en-US");
  expect(nav.languages).toEqual(["en-US"]);
  expect(() => new Intl.NumberFormat(nav.language)).not.toThrow();
});

test("a language that Intl accepts stays", () => {
  const nav = navigatorWith("zh-CN", ["zh-CN", "en"]);
  mendLanguage(nav);
  expect(nav.language).toBe("zh-CN");
  expect(nav.languages).toEqual(["zh-CN", "en"]);
});

test("a good second language is preferred to the fallback", () => {
  const nav = navigatorWith("C", ["C", "zh-CN"]);
  mendLanguage(nav);
  expect(nav.language).toBe("zh-CN");
});
