/** Clicks and taps in the view select; drags orbit. */

import { Vector2 } from "three";
import * as state from "../state";
import { batch } from "../store";
import type { Display } from "./display";
import { pick } from "./pick";
import type { Stage } from "./stage";

/** A press that moves farther than this is a drag; fingers are less steady than mice. */
const DRAG_PX = { mouse: 4, touch: 10 };
/** A finger that rests this long adds to the selection, as Shift does. */
const HOLD_MS = 500;

interface Press {
  x: number;
  y: number;
  touch: boolean;
}

export function selectByPointer(stage: Stage, display: Display): void {
  const { canvas } = stage;
  const down = new Set<number>();
  let pressed: Press | null = null;
  let timer = 0;
  const forget = () => {
    clearTimeout(timer);
    pressed = null;
  };
  const under = (x: number, y: number) => {
    const box = canvas.getBoundingClientRect();
    return display.blocks && pick(stage, display.blocks, new Vector2(x - box.left, y - box.top));
  };
  const select = ({ x, y }: Press, adds: boolean) => {
    const picked = under(x, y);
    batch(() => {
      state.picked.set(picked);
      state.selection.set(chosen(state.selection.peek(), picked?.block ?? null, adds));
    });
  };
  canvas.addEventListener("pointerdown", (event) => {
    down.add(event.pointerId);
    forget();
    // A second finger pans and zooms.
    if (down.size > 1 || event.button !== 0 || !stage.controls.enabled) return;
    const press = { x: event.clientX, y: event.clientY, touch: event.pointerType !== "mouse" };
    pressed = press;
    if (!press.touch) return;
    timer = window.setTimeout(() => {
      forget();
      select(press, true);
    }, HOLD_MS);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!pressed) return;
    const moved = Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y);
    if (moved > (pressed.touch ? DRAG_PX.touch : DRAG_PX.mouse)) forget();
  });
  canvas.addEventListener("pointerup", (event) => {
    down.delete(event.pointerId);
    const press = pressed;
    forget();
    if (press) select(press, event.shiftKey || event.ctrlKey || event.metaKey || state.addsToSelection.peek());
  });
  canvas.addEventListener("pointercancel", (event) => {
    down.delete(event.pointerId);
    forget();
  });
  showWhatCanBeClicked(canvas, (x, y) => under(x, y) !== null);
}

/** A hand over blocks, looked for once a picture at most. */
function showWhatCanBeClicked(canvas: HTMLCanvasElement, isBlock: (x: number, y: number) => boolean): void {
  let waiting = 0;
  let last: PointerEvent;
  canvas.addEventListener("pointermove", (event) => {
    last = event;
    if (event.pointerType !== "mouse" || event.buttons || waiting) return;
    waiting = requestAnimationFrame(() => {
      waiting = 0;
      canvas.style.cursor = isBlock(last.clientX, last.clientY) ? "pointer" : "";
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

/** Plain: this block alone, or nothing. Adding: this one as well, or no longer. */
export function chosen(before: ReadonlySet<number>, block: number | null, adds: boolean): ReadonlySet<number> {
  if (block === null) return adds ? before : new Set();
  if (!adds) return new Set([block]);
  const next = new Set(before);
  if (!next.delete(block)) next.add(block);
  return next;
}
