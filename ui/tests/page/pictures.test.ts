/**
 * The look of the Rig view and of a card's past, in both themes and languages. `FANFARE_UPDATE_SNAPSHOTS=1 npm run test:page` keeps new pictures: look at
 * them before they are committed. They are made with the fonts of the test set (Inter of the page, Noto Sans CJK).
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { uuidOf } from "../../src/backend/recorded/cards";
import { CANNOT_RUN, Desk, type Look, open } from "./browser";
import { difference } from "./picture";

/** Of all pixels; a word that is gone or a tile that is two pixels off is more. */
const TOLERANCE = 0.002;
const LIMIT_MS = 120_000;

describe.skipIf(CANNOT_RUN)("the look of the rig", () => {
  let desk: Desk;

  beforeAll(async () => {
    desk = await Desk.setUp();
  }, 60_000);

  afterAll(() => desk.clear());

  async function differenceIn(look: Look): Promise<number> {
    const context = await desk.context();
    const page = await context.newPage();
    await open(page, desk.url(look, "trouble"));
    await page.locator("article").nth(7).waitFor();
    await page.locator("path.line").first().waitFor({ state: "attached" });
    const picture = await page.screenshot();
    const share = await difference(page, `rig-${look.theme}-${look.lang}`, picture);
    await context.close();
    return share;
  }

  /** The charts alone: what stands beside them follows the day of the test. */
  async function pastDifferenceIn(look: Look): Promise<number> {
    const context = await desk.context();
    const page = await context.newPage();
    await open(page, desk.url(look, "demo", `#/card/${uuidOf(3)}`));
    await page.locator(".charts canvas").nth(5).waitFor();
    await page.waitForLoadState("networkidle");
    const picture = await page.locator("section", { has: page.locator(".charts") }).screenshot();
    const share = await difference(page, `card-${look.theme}-${look.lang}`, picture);
    await context.close();
    return share;
  }

  test(
    "the rig in English and dark looks as it is kept",
    async () => {
      expect(await differenceIn({ lang: "en", theme: "dark" })).toBeLessThanOrEqual(TOLERANCE);
    },
    LIMIT_MS,
  );

  test(
    "the rig in English and light looks as it is kept",
    async () => {
      expect(await differenceIn({ lang: "en", theme: "light" })).toBeLessThanOrEqual(TOLERANCE);
    },
    LIMIT_MS,
  );

  test(
    "the rig in 简体中文 and dark looks as it is kept",
    async () => {
      expect(await differenceIn({ lang: "zh-cn", theme: "dark" })).toBeLessThanOrEqual(TOLERANCE);
    },
    LIMIT_MS,
  );

  test(
    "the rig in 简体中文 and light looks as it is kept",
    async () => {
      expect(await differenceIn({ lang: "zh-cn", theme: "light" })).toBeLessThanOrEqual(TOLERANCE);
    },
    LIMIT_MS,
  );

  test(
    "a card's past in English and dark looks as it is kept",
    async () => {
      expect(await pastDifferenceIn({ lang: "en", theme: "dark" })).toBeLessThanOrEqual(TOLERANCE);
    },
    LIMIT_MS,
  );

  test(
    "a card's past in English and light looks as it is kept",
    async () => {
      expect(await pastDifferenceIn({ lang: "en", theme: "light" })).toBeLessThanOrEqual(TOLERANCE);
    },
    LIMIT_MS,
  );

  test(
    "a card's past in 简体中文 and dark looks as it is kept",
    async () => {
      expect(await pastDifferenceIn({ lang: "zh-cn", theme: "dark" })).toBeLessThanOrEqual(TOLERANCE);
    },
    LIMIT_MS,
  );

  test(
    "a card's past in 简体中文 and light looks as it is kept",
    async () => {
      expect(await pastDifferenceIn({ lang: "zh-cn", theme: "light" })).toBeLessThanOrEqual(TOLERANCE);
    },
    LIMIT_MS,
  );
});
