/** Models that tabs, closed or crashed, have left in this browser. */

import { forgetKept, restoreKept } from "../actions/keep";
import { plural, words } from "../format";
import type { About } from "../persist";
import * as state from "../state";
import { effect } from "../store";
import { button } from "../ui/controls";
import { h } from "../ui/h";

/** As many as leave the recipes in view. */
const SHOWN = 2;

export function keptList(done: () => void): HTMLElement {
  const box = h("div", { class: "open-list kept-list", testid: "kept" });
  const card = (about: About & { isOpen: boolean }) => {
    const facts = `${plural(about.blocks, "block")}, ${at(about.when)}`;
    // Several may have one name: what is read out tells them apart.
    const named = (element: HTMLButtonElement, does: string) => (element.setAttribute("aria-label", `${does} ${words(about.name)}, ${facts}`), element);
    const opens = about.isOpen ? "Copy" : "Restore";
    return h(
      "li",
      { class: "kept", testid: `kept-${about.name}` },
      h("strong", {}, words(about.name)),
      h("span", {}, `${facts}${about.isOpen ? ", open in another tab" : ""}`),
      h(
        "div",
        { class: "button-row" },
        named(button({ label: opens, title: `Open ${about.name} as it was left`, testid: "kept-restore", onclick: () => void restoreKept(about.id).then((opened) => opened && done()) }), opens),
        about.isOpen ? null : named(button({ label: "Forget", kind: "quiet", testid: "kept-forget", onclick: () => void forgetKept(about.id) }), "Forget"),
      ),
    );
  };
  let unfolded = false;
  effect(() => {
    const all = state.keptElsewhere();
    box.hidden = all.length === 0;
    const more = h("details", { open: unfolded, ontoggle: () => (unfolded = more.open) }, h("summary", {}, `${all.length - SHOWN} more`), h("ul", { class: "cards" }, all.slice(SHOWN).map(card)));
    box.replaceChildren(h("h2", { class: "caption" }, "Kept in this browser"), h("ul", { class: "cards" }, all.slice(0, SHOWN).map(card)), ...(all.length > SHOWN ? [more] : []));
  });
  return box;
}

/** `14:02` today, with the day before. */
function at(when: number): string {
  const then = new Date(when);
  const time = then.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  return then.toDateString() === new Date().toDateString() ? time : `${then.toLocaleDateString()} ${time}`;
}
