import { expect, test } from "vitest";
import { age, bytes, clockTime, decimal, gibOf, watts } from "./format";
import { speak } from "./locale.svelte";

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const DAY = 24 * HOUR;

test.each([
  [0, "0.0 s", "0.0 秒"],
  [640, "0.6 s", "0.6 秒"],
  [9_949, "9.9 s", "9.9 秒"],
  [14_000, "14 s", "14 秒"],
  [119_999, "119 s", "119 秒"],
  [120_000, "2 min", "2 分钟"],
  [7_199_000, "119 min", "119 分钟"],
  [2 * HOUR, "2 h", "2 小时"],
  [2 * DAY - SECOND, "47 h", "47 小时"],
  [3 * DAY, "3 d", "3 天"],
] as const)("an age of %i ms reads %s and %s", (milliseconds, english, chinese) => {
  expect(age(milliseconds)).toBe(english);
  speak("zh-CN");
  expect(age(milliseconds)).toBe(chinese);
});

test("watts are whole, bytes are of the unit that reads best, with no-break spaces", () => {
  expect(watts(107_600)).toBe("108\u00a0W");
  expect(bytes(254 * 2 ** 20)).toBe("254\u00a0MiB");
  expect(bytes(8188 * 2 ** 20)).toBe("8.00\u00a0GiB");
  expect(gibOf(7372 * 2 ** 20, 8188 * 2 ** 20)).toBe("7.2 / 8.0\u00a0GiB");
  expect(decimal(12_345)).toBe("12,345");
});

test("a moment of today is a time, an older one has its date", () => {
  const now = new Date(2026, 10, 30, 12, 0, 0).getTime();
  expect(clockTime(new Date(2026, 10, 30, 3, 12, 7).getTime(), now)).toBe("03:12:07");
  expect(clockTime(new Date(2026, 10, 27, 3, 12, 0).getTime(), now)).toBe("Nov 27, 2026, 03:12");
  speak("zh-CN");
  expect(clockTime(new Date(2026, 10, 27, 3, 12, 0).getTime(), now)).toBe("2026年11月27日 03:12");
});
