/** Does it stand? The question on top, the verdict beneath, then what is drawn and how far it could go. */

import { capacity, certificate, criticalTilt, leastFriction } from "../actions/ask";
import { plural, significant } from "../format";
import { AS_IN_MODEL, withSupports } from "../question";
import { gradient, viridis } from "../scene/colors";
import * as state from "../state";
import { effect, signal } from "../store";
import { button, checkbox, legend, section, segments, select, slider } from "../ui/controls";
import { dial } from "../ui/dial";
import { h } from "../ui/h";
import type { Method, Vec3 } from "../wire/types";
import { verdictCard } from "./verdict";

const METHODS: { value: Method; label: string; says: string }[] = [
  { value: "cone", label: "Cone: forces that balance", says: "Any forces within friction that balance count. Prestress admitted." },
  { value: "rbe", label: "RBE: rigid-block equilibrium", says: "As cone; where it falls, tells the tension that would hold it. Prestress admitted." },
  { value: "cra", label: "CRA: coupled rigid-block analysis", says: "Only forces that a small motion calls up count. Prestress excluded; slower." },
  { value: "cra-penalty", label: "CRA penalty: coupled, with tension", says: "As CRA; where it falls, tells the tension that would hold it. Prestress excluded." },
];

const DIRECTIONS: Record<string, Vec3> = { "+x": [1, 0, 0], "-x": [-1, 0, 0], "+y": [0, 1, 0], "-y": [0, -1, 0] };

function methodField(): HTMLElement {
  const says = h("p", { class: "hint" });
  effect(() => void (says.textContent = METHODS.find((each) => each.value === state.method())!.says));
  return h(
    "div",
    {},
    select("Method", () => METHODS.map(({ value, label }) => ({ value, label })), () => state.method(), (value) => state.method.set(value), "method"),
    says,
  );
}

function tiltField(): HTMLElement {
  return h(
    "div",
    { class: "tilt-row" },
    dial({ label: "Tilt", least: -45, most: 45, value: () => state.tiltDeg(), onInput: (value) => state.tiltDeg.set(value), testid: "tilt" }),
    h(
      "div",
      { class: "tilt-side" },
      h("span", { class: "label" }, "Tilt about"),
      segments("Axis of the tilt", [{ value: "x", label: "x" }, { value: "y", label: "y" }], state.tiltAxis as typeof state.tiltAxis, "tilt-axis"),
      button({ label: "Upright", kind: "quiet", icon: "reset", disabled: () => state.tiltDeg() === 0, onclick: () => state.tiltDeg.set(0), testid: "tilt-reset" }),
    ),
  );
}

/** Supports for this question alone; the model is not changed. */
function supportsField(): HTMLElement {
  const text = h("span", { class: "row-label", testid: "support-count" });
  const fixedNow = () => state.heldFixed() ?? (state.model()?.blocks ?? []).filter((block) => block.fixed).map((block) => block.name);
  effect(() => void (text.textContent = `${plural(fixedNow().length, "support")}${state.heldFixed() ? " (changed)" : ""}`));
  const nothing = () => state.selection().size === 0;
  const hold = (held: boolean) =>
    state.supports.update((change) => withSupports(state.model.peek()?.blocks ?? [], change, state.selectedNames(), held));
  return h(
    "div",
    { class: "button-row labelled" },
    text,
    button({
      label: "Hold", disabled: nothing, testid: "hold", title: "Treat the selected blocks as supports in this check",
      onclick: () => hold(true),
    }),
    button({
      label: "Release", disabled: nothing, testid: "release", title: "Treat the selected blocks as free in this check",
      onclick: () => hold(false),
    }),
    button({ label: "Supports as in the model", icon: "reset", iconOnly: true, kind: "quiet", disabled: () => state.heldFixed() === null, onclick: () => state.supports.set(AS_IN_MODEL), testid: "supports-reset" }),
  );
}

/** Some blocks alone, with what they touch held still. */
function aloneField(): HTMLElement {
  const text = h("span", { class: "row-label" });
  effect(() => {
    const names = state.only();
    text.textContent = names ? `${plural(names.length, "block")} alone` : "All blocks";
    text.title = names ? "Their neighbours are supports" : "";
  });
  return h(
    "div",
    { class: "button-row labelled" },
    text,
    button({
      label: "Selection alone", disabled: () => state.selection().size === 0, testid: "check-alone",
      title: "Ask about the selected blocks alone, with their neighbours as supports",
      onclick: () => state.only.set(state.selectedNames()),
    }),
    button({ label: "All blocks again", icon: "reset", iconOnly: true, kind: "quiet", disabled: () => state.only() === null, onclick: () => state.only.set(null), testid: "check-all" }),
  );
}

function loadsField(): HTMLElement {
  const box = h("div", {});
  effect(() => {
    const names = state.model()?.loads ?? [];
    box.replaceChildren(
      ...names.map((name) =>
        slider({
          label: `Load “${name}”`, unit: "×", least: 0, most: 3, step: 0.05, hardMost: 1e6,
          value: () => state.loadFactors().get(name) ?? 0,
          onInput: (value) => state.loadFactors.update((factors) => new Map(factors).set(name, value)),
          testid: `load-${name}`,
        }),
      ),
    );
  });
  return box;
}

function drawnSection(): HTMLElement {
  const mechanism = h(
    "div",
    { class: "mechanism" },
    h(
      "div",
      { class: "button-row" },
      button({
        label: "Play mechanism", icon: "play", pressedIcon: "pause", testid: "mechanism-play",
        pressed: () => state.show.mechanismPlays(), onclick: () => state.show.mechanismPlays.update((on) => !on),
      }),
    ),
    slider({ label: "Amplitude", unit: "×", least: 0, most: 4, step: 0.1, value: () => state.show.mechanismAmplitude(), onInput: (value) => state.show.mechanismAmplitude.set(value), testid: "mechanism-amplitude" }),
  );
  const use = legend("Friction in use", gradient(viridis), () => "free", () => "slides");
  effect(() => {
    const verdict = state.check()?.answer.verdict;
    mechanism.hidden = verdict !== "unstable";
    use.hidden = verdict !== "stable" || !state.show.use();
  });
  return section(
    "Drawn",
    h(
      "div",
      { class: "checks" },
      checkbox("Friction in use", state.show.use, "show-use"),
      checkbox("Resultants", state.show.resultants, "show-resultants", "effective"),
      checkbox("Contact forces", state.show.forces, "show-forces", "force"),
      checkbox("Mechanism", state.show.mechanism, "show-mechanism", "unstable"),
      checkbox("Tension", state.show.tension, "show-tension", "tension"),
    ),
    use,
    mechanism,
    slider({ label: "Arrow length", unit: "×", least: 0.2, most: 4, step: 0.1, value: () => state.show.forceScale(), onInput: (value) => state.show.forceScale.set(value), testid: "force-scale" }),
  );
}

function farSection(): HTMLElement {
  const result = h("p", { class: "result", role: "status", testid: "far-result" });
  const direction = signal("+x");
  const tell = (text: string | null) => {
    result.textContent = text ?? "";
  };
  effect(() => {
    // An answer belongs to the question as it was asked.
    state.situation();
    state.method();
    state.model();
    tell(null);
  });
  const wait = () => state.busy() !== null || state.model() === null;
  return section(
    "How far",
    h(
      "div",
      { class: "button-row" },
      button({
        label: "Critical tilt", testid: "critical-tilt", disabled: wait,
        onclick: async () => {
          const axis = state.tiltAxis.peek();
          const answer = await criticalTilt();
          if (answer)
            tell(
              answer.critical_tilt_deg === null
                ? "It does not stand upright by this method."
                : `It stands up to ${answer.critical_tilt_deg.toFixed(2)}° about ${axis}${answer.stands_again ? ", and again farther on" : ""}.`,
            );
        },
      }),
      button({
        label: "Least friction", testid: "least-friction", disabled: wait,
        onclick: async () => {
          const answer = await leastFriction();
          if (answer)
            tell(
              answer.least_friction === null
                ? "No friction makes it stand by this method."
                : `It needs a friction of at least ${significant(answer.least_friction)}${answer.friction_factor === null ? "" : ` (${significant(answer.friction_factor)} of what it has)`}.`,
            );
        },
      }),
    ),
    h(
      "div",
      { class: "button-row end" },
      select("Push towards", () => Object.keys(DIRECTIONS).map((value) => ({ value, label: value.replace("-", "−") })), () => direction(), (value) => direction.set(value), "capacity-direction"),
      button({
        label: "Capacity", testid: "capacity", disabled: wait,
        onclick: async () => {
          const answer = await capacity(DIRECTIONS[direction.peek()]!);
          if (!answer) return;
          const upper = answer.bounds?.[1];
          const range = answer.multiplier === null ? "" : `It carries ${significant(answer.multiplier)} g sideways${upper == null ? "" : ` (at most ${significant(upper)} g)`}.`;
          tell([range, answer.note].filter(Boolean).join(" "));
        },
      }),
    ),
    result,
    h("div", { class: "button-row" }, button({ label: "Download certificate", icon: "save", testid: "certificate", disabled: () => state.check() === null, onclick: () => void certificate() })),
  );
}

export function checkPanel(): HTMLElement {
  return h(
    "div",
    { class: "panel-body" },
    verdictCard(),
    section(
      "Question",
      methodField(),
      slider({
        label: "Friction", unit: "µ", least: 0, most: 1.2, step: 0.01, hardMost: 1000,
        value: () => state.friction() ?? state.model()?.friction ?? 0.6,
        onInput: (value) => state.friction.set(value),
        changed: () => state.friction() !== null, onReset: () => state.friction.set(null), testid: "friction",
      }),
      slider({
        label: "Density", unit: "kg/m³", least: 500, most: 4000, step: 50, hardLeast: 1, hardMost: 1e6,
        value: () => state.density() ?? state.model()?.density ?? 2000,
        onInput: (value) => state.density.set(value),
        changed: () => state.density() !== null, onReset: () => state.density.set(null), testid: "density",
      }),
      tiltField(),
      loadsField(),
      supportsField(),
      aloneField(),
    ),
    drawnSection(),
    farSection(),
  );
}
