/** The charts as one picture, with what a stranger needs to read it: whose they are, when, in which units, and if they are simulated. */
import type { Palette } from "./palette.svelte";

export interface PicturePart {
  title: string;
  canvas: HTMLCanvasElement;
}

const MARGIN = 16;
const HEAD = 52;
const TITLE = 18;
const FACE = "'Inter Variable', Inter, 'Noto Sans SC', 'Noto Sans CJK SC', sans-serif";

/** The picture as the bytes of a PNG; `null` where the browser makes none. `ratio`: canvas pixels of a CSS pixel. */
export async function pictureOf(
  lines: readonly [string, string],
  parts: readonly PicturePart[],
  palette: Palette,
  ratio: number,
): Promise<Uint8Array | null> {
  const width = Math.max(0, ...parts.map(({ canvas }) => canvas.width)) + 2 * MARGIN * ratio;
  const heights = parts.map(({ canvas }) => canvas.height + TITLE * ratio);
  const height = (HEAD + MARGIN) * ratio + heights.reduce((sum, one) => sum + one, 0);
  const whole = document.createElement("canvas");
  whole.width = width;
  whole.height = height;
  const brush = whole.getContext("2d");
  if (!brush) {
    return null;
  }
  brush.fillStyle = palette.panel;
  brush.fillRect(0, 0, width, height);
  const write = (text: string, x: number, y: number, size: number, colour: string) => {
    brush.fillStyle = colour;
    brush.font = `${size * ratio}px ${FACE}`;
    brush.fillText(text, x * ratio, y * ratio);
  };
  write(lines[0], MARGIN, 24, 15, palette.text);
  write(lines[1], MARGIN, 42, 11, palette.dim);
  let top = HEAD * ratio;
  for (const [at, { title, canvas }] of parts.entries()) {
    write(title, MARGIN, top / ratio + 12, 11, palette.dim);
    brush.drawImage(canvas, MARGIN * ratio, top + TITLE * ratio);
    top += heights[at] ?? 0;
  }
  const blob = await new Promise<Blob | null>((resolve) => {
    whole.toBlob(resolve, "image/png");
  });
  return blob ? new Uint8Array(await blob.arrayBuffer()) : null;
}
