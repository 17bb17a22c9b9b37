/** What lies under the pointer, in a few numbers beside it. */

import { force, length, mass, percent } from "../format";
import { hovered } from "../inspect";
import { displacementOf, jointReader, massOf, supportsNow } from "../numbers";
import * as state from "../state";
import { effect } from "../store";
import { h } from "../ui/h";

/** Distance from the pointer, in pixels. */
const AWAY = 14;

function blockLines(index: number): string[] {
  const block = state.model()?.blocks[index];
  if (!block) return [];
  const moved = displacementOf(index);
  return [block.name, [supportsNow()(block) ? "support" : "", mass(massOf(block)), moved === null ? "" : `moved ${length(moved)}`].filter(Boolean).join(" · ")];
}

function jointLines(joint: number): string[] {
  const [model, read] = [state.model(), jointReader()];
  if (!model || !read || 2 * joint >= (state.geometry()?.joint_blocks.length ?? 0)) return [];
  const numbers = read(joint);
  const [a, b] = numbers.blocks.map((block) => model.blocks[block]!.name);
  const forces = numbers.normal_n === null ? [] : [`N ${force(numbers.normal_n)}`, `V ${force(numbers.shear_n)}`, numbers.use === null ? "" : `friction ${percent(numbers.use)}`];
  const motion = numbers.opening_m === null ? [] : [`open ${length(numbers.opening_m)}`, `slip ${length(numbers.slip_m)}`];
  return [`${a} – ${b}`, [...forces, ...motion].filter(Boolean).join(" · ") || (numbers.state ?? "")];
}

export function hoverTip(): HTMLElement {
  const name = h("strong", {});
  const says = h("span", {});
  const tip = h("div", { class: "hover-tip", "aria-hidden": "true", testid: "hover" }, name, says);
  effect(() => {
    const under = hovered();
    const [title, text] = under?.at ? (under.kind === "block" ? blockLines(under.index) : jointLines(under.index)) : [];
    tip.hidden = title === undefined;
    if (title === undefined) return;
    name.textContent = title;
    says.textContent = text ?? "";
    const [x, y] = under!.at!;
    const room = tip.parentElement!;
    const [right, lower] = [x + AWAY + tip.offsetWidth > room.clientWidth, y + AWAY + tip.offsetHeight > room.clientHeight];
    tip.style.transform = `translate(${right ? x - AWAY - tip.offsetWidth : x + AWAY}px, ${lower ? y - AWAY - tip.offsetHeight : y + AWAY}px)`;
  });
  return tip;
}
