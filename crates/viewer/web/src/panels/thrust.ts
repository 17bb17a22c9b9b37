/** Where forces run: thrust lines, stress on joints, flow. */

import { force, pressure, shown } from "../format";
import * as state from "../state";
import { effect } from "../store";
import { checkbox, facts, section, slider } from "../ui/controls";
import { h } from "../ui/h";
import type { ThrustAnswer } from "../wire/types";

const KINDS = { computed: "Computed", minimum: "Minimum thrust", maximum: "Maximum thrust" } as const;

/** Why there are no lines of minimum and maximum thrust; null where there are. */
export function whyUnbounded({ lines, verdict }: ThrustAnswer): string | null {
  if (lines.some(({ kind }) => kind !== "computed")) return null;
  const none = "No lines of minimum and maximum thrust:";
  if (!lines.some(({ arch }) => arch)) return `${none} they are those of arches, and no blocks here lead from one support over to another.`;
  if (verdict !== "stable") return `${none} they bound the thrusts under which an arch stands, and this one was not found to.`;
  return `${none} they could not be found.`;
}

export function thrustPanel(): HTMLElement {
  const most = () => Math.max(...(state.thrust()?.stress ?? []).map((joint) => joint.most_pa), 0);
  const intro = h("p", { class: "hint", testid: "thrust-status" });
  effect(() => {
    const thrust = state.thrust();
    const lines = thrust?.lines.length ?? 0;
    intro.textContent = !thrust
      ? "Computing thrust and stress…"
      : lines
        ? "The computed line runs through the resultants of the joints; the lines of minimum and maximum thrust bound what an arch without tension can do."
        : "No chain of blocks was found that a thrust line could follow; stress and flow are shown.";
  });
  const absent = h("p", { class: "hint", testid: "bounds-absent" });
  effect(() => {
    const thrust = state.thrust();
    const why = thrust && state.show.lineBounds() ? whyUnbounded(thrust) : null;
    absent.hidden = why === null;
    absent.textContent = why ?? "";
  });
  return h(
    "div",
    { class: "panel-body" },
    section(
      "Thrust lines",
      intro,
      h("div", {}, checkbox("Computed", state.show.lineComputed, "line-computed", "computed"), checkbox("Minimum and maximum", state.show.lineBounds, "line-bounds", "minimum")),
      absent,
      facts(() => (state.thrust()?.lines ?? []).map((line) => [line.name && line.kind === "computed" && line.name !== "computed" ? `${KINDS[line.kind]}, ${line.name}` : KINDS[line.kind], force(line.thrust_n)])),
    ),
    section(
      "Stress",
      checkbox("Pressure on joints", state.show.stress, "show-stress"),
      facts(() => {
        const stress = state.thrust()?.stress ?? [];
        if (!stress.length) return [];
        const outside = stress.filter((joint) => !joint.in_kernel).length;
        return [["Largest", pressure(most())], ["Joints partly in tension (open)", `${outside} of ${stress.length}`]];
      }),
    ),
    section(
      "Flow of forces",
      checkbox("Arrows at heights", state.show.flow, "show-flow", "force"),
      slider({ label: "Arrow length", unit: "×", least: 0.2, most: 4, step: 0.1, value: () => state.show.flowScale(), onInput: (value) => state.show.flowScale.set(value), testid: "flow-scale" }),
      facts(() => (state.thrust()?.flow ?? []).slice(0, 8).map((level) => [`At ${shown("length", level.height_m)}`, force(level.vertical_n)])),
    ),
  );
}
