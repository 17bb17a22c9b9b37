/** Models that tabs, closed or crashed, have left in this browser. */

import { forgetKept, restoreKept } from "../actions/keep";
import { plural, words } from "../format";
import * as state from "../state";
import { effect } from "../store";
import { button } from "../ui/controls";
import { h } from "../ui/h";

export function keptList(done: () => void): HTMLElement {
  const box = h("div", { class: "open-list", testid: "kept" });
  effect(() => {
    const all = state.keptElsewhere();
    box.hidden = all.length === 0;
    box.replaceChildren(
      h("h2", { class: "caption" }, "Kept in this browser"),
      h(
        "ul",
        { class: "cards" },
        all.map((about) =>
          h(
            "li",
            { class: "kept", testid: `kept-${about.name}` },
            h("strong", {}, words(about.name)),
            h("span", {}, `${plural(about.blocks, "block")}, ${at(about.when)}${about.isOpen ? ", open in another tab" : ""}`),
            h(
              "div",
              { class: "button-row" },
              button({ label: about.isOpen ? "Copy" : "Restore", title: `Open ${about.name} as it was left`, testid: "kept-restore", onclick: () => void restoreKept(about.id).then((opened) => opened && done()) }),
              about.isOpen ? null : button({ label: "Forget", kind: "quiet", testid: "kept-forget", onclick: () => void forgetKept(about.id) }),
            ),
          ),
        ),
      ),
    );
  });
  return box;
}

/** `14:02` today, with the day before. */
function at(when: number): string {
  const then = new Date(when);
  const time = then.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  return then.toDateString() === new Date().toDateString() ? time : `${then.toLocaleDateString()} ${time}`;
}
