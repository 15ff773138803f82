import { expect, test } from "vitest";
import { AT_MS, card, uuidOf } from "../backend/recorded/cards";
import { blockOf } from "../backend/recorded/course";
import { pageOf } from "../backend/recorded/page";
import { courseOf } from "./block";
import { CARD_QUANTITIES, curvesOf, limitsOf, PLOTS, plotsOf, scaleOf } from "./plots";

const DAY_MS = 86_400_000;

function plotsOfSeat(seat: number) {
  const question = {
    uuids: [uuidOf(seat)],
    quantities: [...CARD_QUANTITIES],
    from_ms: AT_MS - DAY_MS,
    to_ms: AT_MS,
    points: 200,
  };
  return plotsOf(curvesOf(courseOf(blockOf(question), CARD_QUANTITIES.length)));
}

test("a card with a power sensor has nothing estimated", () => {
  const power = plotsOfSeat(1).find(({ spec }) => spec.id === "power");
  expect(power?.estimate).toBeNull();
  expect(power?.lines[0]?.line.mean.some((value) => value !== null)).toBe(true);
});

test("a card without one has estimates alone, and gaps where nothing was read", () => {
  const power = plotsOfSeat(2).find(({ spec }) => spec.id === "power");
  expect(power?.lines[0]?.line.mean.every((value) => value === null)).toBe(true);
  expect(power?.estimate?.some((value) => value !== null)).toBe(true);
  expect(power?.estimate?.some((value) => value === null)).toBe(true);
});

test("a scale keeps its ends, and is widened by what lies beyond", () => {
  const [temperature] = PLOTS;
  const line = (least: number, most: number) => ({
    min: [least, null],
    max: [most, null],
    mean: [],
    lonely: [],
  });
  expect(temperature && scaleOf(temperature, [line(40, 70)])).toEqual([20, 100]);
  expect(temperature && scaleOf(temperature, [line(12, 120)])).toEqual([10, 126]);
  expect(temperature && scaleOf(temperature, [])).toEqual([20, 100]);
});

test("limits are those that the card tells, and none before it was asked", () => {
  expect(limitsOf(pageOf(card(1))).map(({ value }) => value)).toEqual([83, 94]);
  expect(limitsOf(null)).toEqual([]);
});
