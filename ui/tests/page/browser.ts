/** The recorded page in Debian's Chromium, under the window's own content security policy. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { preview } from "vite";

const CHROMIUM = "/usr/bin/chromium";
/** The smallest screen that the Rig view is laid out for. */
export const LAPTOP = { width: 1366, height: 768 };

/**
 * Whether the page tests cannot run here, as on Ubuntu, whose Chromium no container can install. Where skips are failures they
 * run all the same, and fail.
 */
export const CANNOT_RUN = !existsSync(CHROMIUM) && process.env.FANFARE_NO_SKIP !== "1";

export interface Look {
  lang: "en" | "zh-cn";
  theme: "dark" | "light";
}

export const LOOKS: readonly Look[] = [
  { lang: "en", theme: "dark" },
  { lang: "en", theme: "light" },
  { lang: "zh-cn", theme: "dark" },
  { lang: "zh-cn", theme: "light" },
];

/** One browser and one server for the tests of a file. */
export class Desk {
  private constructor(
    private readonly browser: Browser,
    private readonly address: string,
    private readonly close: () => Promise<void>,
  ) {}

  static async setUp(): Promise<Desk> {
    const server = await preview({
      root: fileURLToPath(new URL("../..", import.meta.url)),
      mode: "recorded",
      build: { outDir: "dist-recorded" },
      // Any free port: two runs on one machine must not meet.
      preview: { port: 0, strictPort: false },
      logLevel: "error",
    });
    const [address] = server.resolvedUrls?.local ?? [];
    if (!address) {
      throw new Error("the preview server has no address");
    }
    // A sandbox of its own is nothing that a container grants, and the page is ours.
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
    return new Desk(browser, address, () => server.close());
  }

  async clear(): Promise<void> {
    await this.browser.close();
    await this.close();
  }

  /** A context of its own on a laptop's screen. UTC and no motion: what is shown depends on the address alone. */
  context(viewport = LAPTOP): Promise<BrowserContext> {
    return this.browser.newContext({ viewport, timezoneId: "UTC", reducedMotion: "reduce" });
  }

  /** Does something, and keeps the browser's trace of it in a file. */
  async traced(page: Page, categories: string[], path: string, what: () => Promise<void>): Promise<void> {
    await this.browser.startTracing(page, { path, categories });
    await what();
    await this.browser.stopTracing();
  }

  /** The page's address for a look. */
  url({ lang, theme }: Look, scene: string, hash = "#/", rest = ""): string {
    return `${this.address}?scene=${scene}&lang=${lang}&theme=${theme}${rest}${hash}`;
  }
}

/** Everything that a page complained of: console errors, uncaught errors, violations of the policy. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") {
      complaints.push(message.text());
    }
  });
  page.on("pageerror", (error) => {
    complaints.push(error.message);
  });
  return complaints;
}

/** The page at an address, drawn. */
export async function open(page: Page, url: string): Promise<void> {
  // A change of the hash alone would not load the page anew.
  await page.goto("about:blank");
  await page.goto(url);
  await page.locator("h1").first().waitFor({ state: "attached" });
  await page.evaluate(() => document.fonts.ready);
}
