/** The recipe that the structure was built from, with its parameters as sliders that rebuild it. */

import { build, buildWaits } from "../actions/open";
import { plural, words } from "../format";
import * as state from "../state";
import { collected, effect, signal, untracked } from "../store";
import { button, select, slider, textField } from "../ui/controls";
import { h } from "../ui/h";
import type { Parameter, Recipe } from "../wire/types";
import { hasEffect, sliderRange } from "./range";

/** What becomes of changes that were made since the structure was built. */
function editsLine(): HTMLElement {
  const text = h("span", {});
  const drop = button({ label: "Drop them", kind: "quiet", testid: "drop-edits", onclick: () => void build(state.model.peek()!.recipe!.name, state.model.peek()!.recipe!.values) });
  const line = h("div", { class: "button-row labelled", testid: "edits-on-top" }, h("span", { class: "row-label" }, text), drop);
  effect(() => {
    const edits = state.model()?.recipe?.edits ?? 0;
    line.hidden = edits === 0;
    text.textContent = `${plural(edits, "change")} on top of the recipe`;
  });
  return line;
}

/** Values as they are asked for: ahead of the model while a slider moves. */
const values = signal<Record<string, string>>({});

function field(recipe: string, parameter: Parameter): HTMLElement {
  const label = parameter.label || words(parameter.name.replace(/-deg$/, ""));
  const now = () => values()[parameter.name] ?? parameter.default;
  const give = (value: string) => {
    values.update((all) => ({ ...all, [parameter.name]: value }));
    void build(recipe, values.peek(), {}, true);
  };
  const testid = `param-${parameter.name}`;
  if (parameter.kind === "choice")
    return select(label, () => (parameter.choices ?? []).map((value) => ({ value, label: words(value) })), now, give, testid);
  if (parameter.kind === "text") return textField(label, now, give, testid);
  const range = sliderRange(parameter);
  const hard = { ...(parameter.least != null && { hardLeast: parameter.least }), ...(parameter.most != null && { hardMost: parameter.most }) };
  return slider({
    label,
    unit: parameter.unit === "deg" ? "°" : parameter.unit.replace("m3", "m³").replace("m2", "m²"),
    help: parameter.help,
    ...range,
    ...hard,
    value: () => Number(now()),
    onInput: (value) => give(String(parameter.kind === "integer" ? Math.round(value) : Number(value.toPrecision(8)))),
    changed: () => Number(now()) !== Number(parameter.default),
    onReset: () => give(parameter.default),
    testid,
  });
}

/** Leaves out what does nothing under the present values. */
function fields(recipe: Recipe): HTMLElement[] {
  const valueOf = (name: string) => values()[name] ?? recipe.parameters.find((each) => each.name === name)?.default ?? "";
  return recipe.parameters.map((parameter) => {
    const element = field(recipe.name, parameter);
    if (parameter.needs?.length) effect(() => void (element.hidden = !hasEffect(parameter.needs, valueOf)));
    return element;
  });
}

export function parametersPanel(openRecipes: () => void): HTMLElement {
  const body = h("div", { class: "panel-body" });
  let shown = "";
  let endFields = () => {};
  effect(() => {
    const model = state.model();
    const recipe = state.hello()?.recipes.find((each) => each.name === model?.recipe?.name);
    if (!model) return;
    const key = recipe?.name ?? `model ${model.name}`;
    // A slider that has moved on meanwhile stays where the hand holds it.
    if (model.recipe && !(shown === key && buildWaits())) untracked(() => values.set(model.recipe!.values));
    // Rebuilding the fields under a moving slider would drop it.
    if (shown === key) return;
    shown = key;
    endFields();
    const [[rows, edits], end] = collected(() => (recipe ? [fields(recipe), editsLine()] : [[], null]));
    endFields = end;
    body.replaceChildren(
      recipe
        ? h(
            "div",
            {},
            h("h2", { class: "recipe-name" }, words(recipe.name)),
            h("p", { class: "hint" }, `${recipe.summary}.`.replace("..", ".")),
            edits,
            h("div", { class: "parameters" }, rows),
            h("details", { class: "notes" }, h("summary", {}, "Notes"), h("p", {}, recipe.notes)),
          )
        : h(
            "div",
            {},
            h("h2", { class: "recipe-name" }, model.name),
            h("p", { class: "hint" }, model.description || "This model does not come from a recipe, or was restored with changes: it has no parameters."),
            h("div", { class: "button-row" }, button({ label: "Choose a recipe", onclick: openRecipes, testid: "choose-recipe" })),
          ),
    );
  });
  return body;
}
