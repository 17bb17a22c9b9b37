/** Views that a person saved, by the name of the model: where one looks from, and what is cut away. */

import { preference } from "./persist";
import type { Stage, Viewpoint } from "./scene/stage";
import type { Axis } from "./state";
import * as state from "./state";
import { batch, signal } from "./store";

export interface SavedView {
  name: string;
  eye: Viewpoint;
  ortho: boolean;
  section: Axis | null;
  sectionAt: number;
  sectionFlip: boolean;
  explode: number;
  opacity: number;
}

/** Of one model, and models of which views are kept: the oldest go. */
const MOST_VIEWS = 20;
const MOST_MODELS = 50;

type All = Record<string, SavedView[]>;

function read(): All {
  try {
    const all: unknown = JSON.parse(preference.get("views") ?? "{}");
    return all && typeof all === "object" && !Array.isArray(all) ? (all as All) : {};
  } catch {
    return {};
  }
}

const all = signal<All>(read());

const numbers = (value: unknown, count: number) => Array.isArray(value) && value.length === count && value.every(Number.isFinite);
/** What storage holds may be of another version. */
const isWhole = (view: SavedView) => typeof view?.name === "string" && numbers(view.eye?.at, 3) && numbers(view.eye?.target, 3) && Number.isFinite(view.eye?.half);

export const viewsOf = (model: string): SavedView[] => {
  const list = all()[model];
  return Array.isArray(list) ? list.filter(isWhole) : [];
};

function write(model: string, list: SavedView[]): void {
  const { [model]: _, ...others } = all.peek();
  const models = Object.entries(others).slice(-(MOST_MODELS - 1));
  all.set(Object.fromEntries(list.length ? [...models, [model, list]] : models));
  preference.set("views", JSON.stringify(all.peek()));
}

/** A view of the same name is replaced. */
export function saveView(model: string, name: string, stage: Stage): void {
  const { ortho, section, sectionAt, sectionFlip, explode, opacity } = state.view;
  const now: SavedView = { name, eye: stage.viewpoint, ortho: ortho.peek(), section: section.peek(), sectionAt: sectionAt.peek(), sectionFlip: sectionFlip.peek(), explode: explode.peek(), opacity: opacity.peek() };
  write(model, [...viewsOf(model).filter((view) => view.name !== name), now].slice(-MOST_VIEWS));
}

export const forgetView = (model: string, name: string): void => write(model, viewsOf(model).filter((view) => view.name !== name));

export function showView(view: SavedView, stage: Stage): void {
  batch(() => {
    for (const name of ["ortho", "section", "sectionAt", "sectionFlip", "explode", "opacity"] as const) state.view[name].set(view[name] as never);
  });
  stage.viewpoint = view.eye;
}
