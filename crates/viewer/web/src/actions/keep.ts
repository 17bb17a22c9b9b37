/** Keeping the model of this tab, and giving back what was kept: after a reload, a broken connection, a closed tab. */

import { plural, words } from "../format";
import { type About, type Kept, forget, isTuned, list, onKept, preference, putBack, recall } from "../persist";
import * as state from "../state";
import { effect } from "../store";
import { type Held, become, becomeAnother, enter, holdAgain, letGo, others, reserve, tabId } from "../tab";
import { Disconnected, ServerError } from "../wire/socket";
import type { Model } from "../wire/types";
import { FIRST_RECIPE, build, openPath } from "./open";
import type { Place } from "./places";
import { type Given, askModelNow, greet, inTurn, keepWith, say, socket, visit } from "./server";
import { showStoredRun } from "./shake";
import { lookAgain } from "./study";
import { goOnWith, placeOf, places, storageFails, warnOfStorage, write } from "./write";

/** The model as the server last gave it away: what it is handed after the connection broke. */
let last: Kept | null = null;
/** Revision of the model that `last` is, and where it is kept. */
let lastRevision = 0;
let lastPlace: Place = { id: "", changed: false };
/** Whether there is anything in the model on screen that its recipe or file does not have. */
let changed = false;

/** The recipe of a model that is as it was built. */
const asBuilt = ({ recipe }: Model) => (recipe?.edits === 0 ? recipe : null);

const isStep = (what: string) => what === "undo" || what === "redo";

async function reach(model: Model, what: string): Promise<Held | null> {
  const there = isStep(what) ? places.at(model.undo) : undefined;
  // This tab may have let go of it just now.
  return there && there.id !== tabId() ? reserve(there.id, true) : null;
}

/** Asks for the model as soon as it has changed, ahead of any question about it and of any other change. */
function keep(model: Model, what: string, same: boolean, { restored, held, apart, handedBack }: Given): void {
  const there = isStep(what) ? places.at(model.undo) : undefined;
  // What was changed here must outlive what takes its place.
  const leaves = restored ? restored.id !== tabId() : isStep(what) ? there?.id !== tabId() : !same;
  if (held) become(held);
  else if (apart || (leaves && changed)) becomeAnother();
  if (restored && held) goOnWith(restored);
  if (restored) changed = restored.changed;
  else if (asBuilt(model)) changed = isTuned(model.recipe!, state.hello.peek()?.recipes ?? []);
  else if (what === "edit") changed = true;
  else if (isStep(what)) changed = there?.changed ?? true;
  else changed = handedBack?.changed ?? false;
  const place: Place = { id: tabId(), changed };
  if (isStep(what)) places.go(model.undo, place);
  else places.push(model.undo, place);
  if (asBuilt(model)) hold(null, model, place);
  else void save(model, place);
}

/** The server answers in order: no other change comes in between. */
async function save(model: Model, place: Place): Promise<void> {
  try {
    const { json } = await socket.ask("save").answer;
    hold(json.model, model, place);
  } catch (error) {
    if (!(error instanceof Disconnected)) say(error);
  }
}

function hold(saved: unknown, model: Model, place: Place): void {
  last = { model: saved, recipe: asBuilt(model), beside: model.beside ?? "", run: model.run?.path ?? null, folder: state.hello.peek()?.folder ?? null };
  lastRevision = model.revision;
  lastPlace = place;
  const faces = model.blocks.reduce((sum, block) => sum + block.faces, 0);
  write({ ...place, name: model.name, blocks: model.blocks.length, faces, visit, when: Date.now() }, last, () => void showKept());
}

/** What has not been changed since it was built comes back with its sliders. Needs the turn. */
async function give(kept: Kept, given: Given): Promise<void> {
  if (kept.recipe) await askModelNow("build", { recipe: kept.recipe.name, values: kept.recipe.values }, given);
  else if (!(await giveRun(kept, given))) await askModelNow("open", { model: kept.model, beside: kept.beside }, given);
}

/** False where it was no run, or where that is no longer there: another folder may have another one in its place. */
async function giveRun({ run, folder, model }: Kept, given: Given): Promise<boolean> {
  if (run === null || (folder !== undefined && folder !== (state.hello.peek()?.folder ?? null))) return false;
  const check = async () => {
    const { json } = await socket.ask("save").answer;
    if (JSON.stringify(json.model) !== JSON.stringify(model)) throw new ServerError(`${run} is of another model now.`, null);
  };
  try {
    const { id } = await askModelNow("open", { path: run }, { ...given, check });
    await showStoredRun(id);
    return true;
  } catch (error) {
    if (!(error instanceof ServerError) || error instanceof Disconnected) throw error;
    return false;
  }
}

/**
 * Shows what is kept under an id, once changes that are under way are kept. False where there is nothing, or where the
 * server refuses it; then it stays kept. Where another tab holds it, this one shows a copy.
 */
async function restore({ id, name }: About): Promise<boolean> {
  const found = await recall(id);
  if (!found) return false;
  return inTurn(async () => {
    const own = id === tabId();
    // Pressed twice, or gone back to meanwhile.
    if (own && state.model.peek()) return true;
    const held = own ? null : await reserve(id);
    try {
      await give(found.kept, { restored: found.about, held });
      return true;
    } catch (error) {
      if (tabId() !== id) held?.release();
      // A connection that broke says nothing about this one.
      if (!(error instanceof ServerError) || error instanceof Disconnected) throw error;
      say(new ServerError(`${words(name)} is kept in this browser, but cannot be opened: ${error.message}`, error.help));
      return false;
    }
  });
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

/** Forgets, and lets the person think better of it while the banner tells of it. */
export async function forgetKept(id: string): Promise<void> {
  const found = await recall(id);
  await forget(id);
  await showKept();
  if (!found) return;
  const back = () => void putBack(found).then(showKept);
  state.notice.set({ tone: "info", text: `${words(found.about.name)}, ${plural(found.about.blocks, "block")}, is forgotten.`, action: { label: "Undo", run: back } });
}

/** What can be restored: what other tabs have changed. */
async function showKept(): Promise<void> {
  const [all, open] = await Promise.all([list(), others()]);
  const now = all.filter((about) => about.changed && about.id !== tabId()).map((about) => ({ ...about, isOpen: open?.has(about.id) ?? false }));
  // A list that is drawn anew takes the focus from its buttons.
  if (JSON.stringify(now) !== JSON.stringify(state.keptElsewhere.peek())) state.keptElsewhere.set(now);
}

/** Hands the server the model on screen, which it lost with the connection. Needs the turn. */
async function handBack(): Promise<void> {
  await greet();
  await holdAgain();
  if (!last) {
    state.notice.set({ tone: "error", text: "Connected again, but the connection broke before the model was kept.", help: "Open it again." });
    return;
  }
  const whole = lastRevision === state.model.peek()?.revision;
  // Where the connection broke before a model in its place was kept, that one's place is not written over.
  const id = placeOf(lastPlace.id);
  const apart = id !== tabId();
  await give(last, { handedBack: lastPlace, apart, held: apart ? await reserve(id) : null });
  state.notice.set({
    tone: "info",
    text: whole ? "Connected again. Your model was handed back to the server." : "Connected again. Your model is back as it was before the last change.",
  });
}

/** What a reload of this tab shows; null where nothing is kept. */
let entered: Promise<About | null> | null = null;

async function own(): Promise<About | null> {
  const id = await enter();
  const about = id === null ? null : ((await recall(id))?.about ?? null);
  if (about?.id !== tabId()) return about;
  goOnWith(about);
  // Whatever is asked for before it is back must not be written over it.
  changed = about.changed;
  return about;
}

/** Whether the person has started afresh rather than go on with it. */
function isDeclined({ id, when }: About): boolean {
  const all = JSON.parse(preference.get("declined") ?? "{}") as Record<string, number>;
  return (all[id] ?? 0) >= when;
}

/** Restores what the last visit left, in a tab that has nothing of its own. */
async function lastVisit(): Promise<boolean> {
  const about = state.keptElsewhere.peek().find((each) => !each.isOpen && each.visit !== visit && !isDeclined(each));
  return about !== undefined && (await restore(about));
}

/** What was restored stays kept, whether changed or not; neither it nor older ones come back by themselves. */
function startAfresh(): void {
  const closed = state.keptElsewhere.peek().filter(({ isOpen }) => !isOpen);
  preference.set("declined", JSON.stringify(Object.fromEntries([tabId(), ...closed.map(({ id }) => id)].map((id) => [id, Date.now()]))));
  void build(FIRST_RECIPE, {}, { apart: true }).then(showKept);
}

function sayBack(): void {
  const more = state.keptElsewhere.peek().length;
  state.notice.set({
    tone: "info",
    text: "Your last model is back.",
    help: more ? `${plural(more, "other")} kept in this browser: see Open.` : null,
    action: { label: "Start afresh", run: startAfresh },
  });
}

/** Tells once of what a closed tab has left. */
function offer(): void {
  const about = state.keptElsewhere.peek().find((each) => !each.isOpen && !isDeclined(each));
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
    // Whatever is asked for meanwhile waits until the server has the model again.
    if (state.model.peek()) {
      await inTurn(handBack);
      return lookAgain();
    }
    const hello = await greet();
    if (!keeps) {
      keepWith({ reach, keep });
      onKept(() => void showKept());
      addEventListener("focus", () => void showKept());
      effect(whileAway);
      warnOfStorage();
    }
    keeps = true;
    await first(hello.opened);
    lookAgain();
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
    help: storageFails.peek()
      ? "Open the address that it printed. This browser stores nothing: what you changed here cannot be taken along."
      : "Open the address that it printed: what you changed here is kept in this browser and can be restored there.",
  });
}
