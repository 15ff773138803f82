import { expect, test } from "vitest";
import { AT_MS, card } from "../backend/recorded/cards";
import type { TileValues } from "../backend/types/TileValues";
import { fansText } from "./fans";
import { inOneLine, readingsOf } from "./readings";

function values(changes: Partial<TileValues> = {}): TileValues {
  const known = card(1).values;
  if (!known) {
    throw new Error("the recorded card has values");
  }
  return { ...known, ...changes };
}

/** `57 %` is written with a no-break space. */
const spaced = (text: string) => text.replaceAll(" ", "\u00a0");

test("values come with their units, and with the share that their bar shows", () => {
  const readings = readingsOf(values(), AT_MS).map(({ quantity, value, share }) => [quantity, value, share]);
  expect(readings).toEqual([
    ["load", { text: spaced("97 %") }, 0.97],
    // 7,372 of 8,188 MiB.
    ["vram", { text: `7.2 / ${spaced("8.0 GiB")}` }, 7372 / 8188],
    ["power", { text: spaced("108 W") }, 108 / 115],
    ["fan", { text: spaced("57 %") }, 0.57],
  ]);
});

test("a missing value has a reason and no bar; it is never 0", () => {
  const missing = { missing: { kind: "not_supported" } } as const;
  const [, vram, power, fan] = readingsOf(
    values({ power_mw: missing, fans_percent: missing, memory_total_bytes: missing }),
    AT_MS,
  );
  for (const reading of [vram, power, fan]) {
    expect(reading?.value).toEqual({ reason: "Not on this card" });
    expect(reading?.share).toBeNull();
  }
});

test("a measured 0 is 0", () => {
  const [load] = readingsOf(values({ utilisation_percent: 0 }), AT_MS);
  expect(load?.value).toEqual({ text: spaced("0 %") });
  expect(load?.share).toBe(0);
});

test("a power limit that is not told leaves the watts without a bar", () => {
  const power = readingsOf(values({ power_limit_mw: { missing: { kind: "no_permission" } } }), AT_MS)[2];
  expect(power?.value).toEqual({ text: spaced("108 W") });
  expect(power?.share).toBeNull();
});

test.each([
  [[57, 57], "57\u00a0%"],
  [[61, 63], "61 / 63\u00a0%"],
  [[0], "0\u00a0%"],
  [[61, { missing: { kind: "not_yet" } }], "61 / –\u00a0%"],
] as const)("fans %j read %s", (duties, text) => {
  expect(fansText(duties)).toBe(text);
});

test("old values stand in one line, without those that are missing", () => {
  const line = inOneLine(values({ power_mw: { missing: { kind: "lost" } } }), AT_MS);
  expect(line).toBe(
    [spaced("66 °C"), spaced("97 %"), `7.2 / ${spaced("8.0 GiB")}`, spaced("57 %")].join(" · "),
  );
});
