/**
 * A chart of the history as options for uPlot. Colours are read from the palette at each drawing, so that a change of the theme needs
 * no new chart; data come by `setData` alone.
 */
import uPlot from "uplot";
import type { Quantity } from "../backend/types/Quantity";
import type { Column } from "./columns";
import type { Palette } from "./palette.svelte";
import type { Limit, Plot } from "./plots";
import { tickText } from "./ticks";

/** Width of the scale at the left of each chart, and what is left free at its right: the strips keep the same. */
export const SCALE_WIDTH = 44;
export const RIGHT_ROOM = 10;
const AXIS_HEIGHT = 22;
const TOP_ROOM = 6;
/** Half the height of the scale's lowest number. */
const BOTTOM_ROOM = 6;
/** All charts of a page follow one cursor. */
const SYNC = "history";
/** Quantities that somebody sets. */
const WISHES: ReadonlySet<Quantity> = new Set<Quantity>(["power_limit", "fan_asked"]);
const FONT = "10.5px 'Inter Variable', Inter, sans-serif";

export interface ChartHost {
  plot: () => Plot;
  palette: () => Palette;
  limits: () => readonly Limit[];
  hasTimeAxis: boolean;
  /** The point under the cursor; none when the cursor leaves. */
  onpoint: (index: number | null) => void;
  onbrush: (from: number, to: number) => void;
  onback: () => void;
}

const withAlpha = (colour: string, alpha: number): string =>
  colour.replace(/^rgb\((.*)\)$/, `rgba($1, ${alpha})`);

/** Options of a chart; only its size and its data change afterwards. */
export function optionsOf(host: ChartHost, width: number, height: number): uPlot.Options {
  const { lines, spec } = host.plot();
  const series: uPlot.Series[] = [{}];
  const bands: uPlot.Band[] = [];
  for (const [at, { ink, quantity }] of lines.entries()) {
    const first = series.length;
    const stroke = () => host.palette()[ink];
    const edge = { stroke: "transparent", width: 0, points: { show: false } };
    // The upper edge is drawn as well: one second's height in a year is a hair of band.
    const upper = {
      stroke: () => withAlpha(host.palette()[ink], 0.45),
      width: 0.75,
      points: { show: false },
    };
    series.push(edge, upper);
    bands.push({ series: [first + 1, first], fill: () => withAlpha(host.palette()[ink], 0.22) });
    series.push({
      stroke,
      width: quantity === "power_limit" ? 1 : 1.4,
      // What is wished for lies over what is, and lets it be seen.
      ...(WISHES.has(quantity) ? { dash: [6, 4] } : {}),
      points: {
        show: true,
        size: 3,
        width: 0,
        fill: stroke,
        filter: () => host.plot().lines[at]?.line.lonely ?? [],
      },
    });
  }
  if (spec.id === "power") {
    series.push({
      stroke: () => host.palette().second,
      width: 1.4,
      dash: [2, 3],
      fill: (self) => hatch(self.ctx, host.palette().second),
      points: { show: false },
    });
  }
  return {
    width,
    height,
    legend: { show: false },
    padding: [TOP_ROOM, RIGHT_ROOM, host.hasTimeAxis ? 0 : BOTTOM_ROOM, 0],
    scales: { x: { time: true }, y: { range: () => host.plot().scale } },
    series,
    bands,
    axes: axesOf(host),
    cursor: {
      y: false,
      points: { show: false },
      drag: { x: true, y: false, setScale: false, dist: 4 },
      // What is drawn by the brush belongs to the chart in which it is drawn.
      sync: { key: SYNC, scales: ["x", null], filters: { pub: (type) => type === "mousemove" } },
      bind: {
        dblclick: () => () => {
          host.onback();
          return null;
        },
      },
    },
    hooks: {
      setCursor: [
        (self) => {
          host.onpoint((self.cursor.left ?? -1) < 0 ? null : (self.cursor.idx ?? null));
        },
      ],
      setSelect: [
        (self) => {
          const { left, width: drawn } = self.select;
          if (drawn > 0) {
            self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            host.onbrush(self.posToVal(left, "x") * 1000, self.posToVal(left + drawn, "x") * 1000);
          }
        },
      ],
      draw: [
        (self) => {
          drawLimits(self, host);
        },
      ],
    },
  };
}

/** A plot's columns in the order of `optionsOf`'s series. */
export function dataOf(times: Float64Array, plot: Plot): uPlot.AlignedData {
  const columns: Column[] = plot.lines.flatMap(({ line }) => [line.min, line.max, line.mean]);
  if (plot.spec.id === "power") {
    columns.push(plot.estimate ?? Array.from(times, () => null));
  }
  return [times, ...columns] as uPlot.AlignedData;
}

function axesOf(host: ChartHost): uPlot.Axis[] {
  const common = {
    font: FONT,
    stroke: () => host.palette().dim,
    grid: { stroke: () => host.palette().line, width: 1 },
    ticks: { show: false },
  };
  const time: uPlot.Axis = {
    ...common,
    size: host.hasTimeAxis ? AXIS_HEIGHT : 0,
    space: 80,
    values: (_self, splits, _axis, _space, step) =>
      splits.map((split, at) => (host.hasTimeAxis ? tickText(split, splits[at - 1] ?? null, step) : "")),
  };
  return [time, { ...common, scale: "y", size: SCALE_WIDTH, space: 22, gap: 4 }];
}

/** Dashed lines at what a card does by itself, with their names. */
function drawLimits(self: uPlot, host: ChartHost): void {
  const { ctx, bbox } = self;
  const ratio = uPlot.pxRatio;
  ctx.save();
  ctx.setLineDash([4 * ratio, 4 * ratio]);
  ctx.lineWidth = ratio;
  ctx.font = `${9.5 * ratio}px 'Inter Variable', Inter, sans-serif`;
  ctx.textAlign = "right";
  for (const [at, { value, name }] of host.limits().entries()) {
    const y = self.valToPos(value, "y", true);
    if (y > bbox.top && y < bbox.top + bbox.height) {
      ctx.strokeStyle = host.palette().warn;
      ctx.fillStyle = host.palette().warn;
      ctx.beginPath();
      ctx.moveTo(bbox.left, y);
      ctx.lineTo(bbox.left + bbox.width, y);
      ctx.stroke();
      // The lowest one's name hangs below its line: there is little room between two.
      ctx.textBaseline = at === 0 ? "top" : "bottom";
      ctx.fillText(name, bbox.left + bbox.width - 4 * ratio, y + (at === 0 ? 2 : 0) * ratio);
    }
  }
  ctx.restore();
}

/** Strokes across, for what is guessed. */
function hatch(ctx: CanvasRenderingContext2D, colour: string): CanvasPattern | string {
  const tile = document.createElement("canvas");
  const size = 6 * uPlot.pxRatio;
  tile.width = size;
  tile.height = size;
  const brush = tile.getContext("2d");
  if (!brush) {
    return withAlpha(colour, 0.2);
  }
  brush.strokeStyle = withAlpha(colour, 0.55);
  brush.lineWidth = uPlot.pxRatio;
  brush.beginPath();
  brush.moveTo(0, size);
  brush.lineTo(size, 0);
  brush.stroke();
  return ctx.createPattern(tile, "repeat") ?? withAlpha(colour, 0.2);
}
