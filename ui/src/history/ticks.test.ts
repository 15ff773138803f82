import { expect, test } from "vitest";
import { speak } from "../i18n/locale.svelte";
import { tickText } from "./ticks";

/** In the machine's own zone, as the axis is read. */
const at = (day: number, hour: number, minute = 0, second = 0) =>
  new Date(2026, 10, day, hour, minute, second).getTime() / 1000;

test("the axis says the date where a day begins, and times elsewhere", () => {
  speak("en");
  expect(tickText(at(30, 0), at(29, 21), 10_800)).toBe("Nov 30");
  expect(tickText(at(30, 3), at(30, 0), 10_800)).toBe("03:00");
  expect(tickText(at(30, 3, 12, 7), at(30, 3, 12, 6), 1)).toBe("03:12:07");
  expect(tickText(at(30, 0), null, 86_400)).toBe("Nov 30");
  expect(tickText(at(1, 0), null, 86_400 * 61)).toBe("Nov 2026");
});

test("the axis speaks 简体中文", () => {
  speak("zh-CN");
  expect(tickText(at(30, 0), at(29, 21), 10_800)).toBe("11月30日");
  expect(tickText(at(30, 3), at(30, 0), 10_800)).toBe("03:00");
});
