/** A curve through the equilibria of a path, with a marker at the one on screen; a click goes to the nearest. */

import { significant } from "../format";
import type { CurveData } from "../stages";
import { effect, untracked } from "../store";
import { h, s } from "../ui/h";
import { BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, extent, text } from "./plot";
import { axisUnit, tickLabel, tickStep, ticks } from "./ticks";

export interface CurveOptions {
  data: () => CurveData;
  /** The equilibrium on screen, from zero; -1 before the first. */
  at: () => number;
  onPick: (index: number) => void;
  testid?: string;
}

/** A prefix where there is a unit that takes one. */
const scaled = (unit: string, [low, high]: [number, number]) => (unit === "m" ? axisUnit(unit, Math.max(Math.abs(low), Math.abs(high))) : { scale: 1, unit });

export function curve(options: CurveOptions): HTMLElement {
  const frame = s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "plot-svg", role: "img" });
  const drawing = s("g");
  const marker = s("circle", { class: "plot-marker", r: 4 });
  const hover = s("circle", { class: "plot-hover", r: 5, visibility: "hidden" });
  frame.append(drawing, hover, marker);
  const title = h("figcaption", { class: "plot-title" });
  const key = h("div", { class: "plot-key" });
  let now: CurveData = { title: "", x: [], y: [], units: ["", ""], index: [] };
  /** Where each point is in the picture. */
  let places: [number, number][] = [];
  let units = [scaled("", [0, 1]), scaled("", [0, 1])] as const;
  let hovered: number | null = null;

  /** The last point at or before the equilibrium on screen. */
  const current = () => now.index.filter((index) => index <= options.at()).length - 1;

  function mark(): void {
    const point = current();
    const place = places[point];
    marker.setAttribute("visibility", place ? "visible" : "hidden");
    if (place) [marker.setAttribute("cx", String(place[0])), marker.setAttribute("cy", String(place[1]))];
    const over = hovered === null ? undefined : places[hovered];
    hover.setAttribute("visibility", over ? "visible" : "hidden");
    if (over) [hover.setAttribute("cx", String(over[0])), hover.setAttribute("cy", String(over[1]))];
    const shown = hovered ?? point;
    const words = (values: number[], which: 0 | 1) => `${significant(values[shown]! * units[which].scale)} ${units[which].unit}`.trim();
    key.textContent = places[shown] ? `${words(now.y, 1)} at ${words(now.x, 0)}` : "";
  }

  function draw(): void {
    now = options.data();
    const spans = [now.x, now.y].map((values) => extent([{ name: "", style: 0, values }])) as [[number, number], [number, number]];
    units = [scaled(now.units[0], spans[0]), scaled(now.units[1], spans[1])];
    const [left, right] = spans[0].map((each) => each * units[0].scale) as [number, number];
    const [low, high] = spans[1].map((each) => each * units[1].scale) as [number, number];
    const toX = (value: number) => LEFT + ((value - left) / (right - left)) * (WIDTH - LEFT - RIGHT);
    const toY = (value: number) => TOP + ((high - value) / (high - low)) * (HEIGHT - TOP - BOTTOM);
    const heading = `${now.title}${units[1].unit ? ` (${units[1].unit})` : ""}`;
    title.textContent = heading;
    frame.setAttribute("aria-label", heading);
    const parts: SVGElement[] = [];
    for (const value of ticks(low, high, 4)) {
      parts.push(s("line", { class: "plot-grid", x1: LEFT, x2: WIDTH - RIGHT, y1: toY(value), y2: toY(value) }));
      parts.push(text(LEFT - 5, toY(value) + 3.5, tickLabel(value, tickStep(high - low, 4)), "end"));
    }
    for (const value of ticks(left, right, 5)) {
      parts.push(s("line", { class: "plot-grid faint", x1: toX(value), x2: toX(value), y1: TOP, y2: HEIGHT - BOTTOM }));
      if (toX(value) < WIDTH - 22 - 5 * units[0].unit.length) parts.push(text(toX(value), HEIGHT - 8, tickLabel(value, tickStep(right - left, 5)), "middle"));
    }
    parts.push(text(WIDTH - RIGHT, HEIGHT - 8, units[0].unit, "end"));
    places = now.x.map((x, k) => [toX(x * units[0].scale), toY(now.y[k]! * units[1].scale)]);
    parts.push(s("path", { class: "plot-line series-0", d: places.map(([x, y], k) => `${k ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("") }));
    drawing.replaceChildren(...parts);
    if (hovered !== null && hovered >= places.length) hovered = null;
    untracked(mark);
  }

  /** The point that is nearest in the picture. */
  function nearest(event: PointerEvent): number | null {
    const box = frame.getBoundingClientRect();
    const at = [((event.clientX - box.left) / box.width) * WIDTH, ((event.clientY - box.top) / box.height) * HEIGHT];
    let found: number | null = null;
    let least = Infinity;
    places.forEach(([x, y], k) => {
      const away = Math.hypot(x - at[0]!, y - at[1]!);
      if (away < least) [found, least] = [k, away];
    });
    return found;
  }

  const pick = (event: PointerEvent) => {
    const point = nearest(event);
    if (point !== null) options.onPick(now.index[point]!);
  };
  frame.addEventListener("pointermove", (event) => {
    hovered = nearest(event);
    if (event.buttons & 1) pick(event);
    mark();
  });
  frame.addEventListener("pointerleave", () => {
    hovered = null;
    mark();
  });
  frame.addEventListener("pointerdown", pick);
  effect(draw);
  effect(mark);
  return h("figure", { class: "plot", testid: options.testid }, title, frame, key);
}
