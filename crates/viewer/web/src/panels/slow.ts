/** Slow loading: its stages, how it ended, and the equilibrium on screen. */

import { downloadStages, goTo, loadSlowly, openStages, stopPath } from "../actions/slow";
import { force, length, pressure, significant } from "../format";
import { curve } from "../plots/curve";
import { curveKinds, curveOf, jointWords, outcome, tiltOf } from "../stages";
import { stressEnd } from "../scene/skin";
import * as state from "../state";
import { effect, signal } from "../store";
import { button, checkbox, facts, section, sectionWith, select, slider } from "../ui/controls";
import { h } from "../ui/h";
import { inDisplay } from "../units";
import { pathPlace } from "./pathbar";
import { addStage, stageList } from "./stages";

const HINT = "Loads, tilts and supports change in small steps, and each step is brought into equilibrium on the deformed shape. Friction, density and supports are those of Check.";
const HARD = "Joints without a stiffness are taken as hard: displacements are those of rigid blocks.";

function outcomeCard(): HTMLElement {
  const word = h("p", { class: "verdict-word", testid: "path-outcome" });
  const reason = h("p", { class: "verdict-reason", testid: "path-conclusion" });
  const details = h("p", { class: "verdict-details" });
  const card = h("div", { class: "verdict slow", testid: "path-card" }, word, reason, details);
  effect(() => {
    const path = state.path();
    card.hidden = path === null;
    if (!path) return;
    const told = outcome(path);
    card.dataset.verdict = told.verdict;
    card.classList.toggle("waiting", path.state === "running");
    word.textContent = told.word;
    reason.textContent = path.error ?? path.end?.conclusion ?? (state.pointsSeen() ? `Followed to ${pathPlace()}.` : "Looking for the first equilibrium.");
    details.textContent = (path.end?.ties ?? []).map((tie) => `${tie.name} ${tie.state}, ${force(tie.force_n)}`).join(" · ");
  });
  return card;
}

function stagesSection(): HTMLElement {
  const file = h("input", { type: "file", hidden: true, accept: ".json", "aria-label": "File of stages", testid: "stages-file" });
  file.addEventListener("change", () => {
    const chosen = file.files?.[0];
    if (chosen) void openStages(chosen);
    file.value = "";
  });
  const form = addStage();
  // The path needs its place; the stages it was given stay in view.
  const start = () => ((form.open = false), void loadSlowly());
  const runs = () => state.path()?.state === "running";
  const asShipped = () => JSON.stringify(state.stages()) === JSON.stringify(state.hello()?.slow_loading.stages ?? []);
  return sectionWith(
    "Stages",
    h(
      "span",
      { class: "button-row" },
      button({ label: "Weight alone again", icon: "reset", iconOnly: true, kind: "quiet", disabled: asShipped, testid: "stages-reset", onclick: () => state.stages.set(state.hello.peek()?.slow_loading.stages ?? []) }),
      button({ label: "Open stages from a file", icon: "open", iconOnly: true, kind: "quiet", testid: "stages-open", onclick: () => file.click() }),
      button({ label: "Download stages, for drystone settle --stages", icon: "save", iconOnly: true, kind: "quiet", disabled: () => !state.stages().length, testid: "stages-save", onclick: downloadStages }),
      file,
    ),
    stageList(),
    form,
    h(
      "div",
      { class: "button-row" },
      button({ label: "Load slowly", icon: "play", kind: "primary", testid: "slow-start", disabled: () => state.model() === null || !state.stages().length || runs(), onclick: start }),
      button({ label: "Stop", icon: "stop", testid: "slow-stop", disabled: () => !runs(), onclick: stopPath }),
    ),
  );
}

function equilibriumFacts(): [string, string][] {
  const point = state.equilibrium();
  if (!point) return [];
  const rows: [string, string][] = [["Place", pathPlace()]];
  if (point.gravity !== 1) rows.push(["Weight", `× ${significant(point.gravity)}`]);
  for (const [name, factor] of Object.entries(point.loads)) rows.push([name, `× ${significant(factor, 4)}`]);
  if (tiltOf(point) > 0) rows.push(["Tilt", `${significant(tiltOf(point), 4)}°`]);
  if (Object.keys(point.loads).length) rows.push(["Along the loads", length(point.along_loads_m)]);
  rows.push(["Displacement", `up to ${length(point.max_displacement_m)}`], ["Open", jointWords(point.open_joints, point.max_opening_m)], ["Slipped", jointWords(point.slipped_joints, point.max_slip_m)]);
  if (point.max_von_mises_pa !== undefined)
    rows.push(["Von Mises stress", `up to ${pressure(point.max_von_mises_pa)}`], ["Tension", tensionWords(point.max_tension_pa, point.max_von_mises_pa)], ["Deformation", `up to ${length(point.max_deformation_m)}`]);
  if (point.bonds) rows.push(["Broken bonds", `${point.broken_bonds} of ${point.bonds}`]);
  return rows;
}

/** Tension that is rounding is none. */
const tensionWords = (tension: number | undefined, mises: number) => (tension === undefined || tension <= 1e-9 * mises ? "none" : `up to ${pressure(tension)}`);

function pathSection(): HTMLElement {
  const chosen = signal("");
  const points = () => (state.pointsSeen(), state.path()?.points ?? []);
  const kind = () => {
    const kinds = curveKinds(points());
    return (kinds.find(({ value }) => value === chosen()) ?? kinds[0]!).value;
  };
  const which = select("Curve", () => curveKinds(points()), kind, (value) => chosen.set(value), "curve-kind");
  effect(() => void (which.hidden = curveKinds(points()).length < 2));
  const mechanism = h(
    "div",
    { class: "mechanism" },
    button({ label: "Play", title: "Play or pause the motion that follows", icon: "play", pressedIcon: "pause", testid: "path-mechanism", pressed: () => state.show.mechanismPlays(), onclick: () => state.show.mechanismPlays.update((on) => !on) }),
    slider({ label: "Amplitude", inline: true, unit: "×", least: 0, most: 4, step: 0.1, value: () => state.show.mechanismAmplitude(), onInput: (value) => state.show.mechanismAmplitude.set(value) }),
  );
  effect(() => void (mechanism.hidden = state.fallsOnPath() === null));
  const box = section(
    "Path",
    which,
    curve({ data: () => curveOf(points(), kind()), at: () => Math.min(state.pathAt(), state.pointsSeen()) - 1, onPick: (index) => goTo(index + 1), testid: "path-curve" }),
    mechanism,
    facts(equilibriumFacts),
    stresses(),
    cracks(),
  );
  effect(() => void (box.hidden = state.path() === null || state.pointsSeen() === 0));
  return box;
}

/** Whether blocks that deform show their stress. */
function stresses(): HTMLElement {
  const box = checkbox("Von Mises stress of blocks that deform", state.show.stressOnPath, "show-stress");
  effect(() => void (box.hidden = stressEnd((state.pointsSeen(), state.path()?.points ?? [])) === 0));
  return box;
}

/** Which joints are marked, and what the colours mean. */
function cracks(): HTMLElement {
  const input = h("input", { type: "number", class: "number", min: 0, step: "any", testid: "crack-from" });
  const unit = h("span", { class: "unit" });
  const width = () => state.crackFrom() ?? state.path()?.crack_m ?? 0;
  const perMetre = () => 1e3 * inDisplay("mm").by;
  const show = () => void (input.value = String(Number((perMetre() * width()).toPrecision(3))));
  input.addEventListener("change", () => {
    const value = Number(input.value) / perMetre();
    state.crackFrom.set(input.value.trim() === "" || !(value >= 0) ? null : value);
    show();
  });
  effect(show);
  effect(() => {
    unit.textContent = inDisplay("mm").name;
    input.setAttribute("aria-label", `Openings and slips that are marked, from this width in ${unit.textContent}`);
  });
  return h(
    "div",
    { class: "cracks" },
    checkbox("Mark joints from", state.show.cracks, "show-cracks"),
    h("span", { class: "field" }, input, unit),
    h("span", { class: "crack-key" }, h("span", { class: "swatch opening", "aria-hidden": "true" }), "open", h("span", { class: "swatch slip", "aria-hidden": "true" }), "slipped; the wider the larger"),
  );
}

export function slowPanel(): HTMLElement {
  const hint = h("p", { class: "hint" });
  effect(() => void (hint.textContent = state.path()?.end?.hard_joints ? `${HINT} ${HARD}` : HINT));
  return h(
    "div",
    { class: "panel-body" },
    outcomeCard(),
    stagesSection(),
    pathSection(),
    hint,
  );
}
