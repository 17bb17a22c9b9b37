/** A small plot over time: axes, ticks, units, a readout under the pointer and a line at the playhead. */

import { significant } from "../format";
import { effect } from "../store";
import { h, s } from "../ui/h";
import { axisUnit, tickLabel, tickStep, ticks } from "./ticks";

export interface Series {
  name: string;
  /** A class that gives it its colour and dash: `series-0` and so on. */
  style: number;
  values: ArrayLike<number>;
  /** Of its own, where it is not of the run on screen. */
  times?: ArrayLike<number>;
}

export interface PlotData {
  times: ArrayLike<number>;
  series: Series[];
  /** What lies farther from zero is cut off: it would hide all that matters. */
  limit?: number;
}

export interface PlotOptions {
  title: string | (() => string);
  unit: string;
  data: () => PlotData;
  playhead: () => number;
  onSeek: (time: number) => void;
  testid?: string;
  height?: number;
}

export const WIDTH = 288;
export const HEIGHT = 132;
export const LEFT = 40;
export const RIGHT = 8;
export const TOP = 8;
export const BOTTOM = 22;

/** Least and most of all series, with zero, and some room. */
export function extent(series: Series[]): [number, number] {
  let least = 0;
  let most = 0;
  for (const { values } of series)
    for (let index = 0; index < values.length; index++) {
      const value = values[index]!;
      if (value < least) least = value;
      if (value > most) most = value;
    }
  if (least === most) return [0, 1];
  const room = (most - least) * 0.06;
  return [least < 0 ? least - room : 0, most > 0 ? most + room : 0];
}

export function plot(options: PlotOptions): HTMLElement {
  const height = options.height ?? HEIGHT;
  const frame = s("svg", { viewBox: `0 0 ${WIDTH} ${height}`, class: "plot-svg", role: "img" });
  const drawing = s("g");
  const cursor = s("line", { class: "plot-cursor", y1: TOP, y2: height - BOTTOM });
  const head = s("line", { class: "plot-head", y1: TOP, y2: height - BOTTOM });
  frame.append(drawing, head, cursor);
  const key = h("div", { class: "plot-key" });
  const title = h("span", { class: "plot-title" });
  const heading = () => (typeof options.title === "string" ? options.title : options.title());
  let now: PlotData = { times: [], series: [] };
  let span = 1;
  let unit = { scale: 1, unit: options.unit };
  let hovered: number | null = null;

  const toX = (time: number) => LEFT + (time / span) * (WIDTH - LEFT - RIGHT);
  const timeAt = (event: PointerEvent | MouseEvent) => {
    const box = frame.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * WIDTH;
    return Math.min(Math.max(((x - LEFT) / (WIDTH - LEFT - RIGHT)) * span, 0), span);
  };

  function readout(): void {
    const time = hovered ?? options.playhead();
    const at = (times: ArrayLike<number>) => {
      let index = 0;
      while (index + 1 < times.length && times[index + 1]! <= time) index++;
      return index;
    };
    key.replaceChildren(
      ...now.series.map((series) =>
        h(
          "span",
          { class: `plot-entry series-${series.style}` },
          h("i", { "aria-hidden": "true" }),
          `${series.name} `,
          h("b", {}, series.values.length ? significant(series.values[at(series.times ?? now.times)]! * unit.scale) : "–"),
        ),
      ),
    );
    cursor.setAttribute("visibility", hovered === null ? "hidden" : "visible");
    cursor.setAttribute("x1", String(toX(time)));
    cursor.setAttribute("x2", String(toX(time)));
  }

  function draw(): void {
    now = options.data();
    const lastOf = (times: ArrayLike<number>) => times[times.length - 1] ?? 0;
    span = Math.max(lastOf(now.times), ...now.series.map((series) => lastOf(series.times ?? [])), 0.1);
    const all = extent(now.series);
    const limit = now.limit ?? Infinity;
    const [low, high] = [Math.max(all[0], -limit), Math.min(all[1], limit)];
    const isCut = low > all[0] || high < all[1];
    // Accelerations are told in g, however small.
    unit = options.unit === "g" ? { scale: 1, unit: "g" } : axisUnit(options.unit, Math.max(Math.abs(low), Math.abs(high)));
    title.textContent = `${heading()} (${unit.unit}${isCut ? `, cut at ${significant(limit * unit.scale)}` : ""})`;
    frame.setAttribute("aria-label", title.textContent);
    const [least, most] = [low * unit.scale, high * unit.scale];
    const toY = (value: number) => TOP + ((most - Math.min(Math.max(value, least), most)) / (most - least)) * (height - TOP - BOTTOM);
    const parts: SVGElement[] = [];
    const stepY = tickStep(most - least, 4);
    for (const value of ticks(least, most, 4)) {
      const y = toY(value);
      parts.push(s("line", { class: "plot-grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y }));
      parts.push(text(LEFT - 5, y + 3.5, tickLabel(value, stepY), "end"));
    }
    const stepX = tickStep(span, 5);
    for (const time of ticks(0, span, 5)) {
      parts.push(s("line", { class: "plot-grid faint", x1: toX(time), x2: toX(time), y1: TOP, y2: height - BOTTOM }));
      if (toX(time) < WIDTH - 24) parts.push(text(toX(time), height - 8, tickLabel(time, stepX), "middle"));
    }
    parts.push(text(WIDTH - RIGHT, height - 8, "s", "end"));
    for (const series of now.series) parts.push(s("path", { class: `plot-line series-${series.style}`, d: path(series, toY) }));
    drawing.replaceChildren(...parts);
    readout();
  }

  /** At most two points a pixel: a run of a minute has thousands of frames. */
  function path(series: Series, toY: (value: number) => number): string {
    const times = series.times ?? now.times;
    const count = Math.min(series.values.length, times.length);
    const stride = Math.max(1, Math.floor(count / (2 * WIDTH)));
    let d = "";
    for (let index = 0; index < count; index += stride)
      d += `${d ? "L" : "M"}${toX(times[index]!).toFixed(1)} ${toY(series.values[index]! * unit.scale).toFixed(1)}`;
    return d;
  }

  frame.addEventListener("pointermove", (event) => {
    hovered = timeAt(event);
    if (event.buttons & 1) options.onSeek(hovered);
    readout();
  });
  frame.addEventListener("pointerleave", () => {
    hovered = null;
    readout();
  });
  frame.addEventListener("pointerdown", (event) => options.onSeek(timeAt(event)));
  effect(draw);
  effect(() => {
    const x = String(toX(options.playhead()));
    head.setAttribute("x1", x);
    head.setAttribute("x2", x);
    readout();
  });
  return h("figure", { class: "plot", testid: options.testid }, h("figcaption", {}, title), frame, key);
}

export function text(x: number, y: number, words: string, anchor: string): SVGTextElement {
  const element = s("text", { x, y, "text-anchor": anchor, class: "plot-text" });
  element.textContent = words;
  return element;
}
