/** Clicks and taps in the view select or measure; drags orbit; what lies under the mouse is told. */

import { Vector2 } from "three";
import { hovered, pickJoint } from "../inspect";
import { measuring, measureTo } from "../measure";
import * as state from "../state";
import { batch } from "../store";
import type { Display } from "./display";
import { pick, pickJointAt } from "./pick";
import { cornerNear } from "./snap";
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
  const placeOf = (x: number, y: number) => {
    const box = canvas.getBoundingClientRect();
    return new Vector2(x - box.left, y - box.top);
  };
  const under = (at: Vector2) => display.blocks && pick(stage, display.blocks, at);
  const select = ({ x, y, touch }: Press, adds: boolean) => {
    const at = placeOf(x, y);
    const picked = under(at);
    if (measuring.peek()) return picked && measureTo(cornerNear(stage, display, picked, at) ?? picked.point);
    const joint = adds ? null : pickJointAt(stage, display, at, picked, !touch);
    if (joint !== null) return pickJoint(joint);
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
  tellWhatIsUnder(canvas, (x, y) => {
    const at = placeOf(x, y);
    const hit = under(at);
    const joint = measuring.peek() ? null : pickJointAt(stage, display, at, hit, true);
    if (joint !== null) return { kind: "joint", index: joint, at: [at.x, at.y] };
    return hit && { kind: "block", index: hit.block, at: [at.x, at.y] };
  });
}

/** Looked for once a picture at most. */
function tellWhatIsUnder(canvas: HTMLCanvasElement, look: (x: number, y: number) => ReturnType<typeof hovered.peek>): void {
  let waiting = 0;
  let last: PointerEvent;
  const leave = () => {
    cancelAnimationFrame(waiting);
    waiting = 0;
    hovered.set(null);
  };
  canvas.addEventListener("pointermove", (event) => {
    last = event;
    if (event.pointerType !== "mouse") return;
    if (event.buttons) return leave();
    waiting ||= requestAnimationFrame(() => {
      waiting = 0;
      const found = look(last.clientX, last.clientY);
      canvas.style.cursor = measuring.peek() ? "crosshair" : found ? "pointer" : "";
      hovered.set(found);
    });
  });
  canvas.addEventListener("pointerleave", leave);
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
