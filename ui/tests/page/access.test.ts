/**
 * Every view in every state: no violation of WCAG 2.2 AA, nothing wider than the window, no complaint of the browser.
 *
 * All states are visited in two looks that share neither language nor theme, for what is right in a language does not hang on
 * the theme; the views' chief states in the two other looks as well.
 */
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { uuidOf } from "../../src/backend/recorded/cards";
import { SCENES } from "../../src/backend/recorded/scenes";
import { CANNOT_RUN, complaintsOf, Desk, type Look, open } from "./browser";

const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
/** Some forty pages; a page takes a second on a quiet machine, and several on a busy one. */
const LIMIT_MS = 600_000;

interface Address {
  scene: string;
  hash: string;
  rest?: string;
}

const CHIEF: readonly Address[] = [
  ...["calm", "trouble", "stale", "demo", "library_absent", "no_cards"].map((scene) => ({
    scene,
    hash: "#/",
  })),
  { scene: "trouble", hash: `#/card/${uuidOf(2)}` },
  { scene: "trouble", hash: `#/card/${uuidOf(4)}` },
  { scene: "trouble", hash: "#/settings" },
  { scene: "demo", hash: `#/card/${uuidOf(3)}` },
  { scene: "calm", hash: `#/card/${uuidOf(2)}`, rest: "&fail=course:not_readable" },
  { scene: "calm", hash: "#/cards/temperature" },
  { scene: "calm", hash: "#/cards/power", rest: "&fail=course:not_readable" },
];

const ALL: readonly Address[] = [
  ...Object.keys(SCENES).map((scene) => ({ scene, hash: "#/" })),
  { scene: "trouble", hash: `#/card/${uuidOf(2)}` },
  { scene: "trouble", hash: `#/card/${uuidOf(4)}` },
  { scene: "trouble", hash: `#/card/${uuidOf(7)}` },
  { scene: "stale", hash: `#/card/${uuidOf(1)}` },
  { scene: "demo", hash: `#/card/${uuidOf(1)}` },
  { scene: "calm", hash: "#/card/GPU-gone" },
  { scene: "trouble", hash: "#/settings" },
  { scene: "demo", hash: "#/settings" },
  { scene: "calm", hash: "#/settings", rest: "&fail=settings:no_answer,engineInfo:other_version" },
  { scene: "calm", hash: "#/", rest: "&fail=subscribeRig:not_started" },
];

/** What is wrong with the page as it stands. */
async function faultsOf(page: Page): Promise<string[]> {
  // Only violations are put together, and in this page: there is no frame to ask beside it.
  const axe = new AxeBuilder({ page }).options({ resultTypes: ["violations"] }).withTags(WCAG);
  const { violations } = await axe.setLegacyMode(true).analyze();
  const faults = violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 160)} (${node.failureSummary ?? ""})`),
  );
  const beyond = await page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll("main")]
      .filter((element) => element.scrollWidth > element.clientWidth)
      .map((element) => `${element.tagName} is wider than its window`),
  );
  return [...faults, ...beyond];
}

describe.skipIf(CANNOT_RUN)("the page in a browser", () => {
  let desk: Desk;

  beforeAll(async () => {
    desk = await Desk.setUp();
  }, 60_000);

  afterAll(() => desk.clear());

  async function faultsIn(look: Look, addresses: readonly Address[]): Promise<string[]> {
    const context = await desk.context();
    const page = await context.newPage();
    const complaints = complaintsOf(page);
    const found: string[] = [];
    for (const { scene, hash, rest = "" } of addresses) {
      await open(page, desk.url(look, scene, hash, rest));
      // What a view loads by itself is part of it.
      await page.waitForLoadState("networkidle");
      const faults = [...(await faultsOf(page)), ...complaints.splice(0)];
      found.push(...faults.map((fault) => `${scene}${rest}${hash}: ${fault}`));
    }
    await context.close();
    return found;
  }

  test(
    "every state in English and dark has no fault",
    async () => {
      expect(await faultsIn({ lang: "en", theme: "dark" }, ALL)).toEqual([]);
    },
    LIMIT_MS,
  );

  test(
    "every view in English and light has no fault",
    async () => {
      expect(await faultsIn({ lang: "en", theme: "light" }, CHIEF)).toEqual([]);
    },
    LIMIT_MS,
  );

  test(
    "every view in 简体中文 and dark has no fault",
    async () => {
      expect(await faultsIn({ lang: "zh-cn", theme: "dark" }, CHIEF)).toEqual([]);
    },
    LIMIT_MS,
  );

  test(
    "every state in 简体中文 and light has no fault",
    async () => {
      expect(await faultsIn({ lang: "zh-cn", theme: "light" }, ALL)).toEqual([]);
    },
    LIMIT_MS,
  );
});
