/** The line at the bottom, the banner for what went wrong, and what screen readers are told. */

import { socket } from "../actions/server";
import { mass, plural, roughly, stepWords, whole } from "../format";
import { freeMass } from "../numbers";
import * as state from "../state";
import { effect, signal } from "../store";
import { button } from "../ui/controls";
import { h } from "../ui/h";
import { unitChoice } from "./unitchoice";

const CONNECTION = { connecting: "Connecting", open: "Connected", lost: "Connection lost", refused: "Not let in: open the address that drystone printed" } as const;
const VERDICT = { stable: "stands", unstable: "falls", undecided: "undecided" } as const;
const SELF_STRESS = { allowed: "self-stress allowed", excluded: "self-stress not allowed" } as const;

/** How long a verdict may be that of before without anybody being told. */
const LATE_MS = 350;

export function statusLine(): HTMLElement {
  const dot = h("span", { class: "dot", "aria-hidden": "true" });
  const link = h("span", { testid: "connection" });
  const facts = h("span", { testid: "status-model" });
  const verdict = h("span", { testid: "status-verdict", class: "status-verdict" });
  const busy = h("span", { class: "busy", testid: "busy" });
  const retry = button({ label: "Try now", kind: "quiet", onclick: () => socket.connect(), testid: "reconnect" });
  effect(() => {
    const connection = socket.connection();
    dot.dataset.connection = connection === "refused" ? "lost" : connection;
    link.textContent = CONNECTION[connection];
    retry.hidden = connection === "open" || connection === "connecting";
    link.dataset.connection = connection;
  });
  effect(() => {
    const model = state.model();
    facts.textContent = model
      ? [
          plural(model.blocks.length, "block"),
          plural(model.joints, "joint"),
          plural(model.contacts, "contact point"),
          mass(freeMass()),
        ].join(" · ")
      : "";
  });
  const isLate = signal(false);
  let late = 0;
  effect(() => {
    // Sliders make verdicts old for an instant: only those that stay so are told.
    const old = state.check() !== null && !state.isCurrent();
    clearTimeout(late);
    if (old) late = window.setTimeout(() => isLate.set(true), LATE_MS);
    else isLate.set(false);
  });
  effect(() => {
    // What stands at rest may fall in the run that is on screen: that is what is looked at then.
    const run = state.onRun() ? state.run() : null;
    if (run) {
      const outcome = state.outcomeOf(run);
      const falls = run.end?.collapsed ?? false;
      verdict.textContent = `run: ${outcome?.toLowerCase() ?? (run.state === "ended" ? "see its history" : "not over")}`;
      verdict.dataset.verdict = falls ? "unstable" : "none";
      return;
    }
    const now = state.verdictNow();
    const says = now ? `${VERDICT[now.verdict]} (${now.by}, ${SELF_STRESS[now.self_stress]})` : "";
    const old = now !== null && isLate();
    verdict.textContent = old ? `checking; before: ${says}` : says;
    verdict.dataset.verdict = old ? "none" : (now?.verdict ?? "none");
  });
  const run = h("span", { testid: "status-run" });
  effect(() => {
    const { started, frames, state: now } = state.run() ?? { started: null, frames: [], state: "ended" };
    state.framesSeen();
    const last = frames.at(-1);
    const speed = last && last.steps_per_s > 0 ? ` · ${whole(roughly(last.steps_per_s))} a second` : "";
    run.hidden = now === "ended";
    // Joints with a stiffness are compressed first, which takes a while in large structures.
    run.textContent = started ? `${stepWords(started.integrator, last?.step_s || (started.short_step_s ?? 0))}${speed}` : "Preparing the run";
  });
  const stop = button({ label: "Stop", kind: "quiet", onclick: () => socket.tell("stop", { which: state.stoppable.peek() }), testid: "stop" });
  effect(() => {
    busy.textContent = state.busy() ?? "";
    stop.hidden = state.stoppable() === null;
  });
  return h(
    "section",
    { class: "status", "aria-label": "Status", testid: "status" },
    dot,
    link,
    retry,
    facts,
    unitChoice(),
    h("span", { class: "grow" }),
    run,
    busy,
    stop,
    verdict,
    liveRegion(),
  );
}

function liveRegion(): HTMLElement {
  const region = h("div", { class: "unseen", role: "status", "aria-live": "polite", testid: "announcement" });
  // A slider that moves gives many verdicts; what is read out is the one it ends on.
  let timer = 0;
  effect(() => {
    const text = state.announcement();
    clearTimeout(timer);
    timer = window.setTimeout(() => void (region.textContent = text), 400);
  });
  return region;
}

export function banner(): HTMLElement {
  const text = h("span", {});
  const help = h("span", { class: "banner-help" });
  const action = h("button", { type: "button", class: "button plain", testid: "notice-action" });
  let act: () => void = () => {};
  action.addEventListener("click", () => {
    state.notice.set(null);
    act();
  });
  const box = h(
    "div",
    { class: "banner", testid: "notice" },
    h("div", { class: "banner-text" }, text, help),
    action,
    button({ label: "Dismiss", icon: "close", iconOnly: true, kind: "quiet", onclick: () => state.notice.set(null), testid: "notice-dismiss" }),
  );
  effect(() => {
    const notice = state.notice();
    box.hidden = notice === null;
    if (!notice) return;
    box.dataset.tone = notice.tone;
    box.setAttribute("role", notice.tone === "error" ? "alert" : "status");
    text.textContent = notice.text;
    help.textContent = notice.help ?? "";
    action.hidden = !notice.action;
    action.textContent = notice.action?.label ?? "";
    act = notice.action?.run ?? (() => {});
  });
  return box;
}
