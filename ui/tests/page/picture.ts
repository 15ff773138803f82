/** Pictures of the page, compared with those that are kept. The browser itself reads them, so no other decoder is needed. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";

const FOLDER = new URL("../snapshots/", import.meta.url);
/** Where a picture that differs is left, beside the results of the run. */
const DIFFERING = new URL("../../dist-recorded/", import.meta.url);
/** A pixel differs if a colour channel does by more than this, of 255: edges of letters vary with the rasteriser. */
const CHANNEL = 48;

/** The share of pixels in which the picture differs from the kept one of that name; a missing one is kept, and equal. */
export async function difference(page: Page, name: string, picture: Buffer): Promise<number> {
  const file = fileURLToPath(new URL(`${name}.png`, FOLDER));
  if (process.env.FANFARE_UPDATE_SNAPSHOTS === "1") {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(file, picture);
  }
  if (!existsSync(file)) {
    return 1;
  }
  const share = await page.evaluate(differingShare, {
    one: readFileSync(file).toString("base64"),
    other: picture.toString("base64"),
    channel: CHANNEL,
  });
  if (share > 0) {
    writeFileSync(fileURLToPath(new URL(`${name}.differs.png`, DIFFERING)), picture);
  }
  return share;
}

/** Runs in the browser. Pictures of different sizes differ altogether. */
async function differingShare(pair: { one: string; other: string; channel: number }): Promise<number> {
  const read = async (base64: string) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    if (!context) {
      throw new Error("no canvas");
    }
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height);
  };
  const [one, other] = await Promise.all([read(pair.one), read(pair.other)]);
  if (one.width !== other.width || one.height !== other.height) {
    return 1;
  }
  let differing = 0;
  for (let at = 0; at < one.data.length; at += 4) {
    const far = [0, 1, 2].some(
      (channel) => Math.abs((one.data[at + channel] ?? 0) - (other.data[at + channel] ?? 0)) > pair.channel,
    );
    differing += far ? 1 : 0;
  }
  return differing / (one.width * one.height);
}
