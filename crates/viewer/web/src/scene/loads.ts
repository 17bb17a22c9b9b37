/** Loads as arrows that push on their blocks: each ends where it acts and goes along with its block. */

import * as state from "../state";
import { derived } from "../store";
import type { LoadForce, Model, Vec3 } from "../wire/types";
import { add, arrowScale, norm, scale, sub, turned } from "./geometry";
import type { Arrow } from "./overlays";

/** The longest arrow, as a part of the structure's radius, at scale 1. */
const LONGEST = 0.24;
/** Shorter ones than this part of the longest would not be seen. */
const LEAST = 0.15;

/** Forces of the cases that the question asks about, each times its case's factor, on blocks that it leaves free. */
export function loadsNow(forces: readonly LoadForce[] | undefined, factors: ReadonlyMap<string, number>, isFree: (block: string) => boolean = () => true): LoadForce[] {
  return (forces ?? []).flatMap((each) => {
    const factor = factors.get(each.case) ?? 0;
    return factor !== 0 && norm(each.force_n) > 0 && isFree(each.block) ? [{ ...each, force_n: scale(each.force_n, factor) }] : [];
  });
}

/** Those of the question on screen. */
export const loadsDrawn = derived(() => {
  const model = state.model();
  const only = state.only();
  const asked = only && new Set(only);
  const fixed = new Set(state.heldFixed() ?? (model?.blocks ?? []).flatMap(({ name, fixed }) => (fixed ? [name] : [])));
  const onPath = state.onPath();
  const factors = onPath ? new Map(Object.entries(state.equilibrium()?.loads ?? {})) : state.factors();
  return loadsNow(model?.load_forces, factors, (block) => !fixed.has(block) && (asked?.has(block) ?? true));
});

/** `pose` gives a block's position, a spare number and its quaternion, as the texture of poses has them. */
export function loadArrows(model: Model, loads: readonly LoadForce[], pose: (block: number) => ArrayLike<number>, longest: number, color: number): Arrow[] {
  const index = new Map(model.blocks.map((block, at) => [block.name, at]));
  const by = arrowScale(loads.map((each) => norm(each.force_n)), LONGEST * longest);
  return loads.flatMap(({ block, at, force_n }) => {
    const which = index.get(block);
    if (which === undefined) return [];
    const now = pose(which);
    const arm = turned([now[4]!, now[5]!, now[6]!, now[7]!], sub(at, model.blocks[which]!.center));
    const head: Vec3 = add([now[0]!, now[1]!, now[2]!], arm);
    const size = Math.max(norm(force_n) * by, LEAST * LONGEST * longest);
    const vector = scale(force_n, size / norm(force_n));
    return [{ at: sub(head, vector), vector, color }];
  });
}
