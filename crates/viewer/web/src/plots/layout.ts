/** Where things of a chart are: axes with their ticks, lines, marks, and the places that stand for runs. */

import { significant } from "../format";
import type { Chart, ChartSeries, Mark } from "../wire/types";
import { tickLabel, tickStep, ticks } from "./ticks";

export interface Axis {
  ticks: { at: number; label: string }[];
  /** Where a value is in the picture. */
  place: (value: number) => number;
  /** Whether a value is on the axis. */
  has: (value: number) => boolean;
}

type Half = "filled_left" | "filled_right" | "hollow_left" | "hollow_right";
export type Shape = "dot" | "ring" | "square" | "diamond" | "triangle" | "cross" | Half;
const SHAPES: Shape[] = ["dot", "ring", "square", "diamond", "triangle", "cross"];
const HALVES: Mark[] = ["filled_left", "filled_right", "hollow_left", "hollow_right"] satisfies Half[];
/** Series of marks are told apart by shapes that leave those under them in sight. */
const SIZES: Record<Shape, number> = { dot: 2.4, ring: 4.4, square: 4, diamond: 5.6, triangle: 5, cross: 3.4, filled_left: 4.4, filled_right: 4.4, hollow_left: 4.4, hollow_right: 4.4 };
/** Distance of half discs from their places. */
const APART = 1;

const isHalf = (mark: Mark): mark is Half => HALVES.includes(mark);
/** Lines without a colour of their own, by their class. */
const PLAIN: Partial<Record<Mark, string>> = { reference: "chart-reference", faint: "chart-faint" };

/** Colours of series; a class for each. */
const COLORS = 6;

export interface Drawn {
  series: ChartSeries;
  /** Class of its colour. */
  color: string;
  shape: Shape | null;
  /** Where its points are that are on the axes; lines keep those beside them. */
  at: [number, number][];
  /** Places on a line that runs stand behind. */
  knots: [number, number][];
}

/** A point of a series that runs stand behind. */
export interface Spot {
  x: number;
  y: number;
  runs: string[];
  says: string;
}

export interface Layout {
  width: number;
  height: number;
  /** Edges of the field that is drawn in. */
  field: { left: number; right: number; top: number; bottom: number };
  x: Axis;
  y: Axis;
  drawn: Drawn[];
  /** From left to right, then from below. */
  spots: Spot[];
}

/** Room beside the least and the most, as a part of what is between them. */
const ROOM = 0.05;

/** The range of values, with some room: it does not go below zero where no value does. */
export function roomy(values: readonly number[]): [number, number] {
  const least = values.reduce((a, b) => Math.min(a, b), Infinity);
  const most = values.reduce((a, b) => Math.max(a, b), -Infinity);
  if (least > most) return [0, 1];
  const room = most > least ? ROOM * (most - least) : 0.5 * Math.abs(most) || 1;
  return [least >= 0 ? Math.max(0, least - room) : least - room, most + room];
}

/** An axis between two edges of the picture, with about so many ticks. */
export function linearAxis([least, most]: [number, number], [from, to]: [number, number], count: number): Axis {
  const step = tickStep(most - least, count);
  return {
    ticks: ticks(least, most, count).map((at) => ({ at, label: tickLabel(at, step) })),
    place: (value) => from + ((value - least) / (most - least)) * (to - from),
    has: (value) => value >= least && value <= most,
  };
}

/** The same by powers of ten: of few powers also twice and five times each. */
export function logAxis(values: readonly number[], [from, to]: [number, number], count: number): Axis {
  const logs = values.filter((value) => value > 0).map(Math.log10);
  let [least, most] = logs.length ? [Math.min(...logs), Math.max(...logs)] : [-1, 1];
  const room = most > least ? ROOM * (most - least) : 0.5;
  [least, most] = [least - room, most + room];
  const parts = most - least < 3.2 ? [1, 2, 5] : [1];
  const stride = Math.max(1, Math.ceil((most - least) / count));
  const all: Axis["ticks"] = [];
  for (let power = Math.floor(least); power <= Math.ceil(most); power++)
    for (const part of parts) {
      const at = part * 10 ** power;
      if (power % stride === 0 && Math.log10(at) >= least && Math.log10(at) <= most) all.push({ at, label: significant(at, 1) });
    }
  return {
    ticks: all,
    place: (value) => from + ((Math.log10(value) - least) / (most - least)) * (to - from),
    has: (value) => value > 0 && Math.log10(value) >= least && Math.log10(value) <= most,
  };
}

/** What brings a structure down and what does not have colours of their own. */
function ownColor(name: string): string | null {
  if (/(^|: )collapse/.test(name)) return "chart-falls";
  return /(^|: )stands/.test(name) ? "chart-stands" : null;
}

const isNumber = (value: number | null): value is number => value !== null && Number.isFinite(value);

/** Widest label, in pixels of the small letters that axes have. */
const widest = (labels: string[]) => Math.max(0, ...labels.map((label) => label.length)) * 5.8;

export function layoutOf(chart: Chart, width: number, height: number): Layout {
  const usable = (point: [number | null, number | null]): point is [number, number] =>
    isNumber(point[0]) && isNumber(point[1]) && (!chart.log_x || point[0] > 0);
  const all = chart.series.flatMap((series) => series.points.filter(usable));
  const [top, bottom, right] = [20, height - 38, width - 10];
  const yRange = chart.y_range && chart.y_range[0] < chart.y_range[1] ? chart.y_range : roomy(all.map(([, y]) => y));
  const y = linearAxis(yRange, [bottom, top], height < 220 ? 4 : 6);
  const left = 12 + widest(y.ticks.map(({ label }) => label));
  const xs = all.map(([x]) => x);
  const most = Math.max(2, Math.floor((right - left) / 56));
  const x = chart.log_x ? logAxis(xs, [left, right], most) : linearAxis(roomy(xs), [left, right], most);

  const spots: Spot[] = [];
  let [colored, shaped] = [0, 0];
  const drawn = chart.series.map((series): Drawn => {
    const shape = isHalf(series.mark) ? series.mark : series.mark === "points" ? SHAPES[shaped++ % SHAPES.length]! : null;
    // What is drawn without a name belongs to the series before it.
    const count = () => (series.name || !colored ? colored++ : colored - 1) % COLORS;
    const color = PLAIN[series.mark] ?? ownColor(series.name) ?? `chart-${count()}`;
    const at: [number, number][] = [];
    const knots: [number, number][] = [];
    series.points.forEach((point, index) => {
      if (!usable(point) || (shape && !(x.has(point[0]) && y.has(point[1])))) return;
      const place: [number, number] = [x.place(point[0]), y.place(point[1])];
      at.push(place);
      const runs = (series.runs[index] ?? "").split(" ").filter(Boolean);
      const where = `${chart.x} ${significant(point[0], 4)}, ${chart.y} ${significant(point[1], 4)}`;
      if (runs.length && !shape) knots.push(place);
      if (runs.length) spots.push({ x: place[0], y: place[1], runs, says: series.name ? `${series.name}: ${where}` : where });
    });
    return { series, color, shape, at, knots };
  });
  spots.sort((a, b) => a.x - b.x || b.y - a.y);
  return { width, height, field: { left, right, top, bottom }, x, y, drawn, spots };
}

/** How near a click must come, and how near two places are to be one (pixels). */
const REACH = 22;
const SAME = 1.5;

/** Numbers of the spots at the place that is nearest to a point of the picture; none where all are far. */
export function spotsAt(spots: readonly Spot[], x: number, y: number): number[] {
  let nearest: Spot | null = null;
  let least = REACH;
  for (const spot of spots) {
    const away = Math.hypot(spot.x - x, spot.y - y);
    if (away <= least) [nearest, least] = [spot, away];
  }
  if (!nearest) return [];
  const { x: there, y: high } = nearest;
  return spots.flatMap((spot, index) => (Math.hypot(spot.x - there, spot.y - high) <= SAME ? index : []));
}

/** The one of several spots at one place that a click means: where one of them is chosen, the next. */
export function nextOf(spots: readonly Spot[], there: readonly number[], chosen: string | null): number | null {
  const now = there.findIndex((index) => chosen !== null && spots[index]!.runs.length === 1 && spots[index]!.runs[0] === chosen);
  return there.length ? there[(now + 1) % there.length]! : null;
}

/** More marks than this are smaller: they would hide each other. */
const MANY = 300;

/** Marks as one path: a chart has thousands of them. */
export function marksPath(shape: Shape, at: readonly [number, number][]): string {
  const r = SIZES[shape] * (at.length > MANY ? 0.6 : 1);
  const one = ([cx, cy]: [number, number]): string => {
    const [x, y] = [cx.toFixed(1), cy.toFixed(1)];
    switch (shape) {
      case "dot":
      case "ring":
        return `M${x} ${y}m${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
      case "square":
        return `M${x} ${y}m${-r} ${-r}h${2 * r}v${2 * r}h${-2 * r}z`;
      case "diamond":
        return `M${x} ${y}m0 ${-r}l${r} ${r}l${-r} ${r}l${-r} ${-r}z`;
      case "triangle":
        return `M${x} ${y}m0 ${-r}l${r} ${1.7 * r}h${-2 * r}z`;
      case "filled_left":
      case "hollow_left":
        return `M${x} ${y}m${-APART} ${-r}a${r} ${r} 0 0 0 0 ${2 * r}z`;
      case "filled_right":
      case "hollow_right":
        return `M${x} ${y}m${APART} ${-r}a${r} ${r} 0 0 1 0 ${2 * r}z`;
      case "cross":
        return `M${x} ${y}m${-r} ${-r}l${2 * r} ${2 * r}m0 ${-2 * r}l${-2 * r} ${2 * r}`;
    }
  };
  return at.map(one).join("");
}

export const linePath = (at: readonly [number, number][]) => at.map(([x, y], k) => `${k ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
