/** What colours and marks in the view stand for, with numbers and units. */

import { significant } from "../format";
import { css, gradient, heat, stressColor, viridis } from "../scene/colors";
import { stressScale } from "../scene/forces";
import { countOf } from "../scene/hinges";
import { mechanismNow } from "../scene/marks";
import { stressEnd } from "../scene/skin";
import * as state from "../state";
import { effect } from "../store";
import { h } from "../ui/h";
import { unitFor } from "../units";

interface Scale {
  title: string;
  color: (t: number) => [number, number, number];
  /** Words at equal distances along it. */
  ticks: string[];
}

const PARTS = [0, 0.25, 0.5, 0.75, 1];

/** A scale of pressures from 0 to `most`; what is larger, up to `largest`, has the colour of its end. */
function pressures(title: string, most: number, largest: number, color: Scale["color"]): Scale {
  const unit = unitFor("pressure", most);
  const beyond = largest > most * 1.0001 ? "≥ " : "";
  return { title: `${title} (${unit.name})`, color, ticks: PARTS.map((part) => `${part === 1 ? beyond : ""}${significant((part * most) / unit.si, 2)}`) };
}

function scaleNow(): Scale | null {
  const tab = state.tab();
  if (state.onPath()) {
    const [path, points] = [state.path(), (state.pointsSeen(), state.path()?.points ?? [])];
    const largest = points.reduce((all, point) => Math.max(all, point.max_von_mises_pa ?? 0), 0);
    return path?.skin && state.show.stressOnPath() && !state.fallsOnPath() ? pressures("Von Mises stress", stressEnd(points), largest, heat) : null;
  }
  if (!state.atRest()) return null;
  if (tab === "check" && state.show.use() && state.check()?.answer.verdict === "stable")
    return { title: "Friction in use, of what slides", color: viridis, ticks: PARTS.map((part) => `${100 * part} %`) };
  const thrust = tab === "thrust" && state.show.stress() ? state.thrust() : null;
  const largest = thrust?.stress.reduce((all, { most_pa }) => Math.max(all, most_pa), 0) ?? 0;
  return thrust?.stress.length ? pressures("Pressure on joints", stressScale(thrust), largest, stressColor) : null;
}

export function colorBar(): HTMLElement {
  const bar = h("div", { class: "color-bar", testid: "color-bar" });
  const marks = h("div", { class: "mark-key", testid: "mark-key" });
  effect(() => {
    const scale = scaleNow();
    bar.hidden = scale === null;
    if (!scale) return;
    bar.replaceChildren(
      h("span", { class: "color-title" }, scale.title),
      h("div", { class: "legend-bar", style: `background:${gradient(scale.color)}` }),
      h("div", { class: "color-ticks" }, scale.ticks.map((text) => h("span", {}, text))),
    );
    bar.dataset.colors = [0, 1].map((t) => css(scale.color(t))).join(" ");
  });
  effect(() => {
    const { hinges, opens, slides } = countOf(mechanismNow());
    const words: [string, number, string][] = [["hinge", hinges, hinges === 1 ? "hinge" : "hinges"], ["opening", opens, "open"], ["slip", slides, slides === 1 ? "slides" : "slide"]];
    marks.hidden = hinges + opens + slides === 0;
    marks.replaceChildren(...words.filter(([, count]) => count > 0).map(([kind, count, what]) => h("span", {}, h("i", { class: `mark ${kind}`, "aria-hidden": "true" }), `${count} ${what}`)));
  });
  return h("div", { class: "view-key" }, marks, bar);
}
