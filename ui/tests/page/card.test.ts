/** A card's past as a person uses it: on a laptop's screen, by pointer and by keys, and as files. */
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { uuidOf } from "../../src/backend/recorded/cards";
import { CANNOT_RUN, complaintsOf, Desk, type Look, LAPTOP, LOOKS, open } from "./browser";

const ENGLISH: Look = { lang: "en", theme: "dark" };
const LIMIT_MS = 120_000;

describe.skipIf(CANNOT_RUN)("a card's past in a person's hands", () => {
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

  const charts = () => page.getByRole("group", { name: "Charts of this card" });

  async function opened(seat = 3, rest = ""): Promise<void> {
    await open(page, desk.url(ENGLISH, "demo", `#/card/${uuidOf(seat)}`, rest));
    await charts().waitFor();
  }

  test(
    "six charts and what is below them stand on a laptop's screen without scrolling",
    async () => {
      for (const look of LOOKS) {
        await open(page, desk.url(look, "demo", `#/card/${uuidOf(3)}`));
        await page.locator(".charts canvas").nth(5).waitFor();
        const boxes = await page.locator(".charts .chart, .charts svg").all();
        expect(boxes).toHaveLength(8);
        for (const one of boxes) {
          const box = await one.boundingBox();
          expect((box?.y ?? Infinity) + (box?.height ?? 0), look.lang).toBeLessThanOrEqual(LAPTOP.height);
        }
      }
    },
    LIMIT_MS,
  );

  test(
    "the keyboard alone moves, zooms, reads values and goes back",
    async () => {
      await opened();
      await charts().focus();
      await page.keyboard.press("Shift+ArrowLeft");
      // The newest point of a day that ends on the morning of November 30; a point is two minutes.
      await page.getByText(/^Nov 30, 2026, 03:0\d:\d\d$/).waitFor();
      expect(await page.getByRole("button", { name: "Zoom back" }).count()).toBe(0);
      await page.keyboard.press("ArrowLeft");
      await page.getByRole("button", { name: "To now" }).waitFor();
      await page.keyboard.press("+");
      await page.keyboard.press("Backspace");
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "To now" }).waitFor({ state: "detached" });
      expect(await page.getByRole("button", { name: "24 h" }).getAttribute("aria-pressed")).toBe("true");
      await page.keyboard.press("Home");
      await page.getByText("one-hour values").waitFor();
      await page.keyboard.press("Backspace");
      await page.keyboard.press("Escape");
      // Nothing is left to take back: the key leads to the rig.
      await page.getByRole("article", { name: "Card 3" }).waitFor();
    },
    LIMIT_MS,
  );

  test(
    "a brush zooms to what it covers, and a double click goes back",
    async () => {
      await opened();
      const plot = page.locator(".charts .u-over").first();
      const box = await plot.boundingBox();
      if (!box) {
        throw new Error("no plot");
      }
      const middle = box.y + box.height / 2;
      await page.mouse.move(box.x + box.width * 0.75, middle);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.85, middle, { steps: 5 });
      await page.mouse.up();
      // A tenth of a day is read from every reading.
      await page.getByText("every reading").waitFor();
      await plot.dblclick();
      await page.getByText("one-minute values").waitFor();
    },
    LIMIT_MS,
  );

  test(
    "an Xid is a button that leads the cursor to its moment",
    async () => {
      await opened();
      await page.getByRole("button", { name: /Xid 43/ }).press("Enter");
      await page.locator(".moment", { hasText: "Nov 29, 2026, 21:5" }).waitFor();
      await page.locator(".strip b", { hasText: "hardware thermal slow-down" }).waitFor();
    },
    LIMIT_MS,
  );

  test(
    "what is shown is written as a table and as a picture, and where they lie is said",
    async () => {
      await opened();
      await page.getByRole("button", { name: "Save CSV" }).click();
      await page.getByText(/Downloads\/fanfare-card-3-20261130-031207Z\.csv$/).waitFor();
      await page.getByRole("button", { name: "Save picture" }).click();
      await page.getByText(/Downloads\/fanfare-card-3-20261130-031207Z\.png$/).waitFor();
    },
    LIMIT_MS,
  );

  test(
    "a history that cannot be read says so, and is asked for again",
    async () => {
      await open(page, desk.url(ENGLISH, "calm", `#/card/${uuidOf(3)}`, "&fail=course:not_readable"));
      const alert = page.getByRole("alert").filter({ hasText: "The history cannot be read now" });
      await alert.getByRole("button", { name: "Try again" }).click();
      await alert.waitFor();
    },
    LIMIT_MS,
  );

  test(
    "the charts in words say the same, with gaps and estimates",
    async () => {
      await opened(2);
      await page.getByText("These charts in words").click();
      await page.getByText(/^Temperature: \d\d to \d\d °C, \d\d °C on average; gaps: 1\.$/).waitFor();
      await page
        .getByText(/Power, Board: nothing was read\..*they are estimated from its load and limit\./)
        .waitFor();
      await page.getByText("These charts as a table").click();
      const table = page.getByRole("region", { name: "These charts as a table" });
      expect(await table.getByRole("columnheader", { name: "Temperature (°C)" }).count()).toBe(1);
      expect(await table.locator("tbody tr").count()).toBeLessThanOrEqual(48);
      // This card has no power sensor: a dash that says so, and never 0.
      expect(await table.locator("tbody tr").last().locator("td").nth(1).textContent()).toContain(
        "nothing was read",
      );
      await page.getByText(/^Use, as share of the known time: Rented \d+\s%/).waitFor();
    },
    LIMIT_MS,
  );
});
