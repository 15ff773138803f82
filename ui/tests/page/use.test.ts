/** The page as a person uses it: by keyboard alone, on a laptop's screen, looked at and put away. */
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { uuidOf } from "../../src/backend/recorded/cards";
import { CANNOT_RUN, complaintsOf, Desk, type Look, LOOKS, open } from "./browser";

const ENGLISH: Look = { lang: "en", theme: "dark" };
const LIMIT_MS = 120_000;

describe.skipIf(CANNOT_RUN)("the page in a person's hands", () => {
  let desk: Desk;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    desk = await Desk.setUp();
  }, 60_000);

  afterAll(() => desk.clear());

  beforeEach(async () => {
    context = await desk.context();
    page = await context.newPage();
    complaints = complaintsOf(page);
  });

  afterEach(async () => {
    expect(complaints).toEqual([]);
    await context.close();
  });

  /** What has the focus, by its accessible name as far as the page gives one. */
  const focused = () =>
    page.evaluate(() => {
      const element = document.activeElement;
      return (element?.getAttribute("aria-label") ?? element?.textContent ?? "").trim();
    });

  /** Whether the element with the focus, or the tile around it, shows that it has it. */
  const focusIsVisible = () =>
    page.evaluate(() => {
      const element = document.activeElement;
      const shows = (one: Element | null | undefined) =>
        one != null && getComputedStyle(one).outlineStyle !== "none";
      return shows(element) || shows(element?.closest("article"));
    });

  test(
    "eight cards and both strips stand on a laptop's screen without scrolling",
    async () => {
      for (const look of LOOKS) {
        for (const scene of ["calm", "demo", "trouble", "stale", "waiting", "library_absent"]) {
          await open(page, desk.url(look, scene));
          await page.locator("article").nth(7).waitFor();
          const main = await page
            .locator("main")
            .evaluate(({ scrollHeight, clientHeight }) => ({ scrollHeight, clientHeight }));
          expect(main.scrollHeight, `${scene} ${look.lang}`).toBeLessThanOrEqual(main.clientHeight);
        }
      }
    },
    LIMIT_MS,
  );

  test(
    "the keyboard alone reaches all, shows where it is, opens a card and comes back",
    async () => {
      await open(page, desk.url(ENGLISH, "trouble"));
      await page.locator("article").nth(7).waitFor();
      const walked: string[] = [];
      for (let step = 0; step < 30; step += 1) {
        await page.keyboard.press("Tab");
        // After the last stop the focus leaves the page.
        if (await page.evaluate(() => document.activeElement === document.body)) {
          break;
        }
        const name = await focused();
        walked.push(name);
        expect(await focusIsVisible(), name).toBe(true);
      }
      const all = ["Rig", "Settings", "Show all 9", "Card 1", "Card 8", "Forget card 7"];
      for (const name of [...all, "Change under Settings, Money"]) {
        expect(walked).toContain(name);
      }
      await page.getByRole("link", { name: "Card 2", exact: true }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "Card 2" }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("article", { name: "Card 2" }).waitFor();
    },
    LIMIT_MS,
  );

  test(
    "a click anywhere on a tile opens its card, and the button leads back",
    async () => {
      await open(page, desk.url(ENGLISH, "calm"));
      await page.getByRole("article", { name: "Card 5" }).click({ position: { x: 150, y: 150 } });
      await page.getByRole("heading", { level: 1, name: "Card 5" }).waitFor();
      await page.getByRole("button", { name: "Back to the rig" }).click();
      await page.getByRole("article", { name: "Card 5" }).waitFor();
    },
    LIMIT_MS,
  );

  test(
    "the question before a card is forgotten starts on the answer that changes nothing, and Esc is that answer",
    async () => {
      await open(page, desk.url(ENGLISH, "trouble"));
      await page.getByRole("button", { name: "Forget card 7" }).click();
      await page.getByRole("dialog", { name: "Forget card 7?" }).waitFor();
      expect(await focused()).toBe("Cancel");
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await page.getByRole("article", { name: "Card 7" }).waitFor();
      await page.getByRole("button", { name: "Forget card 7" }).click();
      await page.getByRole("button", { name: "Forget it" }).click();
      await page.getByRole("article", { name: "Card 7" }).waitFor({ state: "detached" });
    },
    LIMIT_MS,
  );

  test(
    "Esc in the question on a card's page closes the question and stays on the page",
    async () => {
      await open(page, desk.url(ENGLISH, "trouble", `#/card/${uuidOf(7)}`));
      await page.getByRole("button", { name: "Forget card 7" }).click();
      await page.getByRole("dialog").waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await page.getByRole("heading", { level: 1, name: "Card 7" }).waitFor();
    },
    LIMIT_MS,
  );

  test(
    "language and theme change at once, without a reload, and a view survives one",
    async () => {
      await open(page, desk.url(ENGLISH, "calm", "#/settings"));
      await page.evaluate(() => {
        Object.assign(window, { sameLoad: true });
      });
      const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      expect(await background()).toBe("rgb(13, 17, 23)");
      await page.getByLabel("Theme").selectOption("light");
      await page.getByLabel("Language").selectOption("zh-cn");
      await page.getByRole("heading", { level: 1, name: "设置" }).waitFor();
      expect(await background()).toBe("rgb(244, 246, 248)");
      expect(await page.evaluate(() => document.documentElement.lang)).toBe("zh-CN");
      expect(await page.evaluate(() => "sameLoad" in window)).toBe(true);
      await page.reload();
      await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
    },
    LIMIT_MS,
  );

  test(
    "the theme is the system's until the owner chooses one",
    async () => {
      await page.emulateMedia({ colorScheme: "light" });
      await open(page, desk.url({ lang: "en", theme: "system" as "dark" }, "calm"));
      const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      expect(await background()).toBe("rgb(244, 246, 248)");
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await background()).toBe("rgb(13, 17, 23)");
    },
    LIMIT_MS,
  );

  test(
    "1 to 64 cards fit the width of every window from 720 to 1920 pixels",
    async () => {
      for (const width of [720, 1024, 1366, 1920]) {
        await page.setViewportSize({ width, height: 768 });
        for (const scene of ["one", "calm", "trouble", "sixteen", "sixty_four"]) {
          await open(page, desk.url(ENGLISH, scene));
          await page.locator("article").first().waitFor();
          const beyond = await page
            .locator("main, article, article *")
            .evaluateAll(
              (all) =>
                all.filter(
                  (one) =>
                    one instanceof HTMLElement &&
                    one.scrollWidth > one.clientWidth + 1 &&
                    getComputedStyle(one).overflowX === "visible" &&
                    getComputedStyle(one).display !== "inline",
                ).length,
            );
          expect(beyond, `${scene} at ${width}`).toBe(0);
        }
      }
    },
    LIMIT_MS,
  );
});
