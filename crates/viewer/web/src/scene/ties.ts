/** Ties as lines between points that go along with their blocks, with the forces that the check found in them. */

import { force } from "../format";
import * as state from "../state";
import type { Model, Tie, TieEnd, Vec3 } from "../wire/types";
import { add, sub, turned } from "./geometry";
import type { Label } from "./labels";

type PoseOf = (block: number) => ArrayLike<number>;

/** More would cover each other: those with the largest forces are told. */
const MOST_LABELS = 40;
/** Widths of lines in pixels: without a force, and by how much the largest is wider. */
const WIDTH = { least: 2, more: 4 };

function ends(model: Model, pose: PoseOf): (tie: Tie) => [Vec3, Vec3] {
  const index = new Map(model.blocks.map((block, at) => [block.name, at]));
  const place = ({ block, at }: TieEnd): Vec3 => {
    const which = index.get(block);
    if (which === undefined) return at;
    const now = pose(which);
    const arm = turned([now[4]!, now[5]!, now[6]!, now[7]!], sub(at, model.blocks[which]!.center));
    return add([now[0]!, now[1]!, now[2]!], arm);
  };
  return ({ from, to }) => [place(from), place(to)];
}

/** Forces by tie where those on screen are known: of a check, or at the end of a slow loading. Positive where they pull. */
export function tieForces(): ReadonlyMap<string, { force_n: number; yields: boolean }> {
  const end = state.onPath() && !state.fallsOnPath() && state.pathAt() === state.pointsSeen() ? state.path()?.end?.ties : undefined;
  if (end) return new Map(end.map(({ name, force_n, state: what }) => [name, { force_n, yields: /yield|broken/.test(what) }]));
  const ties = state.atRest() && state.showsVerdict() ? state.check()?.answer.ties : undefined;
  return new Map((ties ?? []).map(({ tie, force_n, yields }) => [tie, { force_n, yields }]));
}

export interface TieLines {
  width: number;
  yields: boolean;
  /** Both ends of each tie, six numbers each. */
  pairs: number[];
}

/** Ties by the width of their lines, in whole pixels: the wider the larger the force. */
export function tieLines(model: Model, pose: PoseOf): TieLines[] {
  const forces = tieForces();
  const most = Math.max(...[...forces.values()].map(({ force_n }) => Math.abs(force_n)), 0);
  const placed = ends(model, pose);
  const all = new Map<string, TieLines>();
  for (const tie of model.ties ?? []) {
    const found = forces.get(tie.name);
    const part = found && most > 0 ? Math.abs(found.force_n) / most : 0;
    const width = forces.size ? Math.round(WIDTH.least + WIDTH.more * part) : 3;
    const yields = found?.yields ?? false;
    const key = `${width} ${yields}`;
    if (!all.has(key)) all.set(key, { width, yields, pairs: [] });
    all.get(key)!.pairs.push(...placed(tie).flat());
  }
  return [...all.values()];
}

/** The force of each tie at its middle. */
export function tieLabels(model: Model, pose: PoseOf): Label[] {
  const forces = tieForces();
  if (!forces.size) return [];
  const placed = ends(model, pose);
  const known = (model.ties ?? []).flatMap((tie) => (forces.has(tie.name) ? [{ tie, ...forces.get(tie.name)! }] : []));
  known.sort((a, b) => Math.abs(b.force_n) - Math.abs(a.force_n));
  return known.slice(0, MOST_LABELS).map(({ tie, force_n, yields }) => {
    const [from, to] = placed(tie);
    const what = force_n < 0 ? `${force(-force_n)} pushing` : force(force_n);
    return { at: from.map((each, k) => (each + to[k]!) / 2) as Vec3, text: yields ? `${what}, yields` : what, kind: yields ? "yielding" : "tie" };
  });
}
