/**
 * The page's face, as far as the page uses it: Latin letters and signs in the weights 400 to 600, with tabular digits and kerning.
 * The whole variable font is 48 kB of a bundle that may have 120, half of it weights, alphabets and features that no line asks for.
 */
import { readFile, writeFile } from "node:fs/promises";
import subsetFont from "subset-font";

const WHOLE = new URL(
  "../node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
  import.meta.url,
);
const KEPT = new URL("../src/styles/inter.woff2", import.meta.url);

/** First and last of each run of characters; `src/styles/font.css` tells the browser the same runs. */
const CHARACTERS = [
  [0x20, 0x7e],
  [0xa0, 0xff],
  [0x131, 0x131],
  [0x152, 0x153],
  [0x2000, 0x206f],
  [0x20ac, 0x20ac],
  [0x2122, 0x2122],
  [0x2191, 0x2193],
  [0x2212, 0x2212],
];
const FEATURES = ["kern", "tnum", "ccmp", "locl", "mark"];

const text = CHARACTERS.flatMap(([first = 0, last = 0]) =>
  Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index)),
).join("");
const font = await subsetFont(await readFile(WHOLE), text, {
  targetFormat: "woff2",
  variationAxes: { wght: { min: 400, max: 600, default: 400 } },
  keepFeatures: FEATURES,
});
await writeFile(KEPT, font);
