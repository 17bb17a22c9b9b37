/** What is asked of a model beside the model itself, and what of it outlives a change of the model. */

/** Supports of a question, as differences against the model's own: the model may change under them. */
export interface SupportChange {
  /** Free in the model, held in the question. */
  readonly held: readonly string[];
  /** Fixed in the model, free in the question. */
  readonly released: readonly string[];
}

interface Supported {
  readonly name: string;
  readonly fixed: boolean;
}

export const AS_IN_MODEL: SupportChange = { held: [], released: [] };

/** All supports by name, or null where they are the model's own. */
export function supportsAsked(blocks: readonly Supported[], change: SupportChange): string[] | null {
  const { held, released } = differing(blocks, change);
  if (!held.length && !released.length) return null;
  const holds = new Set(held);
  const frees = new Set(released);
  return blocks.flatMap(({ name, fixed }) => ((fixed && !frees.has(name)) || holds.has(name) ? [name] : []));
}

/** Only what differs from the model: names that are gone, or that the model now says itself, are dropped. */
export function differing(blocks: readonly Supported[], change: SupportChange): SupportChange {
  if (!change.held.length && !change.released.length) return AS_IN_MODEL;
  const fixed = new Map(blocks.map((block) => [block.name, block.fixed]));
  return {
    held: change.held.filter((name) => fixed.get(name) === false),
    released: change.released.filter((name) => fixed.get(name) === true),
  };
}

/** Holds or releases blocks, whatever was asked of them before. */
export function withSupports(blocks: readonly Supported[], change: SupportChange, names: readonly string[], hold: boolean): SupportChange {
  const rest = withoutSupports(change, names);
  const next = hold ? { ...rest, held: [...rest.held, ...names] } : { ...rest, released: [...rest.released, ...names] };
  return differing(blocks, next);
}

/** Leaves blocks to the model again. */
export function withoutSupports(change: SupportChange, names: readonly string[]): SupportChange {
  const gone = new Set(names);
  const left = (list: readonly string[]) => list.filter((name) => !gone.has(name));
  return { held: left(change.held), released: left(change.released) };
}

/** Factors of all load cases that the model has: they act as they are in it until somebody says otherwise. */
export function factorsOf(loads: readonly string[], factors: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  return new Map(loads.map((name) => [name, factors.get(name) ?? 1]));
}

interface Structure {
  readonly name: string;
  readonly recipe: { readonly name: string; readonly edits?: number } | null;
  readonly blocks: readonly { readonly name: string }[];
}

/** Whether the answer to `what` is the structure that was there before, so that what was asked of it still holds. */
export function sameStructure(what: string, before: Structure | null, after: Structure): boolean {
  if (!before) return false;
  if (what === "edit") return true;
  const recipe = before.recipe !== null && before.recipe.name === after.recipe?.name;
  // Built anew without the changes that were made to it, it is another one.
  if (what === "build") return recipe && !(before.recipe?.edits && !after.recipe?.edits);
  if (what !== "undo" && what !== "redo") return false;
  // History goes back beyond what was opened last: versions of one structure share most of their blocks.
  if (before.name !== after.name) return false;
  if (recipe) return true;
  const names = new Set(before.blocks.map((block) => block.name));
  const shared = after.blocks.filter((block) => names.has(block.name)).length;
  return 2 * shared >= Math.min(before.blocks.length, after.blocks.length);
}
