/** Clicks in the view select; drags orbit. */

import { Vector2 } from "three";
import * as state from "../state";
import { batch } from "../store";
import type { Display } from "./display";
import { pick } from "./pick";
import type { Stage } from "./stage";

/** A press that moves farther than this is a drag. */
const DRAG_PX = 4;

export function selectByPointer(stage: Stage, display: Display): void {
  const { canvas } = stage;
  let pressed: { x: number; y: number } | null = null;
  canvas.addEventListener("pointerdown", (event) => {
    pressed = event.button === 0 && stage.controls.enabled ? { x: event.clientX, y: event.clientY } : null;
  });
  canvas.addEventListener("pointerup", (event) => {
    if (!pressed || Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > DRAG_PX || !display.blocks) return;
    pressed = null;
    const box = canvas.getBoundingClientRect();
    const picked = pick(stage, display.blocks, new Vector2(event.clientX - box.left, event.clientY - box.top));
    batch(() => {
      state.picked.set(picked);
      state.selection.set(chosen(state.selection.peek(), picked?.block ?? null, event));
    });
  });
}

/** Radians that an arrow key turns the view by, and the part that plus and minus come closer by. */
const TURN = 0.12;
const ZOOM = 0.15;

/** The view by keyboard, while it has the focus. */
export function orbitByKeys(stage: Stage): void {
  stage.canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const acts: Record<string, () => void> = {
      ArrowLeft: () => stage.orbit(-TURN, 0),
      ArrowRight: () => stage.orbit(TURN, 0),
      ArrowUp: () => stage.orbit(0, -TURN),
      ArrowDown: () => stage.orbit(0, TURN),
      "+": () => stage.zoom(1 - ZOOM),
      "-": () => stage.zoom(1 + ZOOM),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}

/** Plain: this block alone, or nothing. With Shift or Ctrl: this one as well, or no longer. */
export function chosen(
  before: ReadonlySet<number>,
  block: number | null,
  keys: { shiftKey: boolean; ctrlKey: boolean; metaKey: boolean },
): ReadonlySet<number> {
  const adds = keys.shiftKey || keys.ctrlKey || keys.metaKey;
  if (block === null) return adds ? before : new Set();
  if (!adds) return new Set([block]);
  const next = new Set(before);
  if (!next.delete(block)) next.add(block);
  return next;
}
