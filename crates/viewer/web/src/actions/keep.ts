/** Keeping the model of this tab, and giving back what was kept: after a reload, a broken connection, a closed tab. */

import { plural, words } from "../format";
import { type About, type Kept, forget, list, onKept, preference, recall, recallAbout, remember } from "../persist";
import * as state from "../state";
import { effect } from "../store";
import { type Held, become, becomeAnother, enter, holdAgain, letGo, others, reserve, tabId } from "../tab";
import { Disconnected, ServerError } from "../wire/socket";
import type { Model } from "../wire/types";
import { FIRST_RECIPE, build, openPath } from "./open";
import { askModel, greet, onModel, say, socket, visit } from "./server";
import { showStoredRun } from "./shake";

/** The model as the server last gave it away: what it is handed after the connection broke. */
let last: Kept | null = null;
/** Revision of the model that `last` is. */
let lastRevision = 0;
let saving = false;
let newest: Model;
let writing = Promise.resolve();
let storageFails = false;
/** Whether the model has been edited since it was built or opened. */
let edited = false;
/** What is being given back, and the id under which it is kept where nobody else holds that. */
let restoring: { about: About; held: Held | null } | null = null;

/** Asks for the model as soon as it has changed, ahead of any question about it. */
function keep(model: Model, what: string, same: boolean): void {
  if (restoring) {
    if (restoring.held) become(restoring.held);
    else if (edited) becomeAnother();
    edited = restoring.about.changed;
  } else if (what === "edit" || what === "undo" || what === "redo") edited = model.recipe === null;
  else if (!same) {
    // What was edited here must outlive what takes its place.
    if (edited) becomeAnother();
    edited = false;
  }
  newest = model;
  if (model.recipe) return hold(null, model);
  // The server answers in order: one that is still on its way brings this change as well.
  if (!saving) void save();
}

async function save(): Promise<void> {
  saving = true;
  try {
    const { json } = await socket.ask("save").answer;
    hold(json.model, newest);
  } catch (error) {
    if (!(error instanceof Disconnected)) say(error);
  } finally {
    saving = false;
  }
}

function hold(saved: unknown, model: Model): void {
  const { recipe, revision } = model;
  const kept = { model: recipe ? null : saved, recipe, beside: model.beside ?? "", run: model.run?.path ?? null };
  const about: About = {
    id: tabId(),
    name: model.name,
    blocks: model.blocks.length,
    faces: model.blocks.reduce((sum, block) => sum + block.faces, 0),
    changed: recipe ? Object.keys(recipe.values).length > 0 : edited,
    visit,
    when: Date.now(),
  };
  last = kept;
  lastRevision = revision;
  writing = writing.then(async () => {
    // Only the newest of those that wait is written, except that this tab may have become another meanwhile.
    if (last !== kept && about.id === tabId()) return;
    const done = await remember(about, kept, await others());
    void showKept();
    if (done || storageFails) return;
    storageFails = true;
    if (!state.notice.peek()) state.notice.set({ tone: "info", text: "This browser stores nothing here: reloading the page loses the model.", help: "Save it to keep it." });
  });
}

/** Edits leave no recipe behind, so what has one is as it was built, and its sliders come back with it. */
async function give(kept: Kept, handedBack: boolean): Promise<void> {
  if (kept.recipe) await askModel("build", { recipe: kept.recipe.name, values: kept.recipe.values }, handedBack);
  else if (kept.run === null || !(await giveRun(kept.run, handedBack))) await askModel("open", { model: kept.model, beside: kept.beside }, handedBack);
}

/** False where the run is no longer there. */
async function giveRun(path: string, handedBack: boolean): Promise<boolean> {
  try {
    const { id } = await askModel("open", { path }, handedBack);
    await showStoredRun(id);
    return true;
  } catch (error) {
    if (!(error instanceof ServerError) || error instanceof Disconnected) throw error;
    return false;
  }
}

/**
 * Shows what is kept under an id. False where there is nothing, or where the server refuses it; then it stays kept.
 * Where another tab holds it, this one shows a copy.
 */
async function restore(about: About): Promise<boolean> {
  const kept = await recall(about.id);
  if (!kept) return false;
  const held = about.id === tabId() ? null : await reserve(about.id);
  restoring = { about, held };
  try {
    await give(kept, false);
    return true;
  } catch (error) {
    held?.release();
    // A connection that broke, or another model that was asked for meanwhile, says nothing about this one.
    if (!(error instanceof ServerError) || error instanceof Disconnected) throw error;
    say(new ServerError(`${words(about.name)} is kept in this browser, but cannot be opened: ${error.message}`, error.help));
    return false;
  } finally {
    restoring = null;
  }
}

export async function restoreKept(id: string): Promise<boolean> {
  const about = state.keptElsewhere.peek().find((each) => each.id === id);
  if (!about) return false;
  try {
    const done = await restore(about);
    if (done) state.notice.update((now) => (now?.tone === "error" ? null : now));
    return done;
  } catch (error) {
    say(error);
    return false;
  } finally {
    await showKept();
  }
}

export async function forgetKept(id: string): Promise<void> {
  await forget(id);
  await showKept();
}

/** What can be restored: what other tabs have changed. */
async function showKept(): Promise<void> {
  const [all, open] = await Promise.all([list(), others()]);
  const now = all.filter(({ id, changed }) => changed && id !== tabId()).map((about) => ({ ...about, isOpen: open.has(about.id) }));
  // A list that is drawn anew takes the focus from its buttons.
  if (JSON.stringify(now) !== JSON.stringify(state.keptElsewhere.peek())) state.keptElsewhere.set(now);
}

/** Hands the server the model on screen, which it lost with the connection. */
async function handBack(): Promise<void> {
  if (!last) {
    state.notice.set({ tone: "error", text: "Connected again, but the connection broke before the model was kept.", help: "Open it again." });
    return;
  }
  const whole = lastRevision === state.model.peek()?.revision;
  await give(last, true);
  state.notice.set({
    tone: "info",
    text: whole ? "Connected again. Your model was handed back to the server." : "Connected again. Your model is back as it was before the last change.",
  });
}

/** What a reload of this tab shows; null where nothing is kept. */
let entered: Promise<About | null> | null = null;

async function own(): Promise<About | null> {
  const id = await enter();
  return id === null ? null : ((await recallAbout(id)) ?? null);
}

/** Restores what the last visit left, in a tab that has nothing of its own. */
async function lastVisit(): Promise<boolean> {
  const about = state.keptElsewhere.peek().find((each) => !each.isOpen && each.visit !== visit);
  return about !== undefined && (await restore(about));
}

function sayBack(): void {
  const more = state.keptElsewhere.peek().length;
  state.notice.set({
    tone: "info",
    text: "Your last model is back.",
    help: more ? `${plural(more, "other")} kept in this browser: see Open.` : null,
    action: {
      label: "Start afresh",
      run: () => {
        // What was restored stays kept, whether edited or not.
        becomeAnother();
        void build(FIRST_RECIPE, {}).then(showKept);
      },
    },
  });
}

/** Tells once of what a closed tab has left. */
function offer(): void {
  const about = state.keptElsewhere.peek().find(({ isOpen }) => !isOpen);
  if (!about || Number(preference.get("offered") ?? 0) >= about.when || state.notice.peek()) return;
  preference.set("offered", String(about.when));
  state.notice.set({
    tone: "info",
    text: `${words(about.name)}, as you changed it in another tab, is kept in this browser.`,
    help: "It stays listed under Open.",
    action: { label: "Restore", run: () => void restoreKept(about.id) },
  });
}

async function first(opened: string | null): Promise<void> {
  if (entered) await holdAgain();
  const mine = await (entered ??= own());
  await showKept();
  const stays = mine?.visit === visit;
  if (opened !== null && !stays) {
    // What this tab had stays kept beside what the program was started with.
    if (mine?.changed) becomeAnother();
    if (!(await openPath(opened))) {
      const why = state.notice.peek();
      await build(FIRST_RECIPE, {});
      state.notice.set(why);
    }
  } else if (mine && (await restore(mine))) {
    if (stays) state.notice.update((now) => (now?.tone === "error" ? null : now));
    else sayBack();
    return;
  } else {
    if (mine) becomeAnother();
    else if (await lastVisit()) return sayBack();
    await build(FIRST_RECIPE, {});
  }
  await showKept();
  offer();
}

let keeps = false;

/** At every connection: the first shows something, later ones hand the server what it lost. */
export async function begin(): Promise<void> {
  try {
    const hello = await greet();
    if (!keeps) {
      onModel(keep);
      onKept(() => void showKept());
      addEventListener("focus", () => void showKept());
      effect(whileAway);
    }
    keeps = true;
    if (!state.model.peek()) return await first(hello.opened);
    await holdAgain();
    await handBack();
  } catch (error) {
    say(error);
  }
}

/** Nothing changes here without a server: another tab may go on with the model. */
function whileAway(): void {
  const connection = socket.connection();
  if (connection === "lost" || connection === "refused") letGo();
  if (connection !== "refused") return;
  state.notice.set({
    tone: "error",
    text: "drystone was started again, and no longer lets this tab in.",
    help: storageFails
      ? "Open the address that it printed. This browser stores nothing: what you changed here cannot be taken along."
      : "Open the address that it printed: what you changed here is kept in this browser and can be restored there.",
  });
}
