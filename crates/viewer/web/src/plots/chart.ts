/** A chart of a study: lines and marks with their axes, and points that runs stand behind, each a click or a key away. */

import { plural, sentence } from "../format";
import { effect, signal, untracked } from "../store";
import { h, s, uniqueId } from "../ui/h";
import type { Chart } from "../wire/types";
import { type Drawn, type Layout, layoutOf, linePath, marksPath, nextOf, spotsAt } from "./layout";
import { text } from "./plot";

export interface ChartOptions {
  data: () => Chart;
  /** The run that is chosen: it is marked wherever it is. */
  chosen: () => string | null;
  /** Told of the runs behind a point, and what the point is. */
  onPick: (runs: string[], says: string) => void;
  testid?: string;
}

const heightOf = (width: number) => Math.round(Math.min(Math.max(0.66 * width, 180), 300));

export function chartFigure(options: ChartOptions): HTMLElement {
  const clip = uniqueId("field");
  const frame = s("svg", { class: "plot-svg chart" });
  const drawing = s("g");
  const marked = s("path", { class: "chart-chosen" });
  const hover = s("circle", { class: "plot-hover", r: 8, visibility: "hidden" });
  frame.append(drawing, marked, hover);
  const title = h("figcaption", { class: "plot-title" });
  const key = h("div", { class: "plot-key chart-key" });
  const readout = h("p", { class: "chart-readout hint" });
  const width = signal(0);
  let now: Layout | null = null;
  /** The spot under the pointer or the cursor of the keyboard. */
  let cursor: number | null = null;
  let several = 1;

  function tell(): void {
    const spot = cursor === null ? undefined : now?.spots[cursor];
    hover.setAttribute("visibility", spot ? "visible" : "hidden");
    if (spot) {
      hover.setAttribute("cx", String(spot.x));
      hover.setAttribute("cy", String(spot.y));
    }
    const more = several > 1 ? ` (${several} points here: click again for the next)` : "";
    const runs = spot && spot.runs.length > 1 ? ` – ${plural(spot.runs.length, "run")}` : "";
    readout.textContent = spot ? `${spot.says}${runs}${more}` : now?.spots.length ? "Click a point to see its run." : "";
    if (!now?.spots.length) return;
    frame.setAttribute("aria-valuenow", String((cursor ?? 0) + 1));
    frame.setAttribute("aria-valuetext", spot ? `${spot.says}${runs}` : plural(now.spots.length, "point"));
  }

  function mark(): void {
    const chosen = options.chosen();
    const there = now?.spots.filter(({ runs }) => chosen !== null && runs.includes(chosen)) ?? [];
    marked.setAttribute("d", marksPath("ring", there.map(({ x, y }) => [x, y])));
  }

  function draw(): void {
    const chart = options.data();
    if (!width()) return;
    now = layoutOf(chart, width(), heightOf(width()));
    const { field, x, y, drawn } = now;
    title.textContent = sentence(chart.title);
    frame.setAttribute("viewBox", `0 0 ${now.width} ${now.height}`);
    frame.setAttribute("aria-label", chart.title);
    // Where points stand for runs one goes from point to point, as along a slider.
    frame.setAttribute("role", now.spots.length ? "slider" : "img");
    for (const [name, value] of [["tabindex", "0"], ["aria-valuemin", "1"], ["aria-valuemax", String(now.spots.length)]] as const)
      if (now.spots.length) frame.setAttribute(name, value);
      else frame.removeAttribute(name);
    const parts: SVGElement[] = [s("clipPath", { id: clip }, s("rect", { x: field.left, y: field.top - 1, width: field.right - field.left, height: field.bottom - field.top + 2 }))];
    for (const { at, label } of y.ticks) {
      parts.push(s("line", { class: "plot-grid", x1: field.left, x2: field.right, y1: y.place(at), y2: y.place(at) }));
      parts.push(text(field.left - 5, y.place(at) + 3.5, label, "end"));
    }
    for (const { at, label } of x.ticks) {
      parts.push(s("line", { class: "plot-grid faint", x1: x.place(at), x2: x.place(at), y1: field.top, y2: field.bottom }));
      parts.push(text(x.place(at), field.bottom + 17, label, "middle"));
    }
    parts.push(text(2, 10, chart.y, "start"));
    parts.push(text(field.right, now.height - 5, chart.x, "end"));
    for (const { series, shape, color, at, knots } of drawn) {
      if (shape) parts.push(s("path", { class: `chart-marks ${shape} ${color}`, d: marksPath(shape, at) }));
      else parts.push(s("path", { class: `plot-line ${series.mark} ${color}`, d: linePath(at), "clip-path": `url(#${clip})` }));
      if (knots.length) parts.push(s("path", { class: `chart-marks dot ${color}`, d: marksPath("dot", knots) }));
    }
    drawing.replaceChildren(...parts);
    key.replaceChildren(...drawn.filter(({ series, at }) => series.name && at.length).map(entry));
    if (cursor !== null && cursor >= now.spots.length) cursor = null;
    untracked(tell);
    untracked(mark);
  }

  const pointed = (event: PointerEvent | MouseEvent): number[] => {
    const box = frame.getBoundingClientRect();
    const scale = (now?.width ?? 1) / box.width;
    return spotsAt(now?.spots ?? [], (event.clientX - box.left) * scale, (event.clientY - box.top) * scale);
  };
  const pick = (index: number | null) => {
    const spot = index === null ? undefined : now?.spots[index];
    if (spot) options.onPick(spot.runs, spot.says);
  };
  frame.addEventListener("pointermove", (event) => {
    const there = pointed(event);
    several = there.length;
    if (cursor === null || !there.includes(cursor)) cursor = there[0] ?? null;
    frame.classList.toggle("over", there.length > 0);
    tell();
  });
  frame.addEventListener("pointerleave", () => {
    [cursor, several] = [null, 1];
    tell();
  });
  frame.addEventListener("click", (event) => {
    const there = pointed(event);
    const index = nextOf(now?.spots ?? [], there, untracked(options.chosen));
    if (index === null) return;
    [cursor, several] = [index, there.length];
    tell();
    pick(index);
  });
  frame.addEventListener("keydown", (event) => {
    const count = now?.spots.length ?? 0;
    if (!count) return;
    const step = (by: number) => (cursor === null ? (by > 0 ? 0 : count - 1) : Math.min(Math.max(cursor + by, 0), count - 1));
    const to: Record<string, () => number> = { ArrowRight: () => step(1), ArrowUp: () => step(1), ArrowLeft: () => step(-1), ArrowDown: () => step(-1), Home: () => 0, End: () => count - 1 };
    const go = to[event.key];
    if (go) [cursor, several] = [go(), 1];
    else if (event.key === "Enter" || event.key === " ") pick(cursor);
    else return;
    event.preventDefault();
    event.stopPropagation();
    tell();
  });
  const figure = h("figure", { class: "plot", testid: options.testid }, title, frame, key, readout);
  new ResizeObserver(() => width.set(Math.round(frame.clientWidth))).observe(frame);
  effect(draw);
  effect(mark);
  return figure;
}

/** A line of the legend. */
function entry({ series, color, shape }: Drawn): HTMLElement {
  const sample = s("svg", { width: 18, height: 12, "aria-hidden": "true" });
  const middle: [number, number] = [9, 6];
  sample.append(
    shape
      ? s("path", { class: `chart-marks ${shape} ${color}`, d: marksPath(shape, [middle]) })
      : s("path", { class: `plot-line ${series.mark} ${color}`, d: "M0 6H18" }),
  );
  return h("span", { class: "chart-entry" }, sample, series.name);
}
