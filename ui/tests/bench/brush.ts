/**
 * Drags the brush over the Card view in Chromium and keeps a trace of each drag; `fanfare-bench` reads them.
 *
 * The window is so wide that a plot has the 2,000 points that the history answers at most, of a year. The drag is not let go: a range
 * that is drawn asks the backend anew, and the recorded one makes its answer in the page itself, which no product does.
 */
import { join } from "node:path";
import type { Page } from "playwright-core";
import { uuidOf } from "../../src/backend/recorded/cards";
import { Desk, LAPTOP, type Look, open } from "../page/browser";

/** Drags, each with a trace of its own. */
const ROUNDS = 15;
/** Steps of the pointer in a drag. */
const STEPS = 90;
/** CSS pixels of a step. */
const STEP = 8;
const WIDE = { ...LAPTOP, width: 2720 };
const LOOK: Look = { lang: "en", theme: "dark" };
/** What the main thread works on, and when a frame begins. */
const CATEGORIES = [
  "disabled-by-default-devtools.timeline",
  "devtools.timeline.frame",
  "disabled-by-default-devtools.timeline.frame",
];

/** Writes `0.json` to `14.json` into a folder that is there. */
export async function record(folder: string): Promise<void> {
  const desk = await Desk.setUp();
  try {
    const context = await desk.context(WIDE);
    const page = await context.newPage();
    await open(page, desk.url(LOOK, "calm", `#/card/${uuidOf(1)}`));
    await showYear(page);
    for (let round = 0; round < ROUNDS; round += 1) {
      await desk.traced(page, CATEGORIES, join(folder, `${round}.json`), () => drag(page));
      await letGo(page);
    }
  } finally {
    await desk.clear();
  }
}

/** The charts of a year, drawn, with as many points as there can be. */
async function showYear(page: Page): Promise<void> {
  const year = page.getByRole("button", { name: "1 y" });
  await year.waitFor();
  const drawn = () => page.evaluate(() => performance.getEntriesByName("card-chart")[0]?.startTime ?? 0);
  await page.waitForFunction(() => performance.getEntriesByName("card-chart").length > 0);
  const before = await drawn();
  await year.click();
  await page.waitForFunction(
    (seen) => (performance.getEntriesByName("card-chart")[0]?.startTime ?? 0) > seen,
    before,
  );
  const points = await page.evaluate(() => document.querySelector(".u-over")?.clientWidth ?? 0);
  if (points < 2000) {
    throw new Error(`a plot is ${points} pixels wide, too narrow for 2,000 points`);
  }
}

/** One drag, as fast as the page takes the pointer's steps: one a frame. It is left pressed. */
async function drag(page: Page): Promise<void> {
  const { left, top } = await begin(page);
  await page.mouse.move(left, top);
  await page.mouse.down();
  for (let step = 1; step <= STEPS; step += 1) {
    await page.mouse.move(left + step * STEP, top);
  }
}

/** Lets the brush go where it was pressed, so that it stands for no range. */
async function letGo(page: Page): Promise<void> {
  const { left, top } = await begin(page);
  await page.mouse.move(left, top);
  await page.mouse.up();
}

/** Where a drag begins: in the first chart. */
async function begin(page: Page): Promise<{ left: number; top: number }> {
  const box = await page.locator(".u-over").first().boundingBox();
  if (!box) {
    throw new Error("there is no chart");
  }
  return { left: box.x + 100, top: box.y + box.height / 2 };
}
