import { expect, test } from "vitest";
import { speak } from "../i18n/locale.svelte";
import { heatOf, heatWord } from "./heat";

test.each([
  [-5, 0],
  [49, 0],
  [50, 1],
  [69, 1],
  [70, 2],
  [79, 2],
  [80, 3],
  [84, 3],
  [85, 4],
  [110, 4],
] as const)("%i °C is of step %i", (celsius, heat) => {
  expect(heatOf(celsius)).toBe(heat);
});

test("each step has a word in both languages", () => {
  const words = () => ([0, 1, 2, 3, 4] as const).map(heatWord);
  expect(words()).toEqual(["cool", "normal", "warm", "hot", "very hot"]);
  speak("zh-CN");
  expect(words()).toEqual(["凉", "正常", "偏热", "高温", "过热"]);
});
