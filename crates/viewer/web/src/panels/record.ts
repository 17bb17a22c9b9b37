/** A recorded ground motion: its files, what they hold, and how strong it is to be. */

import { base64 } from "../actions/open";
import { ask } from "../actions/server";
import { length, shown, significant } from "../format";
import { wayWords } from "../margins";
import { plot } from "../plots/plot";
import * as state from "../state";
import { effect, signal } from "../store";
import { facts, segments, select, slider } from "../ui/controls";
import { h } from "../ui/h";
import type { MotionAsked, RecordAnswer, RecordFile, Vec3 } from "../wire/types";

type Way = "file" | "x" | "y" | "z";

interface Part {
  file: { name: string; base64: string };
  way: Way;
}

/** A motion has three directions. */
const MOST_PARTS = 3;
const WAYS: Way[] = ["file", "y", "z"];

const parts = signal<readonly Part[]>([]);
const scaling = signal<"factor" | "pga">("factor");
const factor = signal(1);
const pga = signal(0.3);
const held = signal<RecordAnswer | null>(null);

const directionOf = (way: Way): { direction?: Vec3 } => (way === "file" ? {} : { direction: state.AXES[way] });
const components = (): RecordFile[] => parts.peek().map(({ file, way }) => ({ file, ...directionOf(way) }));

/** What the server is asked to shake with; null where there is no record yet. */
export function recordAsked(): MotionAsked | null {
  if (!parts.peek().length) return null;
  const strength = scaling.peek() === "pga" ? { amplitude_g: pga.peek() } : { scale: factor.peek() };
  return { kind: "record", components: components(), ...strength };
}

export const recordLabel = () => {
  const names = parts.peek().map(({ file }) => file.name).join(", ");
  return `${names}, ${scaling.peek() === "pga" ? `${significant(pga.peek())} g` : `× ${significant(factor.peek())}`}`;
};

/** What it holds, unscaled. */
export const recordHeld = () => held.peek();

let turn = 0;

/** Reads the record anew; `seconds` is told how long it is. */
async function look(seconds: (duration: number) => void): Promise<void> {
  const mine = ++turn;
  if (!parts.peek().length) return held.set(null);
  const answer = await ask<RecordAnswer>("record", { components: components() });
  if (mine !== turn) return;
  held.set(answer);
  if (answer) seconds(answer.duration_s);
}

/** By how much what the files hold is multiplied. */
function times(): number {
  if (scaling() === "factor") return factor();
  const peak = Math.max(0, ...(held()?.components ?? []).map((each) => each.pga_g ?? 0));
  return peak > 0 ? pga() / peak : 1;
}

export function recordFields(seconds: (duration: number) => void): HTMLElement {
  const input = h("input", { type: "file", id: "record-file", accept: ".at2,.AT2,.vt2,.VT2,.dt2,.DT2,.csv,.txt,.dat", multiple: true, testid: "record-file" });
  input.addEventListener("change", async () => {
    const files = [...(input.files ?? [])];
    if (files.length > MOST_PARTS) {
      state.notice.set({ tone: "error", text: `${files.length} files were chosen; a motion has 1 to ${MOST_PARTS} components.`, help: "Choose one file for each direction." });
      return;
    }
    const read = await Promise.all(files.map(async (file, k) => ({ file: { name: file.name, base64: await base64(file) }, way: WAYS[k]! })));
    // One file may hold all components; several hold one each.
    parts.set(read.length > 1 ? read.map((part, k) => ({ ...part, way: (["x", "y", "z"] as const)[k]! })) : read);
    await look(seconds);
  });
  const ways = h("div", {});
  effect(() => {
    ways.replaceChildren(
      ...parts().map((part, index) =>
        select<Way>(
          parts().length > 1 ? part.file.name : "Direction",
          () => [{ value: "file", label: "as its file says" }, { value: "x", label: "along x" }, { value: "y", label: "along y" }, { value: "z", label: "up" }],
          () => part.way,
          (way) => {
            parts.update((all) => all.map((each, k) => (k === index ? { ...each, way } : each)));
            void look(seconds);
          },
          `record-way-${index}`,
        ),
      ),
    );
  });
  const byFactor = slider({ label: "Scale", unit: "×", least: 0.1, most: 4, step: 0.1, hardLeast: 0.001, hardMost: 100, value: () => factor(), onInput: (value) => factor.set(value), testid: "record-scale" });
  const byPeak = slider({ label: "Peak ground acceleration", unit: "g", least: 0.05, most: 1.5, step: 0.01, hardLeast: 0.0001, hardMost: 20, value: () => pga(), onInput: (value) => pga.set(value), testid: "record-pga" });
  effect(() => {
    byFactor.hidden = scaling() !== "factor";
    byPeak.hidden = scaling() !== "pga";
  });
  const isKnown = () => (held()?.components.length ?? 0) > 0;
  const accelerogram = plot({
    title: () => (held()?.components.every(({ quantity }) => quantity === "acceleration") ? "Accelerogram" : `Record (${held()?.components[0]?.quantity ?? ""})`),
    unit: "g", playhead: () => (state.onRun() ? state.playhead() : 0), onSeek: () => {}, testid: "plot-record", height: 104,
    data: () => ({ times: [], series: (held()?.components ?? []).map((each, style) => ({ name: wayWords(each.direction), style, times: each.times_s, values: each.values.map((value) => value * times()) })) }),
  });
  const spectrum = plot({
    title: () => `Response spectrum, ${Math.round(100 * (held()?.damping ?? 0))} % damping, by period`,
    unit: "g", playhead: () => 0, onSeek: () => {}, testid: "plot-spectrum", height: 104,
    data: () => ({ times: held()?.periods_s ?? [], series: (held()?.components ?? []).filter((each) => each.spectrum_g.length).map((each, style) => ({ name: wayWords(each.direction), style, values: each.spectrum_g.map((value) => value * times()) })) }),
  });
  const list = facts(() => {
    const by = times();
    const all = held()?.components ?? [];
    return all.flatMap((each): [string, string][] => {
      const which = all.length > 1 ? ` ${wayWords(each.direction)}` : "";
      return [
        [`PGA${which}`, each.pga_g === null ? "–" : `${significant(each.pga_g * by)} g`],
        [`PGV${which}`, shown("speed", each.pgv_m_s * by)],
        [`PGD${which}`, length(each.pgd_m * by)],
        [`Duration${which}`, `${significant(each.duration_s)} s${each.significant_duration_s === null ? "" : `, strong for ${significant(each.significant_duration_s)} s`}`],
      ];
    });
  });
  list.dataset.testid = "record-facts";
  const known = h("div", {}, list, accelerogram, spectrum);
  effect(() => void (known.hidden = !isKnown()));
  return h(
    "div",
    { class: "record" },
    h("div", { class: "file-row" }, h("label", { for: "record-file" }, "Record"), input),
    h("p", { class: "hint" }, "A PEER .AT2 file, or a table of time and acceleration: in g where its header names no unit. One file for each direction, or one with several columns."),
    ways,
    h("div", { class: "choice-row" }, h("span", { "aria-hidden": "true" }, "Strength"), segments<"factor" | "pga">("Strength of the record", [{ value: "factor", label: "Factor" }, { value: "pga", label: "To a PGA" }], scaling, "record-scaling")),
    byFactor,
    byPeak,
    known,
  );
}

