/** Fields that panels are made of. Each is labelled, works by keyboard and shows its unit. */

import { significant } from "../format";
import { type Signal, derived, effect } from "../store";
import { inDisplay } from "../units";
import { h, uniqueId } from "./h";
import { type IconName, icon } from "./icons";

export interface ButtonOptions {
  label: string;
  icon?: IconName;
  /** Takes the icon's place while pressed. */
  pressedIcon?: IconName;
  /** Only the icon is seen; the label is its name. */
  iconOnly?: boolean;
  title?: string;
  testid?: string;
  kind?: "plain" | "primary" | "quiet" | "danger";
  disabled?: () => boolean;
  pressed?: () => boolean;
  onclick: () => void;
}

export function button(options: ButtonOptions): HTMLButtonElement {
  const element = h(
    "button",
    {
      type: "button",
      class: `button ${options.kind ?? "plain"}${options.iconOnly ? " icon-only" : ""}`,
      testid: options.testid,
      title: options.title ?? (options.iconOnly ? options.label : undefined),
      "aria-label": options.iconOnly ? options.label : undefined,
      onclick: options.onclick,
    },
    options.icon && icon(options.icon),
    options.iconOnly ? null : h("span", {}, options.label),
  );
  const { disabled, pressed } = options;
  if (disabled) effect(() => void (element.disabled = disabled()));
  if (pressed)
    effect(() => {
      element.setAttribute("aria-pressed", String(pressed()));
      if (options.icon && options.pressedIcon)
        element.querySelector(".icon")?.replaceWith(icon(pressed() ? options.pressedIcon : options.icon));
    });
  return element;
}

export interface SliderOptions {
  label: string;
  unit?: string;
  help?: string;
  least: number;
  most: number;
  step: number;
  value: () => number;
  onInput: (value: number) => void;
  /** Shown while it returns true; puts the value back. */
  changed?: () => boolean;
  onReset?: () => void;
  /** What a reset goes back to: seen in its button, and in words. */
  resetTo?: () => { text: string; says: string };
  /** In one row, for what is rarely moved. */
  inline?: boolean;
  /** Typed numbers may leave the slider's range up to these. */
  hardLeast?: number;
  hardMost?: number;
  testid?: string;
}

/** The unit in which a field shows values of a unit, and what takes them there and back. */
function shownIn(named: string) {
  const unit = derived(() => inDisplay(named), (a, b) => a.name === b.name && a.by === b.by);
  return { name: () => unit().name, isOwn: () => unit().by === 1, to: (value: number) => value * unit().by, back: (value: number) => (unit().by === 1 ? value : Number((value / unit().by).toPrecision(12))) };
}

/** A slider with a number beside it: drag roughly, type exactly. */
export function slider(options: SliderOptions): HTMLElement {
  const id = uniqueId("slider");
  const range = h("input", { type: "range", id, testid: options.testid });
  const number = h("input", { type: "number", class: "number", step: "any", testid: options.testid && `${options.testid}-number` });
  const unit = h("span", { class: "unit" });
  const display = shownIn(options.unit ?? "");
  effect(() => {
    range.min = String(display.to(options.least));
    range.max = String(display.to(options.most));
    range.step = String(display.to(options.step));
    number.min = String(display.to(options.hardLeast ?? options.least));
    number.max = String(display.to(options.hardMost ?? options.most));
    number.setAttribute("aria-label", `${options.label}${options.unit ? ` in ${display.name()}` : ""}, exact`);
    unit.textContent = display.name();
  });
  const resetSays = `Reset ${options.label.toLowerCase()}`;
  const back = h("span", {});
  const reset = options.onReset && h(
    "button",
    { type: "button", class: "reset", title: resetSays, "aria-label": resetSays, onclick: options.onReset, testid: options.testid && `${options.testid}-reset` },
    icon("reset"),
    back,
  );
  const give = (text: string) => {
    const value = display.back(Number(text));
    if (text.trim() === "" || !Number.isFinite(value)) return;
    options.onInput(Math.min(Math.max(value, options.hardLeast ?? options.least), options.hardMost ?? options.most));
  };
  range.addEventListener("input", () => give(range.value));
  number.addEventListener("change", () => give(number.value));
  effect(() => {
    const value = options.value();
    range.value = String(display.to(value));
    if (document.activeElement !== number || display.back(Number(number.value)) !== value) number.value = plain(display.to(value), display.isOwn() ? 6 : 5);
    const part = (value - options.least) / (options.most - options.least || 1);
    range.style.setProperty("--part", `${Math.min(Math.max(part, 0), 1) * 100}%`);
    if (options.unit) range.setAttribute("aria-valuetext", `${significant(display.to(value))} ${display.name()}`);
    if (!reset) return;
    reset.hidden = !(options.changed?.() ?? true);
    if (!options.resetTo) return;
    const { text, says } = options.resetTo();
    back.textContent = text;
    reset.title = says;
    reset.setAttribute("aria-label", says);
  });
  return h(
    "div",
    { class: options.inline ? "slider one-row" : "slider", title: options.help },
    h("label", { for: id }, options.label),
    reset,
    h("span", { class: "field" }, number, unit),
    range,
  );
}

/** A number without the noise of binary fractions. */
export const plain = (value: number, digits = 6) => String(Number(value.toPrecision(digits)));

/** As many digits as a narrow field shows; digits before the point are never rounded away. */
export function narrow(value: number, characters = 7): string {
  // Beyond what digits can be asked for it is written with its power of ten.
  const whole = Math.min(Math.max(1, Math.ceil(Math.log10(Math.abs(value) + 1))), 21);
  for (let digits = 6; digits > whole; digits--) if (plain(value, digits).length <= characters) return plain(value, digits);
  return plain(value, whole);
}

export interface NumberOptions {
  label: string;
  unit?: string;
  /** The unit of its value, where that stands elsewhere. */
  in?: string;
  value: Signal<number>;
  step?: number;
  least?: number;
  most?: number;
  testid?: string;
  compact?: boolean;
}

export function numberField(options: NumberOptions): HTMLElement {
  const id = uniqueId("number");
  const input = h("input", { type: "number", id, class: "number", step: options.step ?? "any", testid: options.testid });
  const display = shownIn(options.in ?? options.unit ?? "");
  const unit = h("span", { class: "unit" });
  effect(() => {
    if (options.least !== undefined) input.min = String(display.to(options.least));
    if (options.most !== undefined) input.max = String(display.to(options.most));
    unit.textContent = options.unit ? display.name() : "";
  });
  input.addEventListener("change", () => {
    const value = display.back(Number(input.value));
    if (Number.isFinite(value)) options.value.set(value);
    else input.value = plain(display.to(options.value.peek()));
  });
  // Narrow fields show what fits; the value itself keeps its digits.
  effect(() => void (input.value = (options.compact ? narrow : plain)(display.to(options.value()))));
  return h(
    "div",
    { class: options.compact ? "number-row compact" : "number-row" },
    h("label", { for: id }, options.label),
    h("span", { class: "field" }, input, options.unit ? unit : null),
  );
}

/** Three numbers in a row: a displacement, a force, a point. `act` stands at the end of its heading. */
export function vectorField(label: string, unit: string, values: [Signal<number>, Signal<number>, Signal<number>], testid: string, act?: HTMLElement): HTMLElement {
  const display = shownIn(unit);
  const words = h("span", { class: "unit" });
  const group = h(
    "div",
    { class: "vector", role: "group" },
    h("div", { class: "vector-head" }, h("span", {}, label, words), act),
    ...(["x", "y", "z"] as const).map((axis, index) =>
      numberField({ label: axis, value: values[index]!, in: unit, compact: true, testid: `${testid}-${axis}` }),
    ),
  );
  effect(() => {
    words.textContent = display.name();
    group.setAttribute("aria-label", unit ? `${label} in ${display.name()}` : label);
  });
  return group;
}

export function checkbox(label: string, value: Signal<boolean>, testid?: string, swatch?: string): HTMLElement {
  const input = h("input", { type: "checkbox", testid });
  input.addEventListener("change", () => value.set(input.checked));
  effect(() => void (input.checked = value()));
  return h("label", { class: "check" }, input, swatch ? h("span", { class: `swatch ${swatch}`, "aria-hidden": "true" }) : null, h("span", {}, label));
}

/** One of a few: radio buttons drawn as a row of segments. */
export function segments<T extends string>(label: string, choices: { value: T; label: string; title?: string; disabled?: () => boolean }[], value: Signal<T>, testid?: string): HTMLElement {
  const name = uniqueId("segment");
  return h(
    "div",
    { class: "segments", role: "radiogroup", "aria-label": label, testid },
    choices.map((choice) => {
      const input = h("input", { type: "radio", name, value: choice.value, testid: testid && `${testid}-${choice.value}` });
      input.addEventListener("change", () => value.set(choice.value));
      effect(() => void (input.checked = value() === choice.value));
      const { disabled } = choice;
      if (disabled) effect(() => void (input.disabled = disabled()));
      return h("label", { title: choice.title }, input, h("span", {}, choice.label));
    }),
  );
}

export function select<T extends string>(label: string, choices: () => { value: T; label: string }[], value: () => T, onChange: (value: T) => void, testid?: string): HTMLElement {
  const id = uniqueId("select");
  const element = h("select", { id, testid });
  element.addEventListener("change", () => onChange(element.value as T));
  effect(() => {
    element.replaceChildren(...choices().map((choice) => h("option", { value: choice.value }, choice.label)));
    element.value = value();
  });
  return h("div", { class: "select-row" }, h("label", { for: id }, label), element);
}

export function textField(label: string, value: () => string, onChange: (value: string) => void, testid?: string): HTMLElement {
  const id = uniqueId("text");
  const input = h("input", { type: "text", id, testid, autocomplete: "off", spellcheck: "false" });
  input.addEventListener("change", () => onChange(input.value));
  effect(() => void (input.value = value()));
  return h("div", { class: "text-row" }, h("label", { for: id }, label), input);
}

export function section(title: string, ...children: (Node | null)[]): HTMLElement {
  return h("section", { class: "section" }, h("h2", { class: "caption" }, title), children);
}

/** A section whose heading has a remark at its end. */
export function sectionWith(title: string, remark: HTMLElement, ...children: (Node | null)[]): HTMLElement {
  return h("section", { class: "section" }, h("div", { class: "caption-row" }, h("h2", { class: "caption" }, title), remark), children);
}

/** Rows of a name and a value. */
export function facts(rows: () => [string, string][]): HTMLElement {
  const list = h("dl", { class: "facts" });
  effect(() => list.replaceChildren(...rows().flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])));
  return list;
}
