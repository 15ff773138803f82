/** The charts of a card: which quantities each shows, in which unit and on which scale. */
import type { CardPage } from "../backend/types/CardPage";
import type { Quantity } from "../backend/types/Quantity";
import type { RowCode } from "../backend/types/RowCode";
import { m } from "../paraglide/messages";
import { isMissing } from "../parts/shown";
import type { Course, Curve } from "./block";
import { type Column, estimateOf, hasAny, type Line, lineOf } from "./columns";

/** Colours by name; `palette.svelte.ts` knows what they are in the theme in force. */
export type Ink = "accent" | "second" | "faint";

export type PlotId = "temperature" | "power" | "utilisation" | "memory" | "fan" | "clock";

interface LineSpec {
  quantity: Quantity;
  name: () => string;
  ink: Ink;
}

export interface PlotSpec {
  id: PlotId;
  title: () => string;
  unit: string;
  /** From the history's unit to this one. */
  factor: number;
  digits: 0 | 1;
  lines: readonly LineSpec[];
  /** The scale's least ends; what lies beyond widens it. */
  low: number;
  high: number;
}

const one = (quantity: Quantity, name: () => string): LineSpec[] => [{ quantity, name, ink: "accent" }];

/** From top to bottom. */
export const PLOTS: readonly PlotSpec[] = [
  {
    id: "temperature",
    title: m.tile_temperature,
    unit: "°C",
    factor: 1,
    digits: 0,
    lines: one("temperature", m.row_temperature),
    low: 20,
    high: 100,
  },
  {
    id: "power",
    title: m.tile_power,
    unit: "W",
    factor: 1 / 1000,
    digits: 0,
    lines: [
      { quantity: "power", name: m.row_power, ink: "accent" },
      { quantity: "power_limit", name: m.plot_limit, ink: "faint" },
    ],
    low: 0,
    high: 100,
  },
  {
    id: "utilisation",
    title: m.plot_utilisation,
    unit: "%",
    factor: 1,
    digits: 0,
    lines: one("utilisation", m.row_utilisation),
    low: 0,
    high: 100,
  },
  {
    id: "memory",
    title: m.tile_vram,
    unit: "GiB",
    factor: 1 / 2 ** 30,
    digits: 1,
    lines: one("memory_used", m.row_memory_used),
    low: 0,
    high: 8,
  },
  {
    id: "fan",
    title: m.tile_fan,
    unit: "%",
    factor: 1,
    digits: 0,
    lines: [
      { quantity: "fan_reported", name: m.plot_fan_reported, ink: "accent" },
      { quantity: "fan_asked", name: m.plot_fan_asked, ink: "second" },
    ],
    low: 0,
    high: 100,
  },
  {
    id: "clock",
    title: m.plot_clocks,
    unit: "MHz",
    factor: 1,
    digits: 0,
    lines: [
      { quantity: "graphics_clock", name: m.plot_clock_graphics, ink: "accent" },
      { quantity: "memory_clock", name: m.plot_clock_memory, ink: "second" },
    ],
    low: 0,
    high: 1000,
  },
];

/** What a Card view asks for: the charts' quantities, and the bits below them. */
export const CARD_QUANTITIES: readonly Quantity[] = [
  ...PLOTS.flatMap(({ lines }) => lines.map(({ quantity }) => quantity)),
  "throttle",
  "tenancy",
];

/** A plot with what it shows. */
export interface Plot {
  spec: PlotSpec;
  lines: (LineSpec & { line: Line })[];
  /** Watts that are guessed; none where there is nothing to guess. */
  estimate: Column | null;
  scale: [number, number];
}

/** The curves of a card's course by quantity. */
export function curvesOf(course: Course): ReadonlyMap<Quantity, Curve> {
  const all = new Map<Quantity, Curve>();
  for (const [at, quantity] of CARD_QUANTITIES.entries()) {
    const curve = course.curves[at];
    if (curve) {
      all.set(quantity, curve);
    }
  }
  return all;
}

/** What each plot shows of a course. */
export function plotsOf(curves: ReadonlyMap<Quantity, Curve>): Plot[] {
  const [power, load, limit] = (["power", "utilisation", "power_limit"] as const).map((name) =>
    curves.get(name),
  );
  return PLOTS.map((spec) => {
    const lines = spec.lines.flatMap((line) => {
      const curve = curves.get(line.quantity);
      return curve ? [{ ...line, line: lineOf(curve, spec.factor) }] : [];
    });
    const guess = spec.id === "power" && power && load && limit ? estimateOf(power, load, limit) : null;
    return {
      spec,
      lines,
      estimate: guess && hasAny(guess) ? guess : null,
      scale: scaleOf(
        spec,
        lines.map(({ line }) => line),
      ),
    };
  });
}

/** The ends of a plot's scale: its own, widened to what is there with a little room above. */
export function scaleOf({ low, high }: PlotSpec, lines: readonly Line[]): [number, number] {
  let [least, most] = [low, high];
  for (const { min, max } of lines) {
    for (const value of min) {
      least = value !== null && value < least ? value : least;
    }
    for (const value of max) {
      most = value !== null && value > most ? value : most;
    }
  }
  return [least < low ? Math.floor(least / 10) * 10 : low, most > high ? most * 1.05 : high];
}

/** A height that a plot marks by a line. */
export interface Limit {
  value: number;
  name: string;
}

const LIMITS: readonly [RowCode, () => string][] = [
  ["temperature_target", m.plot_limit_target],
  ["temperature_slowdown", m.plot_limit_slowdown],
];

/** The temperatures at which a card does something by itself, as far as it tells them. */
export function limitsOf(page: CardPage | null): Limit[] {
  const rows = page?.groups.flatMap(({ rows }) => rows) ?? [];
  return LIMITS.flatMap(([code, name]) => {
    const value = rows.find((row) => row.code === code)?.value;
    return value && !isMissing(value) && value.kind === "number"
      ? [{ value: value.number, name: name() }]
      : [];
  });
}
