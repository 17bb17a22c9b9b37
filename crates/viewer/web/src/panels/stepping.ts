/** How a run is stepped: by itself, implicitly or explicitly, and the settings of each. */

import type { SteppingAsked } from "../actions/shake";
import * as state from "../state";
import { batch, effect, signal } from "../store";
import { segments, slider } from "../ui/controls";
import { h, uniqueId } from "../ui/h";
import type { AutomaticSteps, FrictionLaw, Stepping, SteppingChoice } from "../wire/types";

// What the command line takes, too, once the server has told it.
const stepping = signal<Stepping>("implicit");
const step = signal(0.001);
/** How long a run goes on once it has collapsed, in seconds. */
const after = signal(2);
/** What is told again later must not undo what somebody chose. */
let isTold = false;

function takeDefaults(): void {
  const defaults = state.hello()?.defaults;
  if (!defaults || isTold) return;
  isTold = true;
  batch(() => {
    stepping.set(defaults.integrator);
    step.set(defaults.dt_s);
    after.set(defaults.after_collapse_s);
  });
}
const law = signal<FrictionLaw>("associated");
/** Of every joint, in N/m³; null: as the model has it. */
const stiffness = signal<number | null>(null);
/** Null: what is usual, or what the restitution of a joint leads to. */
const damping = signal<number | null>(null);

/** What explicit steps take where nothing is said. */
const USUAL_DAMPING = 0.7;
const USUAL_STIFFNESS = "1e10";

const HELP: Record<Stepping, string> = {
  automatic: "Explicit steps where every joint has a stiffness or friction is Coulomb's; otherwise implicit ones, so that rigid joints stay rigid.",
  implicit: "Few long steps, in each of which contact forces are solved for. Joints may be rigid.",
  explicit: "Distinct elements: many short steps, nothing to solve. Joints are elastic, friction is Coulomb's.",
};

/** What the server will take for what is asked, and why. */
export function willTake(asked: Stepping, automatic: AutomaticSteps | undefined, isStiffnessGiven: boolean, friction: FrictionLaw): SteppingChoice | null {
  if (asked !== "automatic") return { integrator: asked, reason: HELP[asked] };
  return automatic?.[isStiffnessGiven ? "stiffness" : friction] ?? null;
}

const chosen = () => willTake(stepping(), state.model()?.automatic_steps, stiffness() !== null, law());

/** Settings of one method are not sent with the other, which would refuse them; where the server chooses, it takes what it needs. */
export function steppingAsked(): SteppingAsked {
  const both = { after_collapse_s: after.peek(), integrator: stepping.peek(), stiffness_n_m3: stiffness.peek() === null ? null : ([stiffness.peek(), stiffness.peek()] as [number, number]) };
  const implicit = { dt_s: step.peek(), friction_law: law.peek() };
  const explicit = { damping: damping.peek() };
  if (both.integrator === "implicit") return { ...both, ...implicit };
  if (both.integrator === "explicit") return { ...both, ...explicit };
  return { ...both, ...implicit, ...explicit };
}

function stiffnessField(): HTMLElement {
  const id = uniqueId("number");
  const input = h("input", { type: "number", id, class: "number", step: "any", min: 1, max: 1e20, testid: "shake-stiffness", autocomplete: "off" });
  input.addEventListener("change", () => {
    const value = Number(input.value);
    stiffness.set(input.value.trim() === "" || !Number.isFinite(value) ? null : value);
  });
  effect(() => {
    const value = stiffness();
    input.value = value === null ? "" : value >= 1e5 ? value.toExponential().replace("e+", "e") : String(value);
    const ofModel = state.model()?.automatic_steps?.associated.integrator === "explicit";
    input.placeholder = chosen()?.integrator !== "explicit" || ofModel ? "as in model" : `${USUAL_STIFFNESS} if none`;
  });
  return h(
    "div",
    { class: "number-row stiffness", title: `Normal and tangential stiffness of every joint. Left empty: as in the model; explicit steps give ${USUAL_STIFFNESS} N/m³ to joints without one. Dry joints of cut stone have about 1e10, thick lime mortar 1e9.` },
    h("label", { for: id }, "Joint stiffness"),
    h("span", { class: "field" }, input, h("span", { class: "unit" }, "N/m³")),
  );
}

function afterField(): HTMLElement {
  return slider({
    label: "Ends after its collapse", unit: "s", least: 0, most: 20, step: 0.5, hardMost: 600, testid: "shake-after",
    help: "A run that has collapsed goes on for this long, so that blocks land.",
    value: () => after(), onInput: (value) => after.set(value),
  });
}

/** The choice with what comes of it, then the settings of what is taken. */
export function steppingField(): HTMLElement {
  effect(takeDefaults);
  const choice = (value: Stepping, label: string) => ({ value, label, title: HELP[value] });
  const says = h("p", { class: "hint", testid: "shake-method-says" });
  const timeStep = slider({ label: "Time step", unit: "s", least: 0.0005, most: 0.02, step: 0.0005, hardLeast: 0.0001, hardMost: 0.1, value: () => step(), onInput: (value) => step.set(value), testid: "shake-step" });
  const friction = h(
    "div",
    { class: "choice-row" },
    h("span", { "aria-hidden": "true" }, "Friction law"),
    segments<FrictionLaw>("Friction law", [{ value: "associated", label: "Associated" }, { value: "coulomb", label: "Coulomb" }], law, "shake-law"),
  );
  const dashpots = slider({
    label: "Damping of joints", least: 0, most: 1, step: 0.05, hardMost: 10, testid: "shake-damping",
    help: "Dashpots of joints as a fraction of critical damping. 0.7 makes impacts nearly inelastic; less damping allows longer steps.",
    value: () => damping() ?? USUAL_DAMPING,
    onInput: (value) => damping.set(value),
    changed: () => damping() !== null,
    onReset: () => damping.set(null),
    resetTo: () => ({ text: String(USUAL_DAMPING), says: `Usual damping: ${USUAL_DAMPING}, or what the restitution of a joint leads to` }),
  });
  effect(() => {
    says.textContent = chosen()?.reason ?? "";
    friction.hidden = stepping() === "explicit";
    timeStep.hidden = chosen()?.integrator === "explicit";
    dashpots.hidden = chosen()?.integrator !== "explicit";
  });
  return h(
    "div",
    { class: "stepping" },
    h(
      "div",
      { class: "choice-row" },
      h("span", { "aria-hidden": "true" }, "Method"),
      segments<Stepping>("Method", [choice("automatic", "Automatic"), choice("implicit", "Implicit"), choice("explicit", "Explicit")], stepping, "shake-method"),
    ),
    says,
    h("details", { testid: "shake-settings" }, h("summary", {}, "Settings of the method"), friction, timeStep, stiffnessField(), dashpots, afterField()),
  );
}

/** What has to be known of a run before it is relied on. */
export function runWarnings(): HTMLElement {
  const list = h("ul", { class: "warnings", "aria-label": "Warnings of the run", testid: "shake-warnings" });
  effect(() => {
    const lines = state.run()?.started?.warnings ?? [];
    list.hidden = lines.length === 0;
    list.replaceChildren(...lines.map((line) => h("li", {}, `${line.charAt(0).toUpperCase()}${line.slice(1)}.`)));
  });
  return list;
}
