/** Does it stand? The verdict on top, the assumptions beneath, then what is displayed and the safety margins. */

import { plural, significant } from "../format";
import { AS_IN_MODEL, withSupports } from "../question";
import { pulled } from "../scene/forces";
import { loadsDrawn } from "../scene/loads";
import * as state from "../state";
import { type Signal, batch, collected, effect, signal } from "../store";
import { button, checkbox, plain, section, sectionWith, segments, select, slider } from "../ui/controls";
import { dial } from "../ui/dial";
import { h } from "../ui/h";
import { inDisplay } from "../units";
import type { Method } from "../wire/types";
import { marginsSection } from "./margins";
import { verdictCard } from "./verdict";

const METHODS: { value: Method; label: string; says: string; help: string }[] = [
  { value: "cone", label: "Cone: equilibrium within friction", says: "Self-stress allowed", help: "Any forces in equilibrium within friction limits count." },
  { value: "rbe", label: "RBE: rigid-block equilibrium", says: "Self-stress allowed, tells tension", help: "As cone; where it falls, tells the tension that would hold it." },
  { value: "cra", label: "CRA: coupled rigid-block analysis", says: "Self-stress not allowed, slower", help: "Only forces mobilised by displacement count; slower." },
  { value: "cra-penalty", label: "CRA penalty: coupled, with tension", says: "Self-stress not allowed, tells tension", help: "As CRA; where it falls, tells the tension that would hold it." },
];

const SELF_STRESS = "Self-stress: forces that no displacement has mobilised, as between blocks that are wedged.";

const methodNow = () => METHODS.find((each) => each.value === state.method())!;

function methodField(): HTMLElement {
  const row = select("Method", () => METHODS.map(({ value, label }) => ({ value, label })), () => state.method(), (value) => state.method.set(value), "method");
  row.querySelector("select")?.setAttribute("aria-describedby", "method-help");
  return row;
}

/** What the method takes for granted; the whole of it at a click. */
function methodRemark(): [HTMLElement, HTMLElement] {
  const explained = signal(false);
  const says = h("button", { type: "button", class: "hint disclose", "aria-controls": "method-help", testid: "method-remark" });
  says.addEventListener("click", () => explained.update((on) => !on));
  const help = h("p", { class: "hint", id: "method-help", testid: "method-help" });
  effect(() => {
    says.textContent = methodNow().says;
    says.setAttribute("aria-expanded", String(explained()));
    help.textContent = `${methodNow().help} ${SELF_STRESS}`;
    help.hidden = !explained();
  });
  return [says, help];
}

function tiltField(): HTMLElement {
  return h(
    "div",
    { class: "tilt" },
    dial({ label: "Tilt", least: -45, most: 45, value: () => state.tiltDeg(), onInput: (value) => state.tiltDeg.set(value), testid: "tilt" }),
    button({ label: "Upright", kind: "quiet", icon: "reset", iconOnly: true, disabled: () => state.tiltDeg() === 0, onclick: () => state.tiltDeg.set(0), testid: "tilt-reset" }),
    h(
      "div",
      { class: "tilt-axis" },
      h("span", { class: "unit", "aria-hidden": "true" }, "about"),
      segments("Axis of the tilt", [{ value: "x", label: "x" }, { value: "y", label: "y" }], state.tiltAxis as typeof state.tiltAxis, "tilt-axis"),
    ),
  );
}

/** A slider that stands where the model has it until it is moved, with a way back. */
function modelSlider(label: string, unit: string, range: { least: number; most: number; step: number; hardLeast?: number; hardMost: number }, asked: Signal<number | null>, own: () => number | null, otherwise: number, testid: string): HTMLElement {
  return slider({
    label, unit, ...range, testid,
    value: () => asked() ?? own() ?? otherwise,
    onInput: (value) => asked.set(value),
    changed: () => asked() !== null,
    onReset: () => asked.set(null),
    resetTo: () => {
      const value = own();
      const text = value === null ? "" : plain(value * inDisplay(unit).by);
      return { text, says: `${label} as in the model${text && `: ${text}`}` };
    },
  });
}

/** Where joints differ, a factor on all of them; one value for all only when that is asked for. */
function frictionField(): HTMLElement {
  const range = () => state.model()?.friction_range ?? [0, 0];
  const mixed = () => range()[1] > range()[0];
  const one = modelSlider("Friction", "µ", { least: 0, most: 1.2, step: 0.01, hardMost: 1000 }, state.friction, () => (mixed() ? null : (state.model()?.friction ?? null)), 0.6, "friction");
  const factor = modelSlider("Friction", "×", { least: 0, most: 2, step: 0.01, hardMost: 1000 }, state.frictionFactor, () => 1, 1, "friction-factor");
  const says = h("span", { testid: "friction-mixed" });
  const note = h(
    "p",
    { class: "hint" },
    says,
    " ",
    h("button", { type: "button", class: "link", testid: "friction-one", onclick: () => batch(() => (state.frictionFactor.set(null), state.friction.set(state.model.peek()?.friction ?? 0.6))) }, "One for all"),
  );
  effect(() => {
    const several = mixed() && state.friction() === null;
    one.hidden = several;
    factor.hidden = note.hidden = !several;
    const [least, most] = range().map((each) => significant(each * (state.frictionFactor() ?? 1)));
    says.textContent = `Joints differ: µ ${least} to ${most}.`;
  });
  return h("div", {}, one, factor, note);
}

/** Supports for this check alone; the model is not changed. */
function supportsField(): HTMLElement {
  const text = h("span", { class: "row-label", testid: "support-count" });
  const fixedNow = () => state.heldFixed() ?? (state.model()?.blocks ?? []).filter((block) => block.fixed).map((block) => block.name);
  effect(() => void (text.textContent = `${plural(fixedNow().length, "support")}${state.heldFixed() ? " (changed)" : ""}`));
  const nothing = () => state.selection().size === 0;
  const fix = (fixed: boolean) =>
    state.supports.update((change) => withSupports(state.model.peek()?.blocks ?? [], change, state.selectedNames(), fixed));
  return h(
    "div",
    { class: "button-row labelled" },
    text,
    button({
      label: "Fix", disabled: nothing, testid: "hold", title: "Treat the selected blocks as supports in this check",
      onclick: () => fix(true),
    }),
    button({
      label: "Release", disabled: nothing, testid: "release", title: "Treat the selected blocks as free in this check",
      onclick: () => fix(false),
    }),
    button({ label: "Supports as in the model", icon: "reset", iconOnly: true, kind: "quiet", disabled: () => state.heldFixed() === null, onclick: () => state.supports.set(AS_IN_MODEL), testid: "supports-reset" }),
  );
}

/** Some blocks alone, with their neighbours as supports. */
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
      title: "Check the selected blocks alone, with their neighbours as supports",
      onclick: () => state.only.set(state.selectedNames()),
    }),
    button({ label: "All blocks again", icon: "reset", iconOnly: true, kind: "quiet", disabled: () => state.only() === null, onclick: () => state.only.set(null), testid: "check-all" }),
  );
}

function loadsField(): HTMLElement {
  const box = h("div", {});
  const one = (name: string) =>
    slider({
      label: `Load “${name}”`, inline: true, unit: "×", least: 0, most: 3, step: 0.05, hardMost: 1e6,
      value: () => state.factors().get(name) ?? 1,
      onInput: (value) => state.loadFactors.update((factors) => new Map(factors).set(name, value)),
      testid: `load-${name}`,
    });
  let end = () => {};
  effect(() => {
    const names = state.model()?.loads ?? [];
    end();
    const [sliders, endSliders] = collected(() => names.map(one));
    end = endSliders;
    box.replaceChildren(...sliders);
  });
  return box;
}

/** Whether any arrow is drawn whose length could be changed. */
function hasArrows(): boolean {
  const check = state.check();
  if (state.show.loads() && loadsDrawn().length > 0) return true;
  if (!check) return false;
  return state.show.forces() || state.show.resultants() || (state.show.tension() && pulled(check));
}

function displaySection(): HTMLElement {
  const mechanism = h(
    "div",
    { class: "mechanism" },
    button({
      label: "Play", title: "Play or pause the mechanism", icon: "play", pressedIcon: "pause", testid: "mechanism-play",
      pressed: () => state.show.mechanismPlays(), onclick: () => state.show.mechanismPlays.update((on) => !on),
    }),
    slider({ label: "Amplitude", inline: true, unit: "×", least: 0, most: 4, step: 0.1, value: () => state.show.mechanismAmplitude(), onInput: (value) => state.show.mechanismAmplitude.set(value), testid: "mechanism-amplitude" }),
  );
  const arrows = slider({ label: "Arrow length", inline: true, unit: "×", least: 0.2, most: 4, step: 0.1, value: () => state.show.forceScale(), onInput: (value) => state.show.forceScale.set(value), testid: "force-scale" });
  const loads = checkbox("Loads", state.show.loads, "show-loads", "load");
  effect(() => {
    const verdict = state.check()?.answer.verdict;
    mechanism.hidden = verdict !== "unstable" || !state.show.mechanism();
    arrows.hidden = !hasArrows();
    loads.hidden = !state.model()?.load_forces?.length;
  });
  return section(
    "Display",
    h(
      "div",
      { class: "checks" },
      checkbox("Friction in use", state.show.use, "show-use"),
      checkbox("Resultants", state.show.resultants, "show-resultants", "resultant"),
      checkbox("Contact forces", state.show.forces, "show-forces", "force"),
      checkbox("Mechanism", state.show.mechanism, "show-mechanism", "unstable"),
      checkbox("Tension", state.show.tension, "show-tension", "tension"),
      loads,
    ),
    mechanism,
    arrows,
  );
}

export function checkPanel(): HTMLElement {
  const [remark, explanation] = methodRemark();
  return h(
    "div",
    { class: "panel-body" },
    verdictCard(),
    sectionWith(
      "Assumptions",
      remark,
      methodField(),
      explanation,
      h(
        "div",
        { class: "tilt-row" },
        h(
          "div",
          {},
          frictionField(),
          modelSlider("Density", "kg/m³", { least: 500, most: 4000, step: 50, hardLeast: 1, hardMost: 1e6 }, state.density, () => state.model()?.density ?? null, 2000, "density"),
        ),
        tiltField(),
      ),
      loadsField(),
      supportsField(),
      aloneField(),
    ),
    displaySection(),
    marginsSection(),
  );
}
