/** The slider along the path of a slow loading, and how large its displacements are drawn. */

import { goTo, playPath } from "../actions/slow";
import { whole } from "../format";
import { placeWords } from "../stages";
import * as state from "../state";
import { effect } from "../store";
import { button, select } from "../ui/controls";
import { h } from "../ui/h";

const FACTORS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
/** Stone deforms by less than joints open. */
const LARGER = [2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6];
const factors = () => (state.path()?.skin ? [...FACTORS, ...LARGER] : FACTORS);

/** Where on the path one is. */
export function pathPlace(): string {
  const path = state.path();
  const point = state.equilibrium();
  if (!path || !point) return "as drawn, without load";
  return state.fallsOnPath() ? (path.end?.no_forces ? "no equilibrium: it moves" : "no equilibrium found") : placeWords(path.stages, point);
}

export function pathBar(): HTMLElement {
  const range = h("input", { type: "range", min: 0, step: 1, class: "scrub", "aria-label": "Along the path", testid: "path-scrub" });
  const place = h("span", { class: "place", testid: "path-place" });
  range.addEventListener("input", () => goTo(Number(range.value)));
  const bar = h(
    "div",
    { class: "timeline along", role: "group", "aria-label": "Path of the slow loading", testid: "path-bar" },
    button({ label: "Play or pause (space)", icon: "play", pressedIcon: "pause", iconOnly: true, testid: "path-play", pressed: () => state.pathPlays(), onclick: playPath }),
    range,
    place,
    select("Displacements", () => factors().map((factor) => ({ value: String(factor), label: `× ${whole(factor)}` })), () => String(state.magnify()), (value) => state.magnify.set(Number(value)), "magnify"),
  );
  effect(() => {
    bar.hidden = !state.onPath() || state.pointsSeen() === 0;
    const last = state.pathLast();
    range.max = String(last || 1);
    range.value = String(state.pathAt());
    range.style.setProperty("--part", `${(state.pathAt() / (last || 1)) * 100}%`);
    range.style.setProperty("--ready", "100%");
    place.textContent = pathPlace();
    place.title = place.textContent;
    range.setAttribute("aria-valuetext", place.textContent);
  });
  return bar;
}
