/** Several tabs, and tabs that are gone: each keeps its own model, and none is lost. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Server, changing, folder, kept, read, settled, visit, withPage } from "../harness.mjs";
import { at, choose, leftTab, openRecipe, rightTab, setParameters, type } from "../steps.mjs";

/** Opens a stack and deletes its topmost blocks, down to so many. */
async function cutDown(page, blocks) {
  await openRecipe(page, "stack");
  for (let top = 10; top >= blocks; top--) {
    await choose(page, `block-${top}`);
    await rightTab(page, "edit");
    await changing(page, () => at(page, "delete").click());
  }
  assert.equal((await read(page)).blocks, blocks);
  await kept(page, blocks);
}

async function anotherTab(page) {
  const tab = await page.context().newPage();
  await tab.goto(page.url());
  await settled(tab);
  return tab;
}

const shows = async (page) => {
  const { name, blocks } = await read(page);
  return `${name} ${blocks}`;
};

const keptCards = (page) => at(page, "kept").locator(".kept");

withPage("two tabs keep a model each, and a reload of either shows its own", async ({ page }) => {
  await cutDown(page, 10);
  const other = await anotherTab(page);
  assert.equal((await read(other)).name, "spandrel-arch", "a new tab begins with the first structure");
  await cutDown(other, 9);
  for (const [tab, what] of [[page, "stack 10"], [other, "stack 9"], [page, "stack 10"]]) {
    await tab.reload();
    await settled(tab);
    assert.equal(await shows(tab), what);
  }
  // What lets in to the server is not stored with them.
  const stored = await page.evaluate(
    () =>
      new Promise((settle) => {
        indexedDB.open("drystone", 2).onsuccess = ({ target: { result: db } }) => {
          db.transaction("about").objectStore("about").getAll().onsuccess = ({ target }) => (db.close(), settle(JSON.stringify(target.result)));
        };
      }),
  );
  assert.match(stored, /stack/);
  assert.equal(stored.includes(new URL(page.url()).searchParams.get("token")), false);
});

withPage("what a closed tab had is offered, restored with its edits, and forgotten when told", async ({ page }) => {
  await cutDown(page, 10);
  const second = await anotherTab(page);
  await openRecipe(second, "column");
  await page.close();
  const third = await anotherTab(second);
  // The new tab tells of it once; it stays in the list.
  await at(third, "notice").filter({ hasText: "Stack, as you changed it in another tab" }).waitFor();
  await at(third, "notice-dismiss").click();
  await leftTab(third, "open");
  assert.equal(await keptCards(third).count(), 1);
  assert.match(await keptCards(third).innerText(), /Stack\s+10 blocks, \d/);
  assert.equal(await changing(third, () => at(third, "kept-restore").click()), "stable");
  assert.equal(await shows(third), "stack 10");
  // It is this tab's own now: a reload shows it, and the list has nothing left to restore.
  await third.reload();
  await settled(third);
  assert.equal(await shows(third), "stack 10");
  assert.equal(await keptCards(third).count(), 0);

  await third.close();
  await leftTab(second, "open");
  await second.reload();
  await settled(second);
  assert.equal((await read(second)).name, "column");
  await leftTab(second, "open");
  assert.match(await at(second, "kept-forget").getAttribute("aria-label"), /^Forget Stack, 10 blocks, \d/);
  await at(second, "kept-forget").click();
  await keptCards(second).waitFor({ state: "detached" });
  await at(second, "notice").filter({ hasText: "Stack, 10 blocks, is forgotten" }).waitFor();
  await at(second, "notice-action").click();
  await keptCards(second).waitFor();
  await at(second, "kept-forget").click();
  await keptCards(second).waitFor({ state: "detached" });
  await second.reload();
  await settled(second);
  assert.equal(await keptCards(second).count(), 0);
});

withPage("what a tab had that crashed is restored", async ({ page }) => {
  await cutDown(page, 10);
  const other = await anotherTab(page);
  await openRecipe(other, "column");
  const crashed = page.waitForEvent("crash");
  await page.goto("chrome://crash").catch(() => {});
  await crashed;
  await leftTab(other, "open");
  // Of an open tab there is a copy to be had; of one that is gone the model itself.
  await other.evaluate(() => dispatchEvent(new Event("focus")));
  const restore = at(other, "kept-restore").filter({ hasText: "Restore" });
  await restore.waitFor();
  await changing(other, () => restore.click());
  assert.equal(await shows(other), "stack 10");
  await other.reload();
  await settled(other);
  assert.equal(await shows(other), "stack 10");
});

withPage("an edited model that another takes the place of stays kept", async ({ page }) => {
  await cutDown(page, 10);
  await openRecipe(page, "column");
  await page.reload();
  await settled(page);
  assert.equal((await read(page)).name, "column");
  await leftTab(page, "open");
  await changing(page, () => at(page, "kept-restore").click());
  assert.equal(await shows(page), "stack 10");
});

withPage("what undoing goes back to is kept once, and redoing leaves it kept", async ({ page }) => {
  await cutDown(page, 10);
  await openRecipe(page, "column");
  await changing(page, () => at(page, "undo").click());
  assert.equal(await shows(page), "stack 10");
  await kept(page, 10);
  await changing(page, () => at(page, "redo").click());
  assert.equal((await read(page)).name, "column");
  await changing(page, () => at(page, "undo").click());
  await openRecipe(page, "arch");
  await leftTab(page, "open");
  await keptCards(page).first().waitFor();
  assert.deepEqual(await keptCards(page).locator("strong").allInnerTexts(), ["Stack"]);
  // Also where what comes back is of the same recipe.
  await changing(page, () => at(page, "kept-restore").click());
  await openRecipe(page, "stack");
  await changing(page, () => at(page, "undo").click());
  assert.equal(await shows(page), "stack 10");
  await changing(page, () => at(page, "redo").click());
  assert.equal(await shows(page), "stack 11");
  await leftTab(page, "open");
  await keptCards(page).first().waitFor();
  assert.match(await keptCards(page).innerText(), /Stack\s+10 blocks/);
});

withPage("a recipe with values of one's own stays kept when another takes its place, one without does not", async ({ page }) => {
  await openRecipe(page, "stack");
  await setParameters(page, { blocks: 4 });
  await openRecipe(page, "column");
  await leftTab(page, "open");
  await keptCards(page).first().waitFor();
  assert.match(await keptCards(page).innerText(), /Stack\s+5 blocks/);
  await changing(page, () => at(page, "kept-restore").click());
  assert.equal(await shows(page), "stack 5");
  await leftTab(page, "parameters");
  assert.equal(await at(page, "param-blocks-number").inputValue(), "4", "with its sliders");
  // As the recipe has it there is nothing to keep.
  await setParameters(page, { blocks: 10 });
  await openRecipe(page, "arch");
  await leftTab(page, "open");
  await keptCards(page).waitFor({ state: "detached" });
});

withPage("a browser that does not tell which tabs are open keeps models all the same", async ({ page, context }) => {
  await context.addInitScript(() => {
    if (navigator.locks) navigator.locks.query = () => Promise.reject(new Error("test"));
  });
  await page.reload();
  await settled(page);
  await cutDown(page, 9);
  await page.reload();
  await settled(page);
  assert.equal(await shows(page), "stack 9");
});

withPage("of many that are kept the newest are seen, the others unfold", async ({ page }) => {
  // Each is edited, then another takes its place.
  for (const recipe of ["stack", "block", "arch", "column"]) {
    await openRecipe(page, recipe);
    await rightTab(page, "edit");
    await type(page, "edit-density", 2345);
    await changing(page, () => at(page, "density-all").click());
  }
  await openRecipe(page, "stack");
  await leftTab(page, "open");
  await at(page, "kept").getByText("2 more").waitFor();
  const seen = () => keptCards(page).locator("visible=true").locator("strong").allInnerTexts();
  assert.deepEqual(await seen(), ["Column", "Arch"]);
  await at(page, "kept").getByText("2 more").click();
  assert.deepEqual(await seen(), ["Column", "Arch", "Block", "Stack"]);
  await changing(page, () => at(page, "kept-block").getByTestId("kept-restore").click());
  assert.equal((await read(page)).name, "block");
});

/** What browsers call duplicating: the new tab has a copy of the session. */
async function duplicated(page) {
  const [tab] = await Promise.all([page.context().waitForEvent("page"), page.evaluate(() => void window.open(location.href))]);
  await settled(tab);
  return tab;
}

for (const [how, without] of [["", false], [", without locks", true]])
  withPage(`the duplicate of a tab shows the same and keeps its own${how}`, async ({ page, context }) => {
    if (without) {
      await context.addInitScript(() => Object.defineProperty(Navigator.prototype, "locks", { value: undefined }));
      await page.reload();
      await settled(page);
      assert.equal(await page.evaluate(() => navigator.locks), undefined);
    }
    await cutDown(page, 10);
    const copy = await duplicated(page);
    assert.equal(await shows(copy), "stack 10");
    const [one, two] = await Promise.all([page, copy].map((tab) => tab.evaluate(() => sessionStorage.getItem("drystone.tab"))));
    assert.notEqual(one, two, "each has an id of its own");
    await choose(copy, "block-9");
    await rightTab(copy, "edit");
    await changing(copy, () => at(copy, "delete").click());
    await kept(copy, 9);
    for (const [tab, what] of [[page, "stack 10"], [copy, "stack 9"]]) {
      await tab.reload();
      await settled(tab);
      assert.equal(await shows(tab), what);
    }
  });

withPage("a tab that seemed closed and wakes keeps its own beside the one that went on with its model", async ({ page, context }) => {
  await context.addInitScript(() => {
    Object.defineProperty(Navigator.prototype, "locks", { value: undefined });
    // A frozen tab answers nobody.
    const post = BroadcastChannel.prototype.postMessage;
    BroadcastChannel.prototype.postMessage = function (message) {
      if (!window.asleep) post.call(this, message);
    };
  });
  await page.reload();
  await settled(page);
  await cutDown(page, 10);
  await page.evaluate(() => (window.asleep = true));
  const other = await anotherTab(page);
  await leftTab(other, "open");
  await changing(other, () => at(other, "kept-restore").click());
  assert.equal(await shows(other), "stack 10");
  const remove = async (tab, name) => {
    await choose(tab, name);
    await rightTab(tab, "edit");
    await changing(tab, () => at(tab, "delete").click());
  };
  await remove(other, "block-9");
  await kept(other, 9);
  await page.evaluate(() => (window.asleep = false));
  await remove(page, "block-9");
  await remove(page, "block-8");
  await kept(page, 8);
  for (const [tab, what] of [[page, "stack 8"], [other, "stack 9"]]) {
    await tab.reload();
    await settled(tab);
    assert.equal(await shows(tab), what);
  }
});

test("what was declined once does not come back by itself, and stays listed", async () => {
  let server = await Server.start("--port", "0", folder);
  const port = server.url.port;
  const { context, page } = await visit({ url: server.url });
  const startAgain = async () => {
    await server.kill();
    server = await Server.start("--port", port, folder);
    const tab = await context.newPage();
    await tab.goto(server.url.href);
    await settled(tab);
    return tab;
  };
  try {
    await cutDown(page, 10);
    await page.close();
    const second = await startAgain();
    assert.equal(await shows(second), "stack 10");
    await changing(second, () => at(second, "notice-action").click());
    assert.equal((await read(second)).name, "spandrel-arch");
    await second.close();
    const third = await startAgain();
    assert.equal((await read(third)).name, "spandrel-arch");
    assert.equal(await at(third, "notice").isVisible(), false, "nor is it offered");
    await leftTab(third, "open");
    await changing(third, () => at(third, "kept-restore").click());
    assert.equal(await shows(third), "stack 10");
    // What is changed after that does.
    await choose(third, "block-9");
    await rightTab(third, "edit");
    await changing(third, () => at(third, "delete").click());
    await kept(third, 9);
    await third.close();
    assert.equal(await shows(await startAgain()), "stack 9");
  } finally {
    await context.close();
    await server.kill();
  }
});

test("a program started again on its port gives a new tab the model of the old one, which says where to go", async (t) => {
  let server = await Server.start("--port", "0", folder);
  const port = server.url.port;
  const { context, page, complaints } = await visit({ url: server.url });
  try {
    await cutDown(page, 10);
    assert.deepEqual(complaints, []);
    await server.kill();
    await page.locator("[data-testid=connection][data-connection=lost]").waitFor();
    server = await Server.start("--port", port, folder);
    assert.equal(server.url.port, port);
    // The old tab finds a server that does not know it.
    await at(page, "notice").filter({ hasText: "no longer lets this tab in" }).waitFor();
    assert.match(await at(page, "notice").innerText(), /Open the address that it printed: what you changed here is kept in this browser/);
    await at(page, "notice-dismiss").click();
    assert.match(await at(page, "connection").innerText(), /open the address that drystone printed/);
    assert.equal(await shows(page), "stack 10", "the model stays in view");

    // The program opens a tab of its own.
    const fresh = await context.newPage();
    await fresh.goto(server.url.href);
    await settled(fresh);
    assert.equal(await shows(fresh), "stack 10");
    await at(fresh, "notice").filter({ hasText: "Your last model is back" }).waitFor();

    // The old tab, taken to the new address, shows a copy: the new one holds the model.
    await page.goto(server.url.href);
    await settled(page);
    assert.equal(await shows(page), "stack 10");
    // Starting afresh leaves it where it was kept.
    await changing(fresh, () => at(fresh, "notice-action").click());
    assert.equal((await read(fresh)).name, "spandrel-arch");
    await leftTab(fresh, "open");
    await keptCards(fresh).filter({ hasText: "10 blocks" }).first().waitFor();
  } catch (error) {
    t.diagnostic(complaints.join(" | "));
    throw error;
  } finally {
    await context.close();
    await server.kill();
  }
});

test("a program started again with a file opens that, and what was changed before stays kept", async () => {
  let server = await Server.start("--port", "0", folder);
  const port = server.url.port;
  const { context, page } = await visit({ url: server.url });
  try {
    await cutDown(page, 10);
    await at(page, "save").click();
    await at(page, "save-path").fill("whole.json");
    await at(page, "save-folder").click();
    await at(page, "notice").filter({ hasText: "whole.json" }).waitFor();
    await choose(page, "block-9");
    await changing(page, () => at(page, "delete").click());
    await kept(page, 9);
    await server.kill();
    server = await Server.start("--port", port, `${folder}/whole.json`);
    await page.goto(server.url.href);
    await settled(page);
    assert.equal(await shows(page), "stack 10", "as the file has it");
    await at(page, "notice").filter({ hasText: "is kept in this browser" }).waitFor();
    await changing(page, () => at(page, "notice-action").click());
    assert.equal(await shows(page), "stack 9", "as it was changed");
  } finally {
    await context.close();
    await server.kill();
  }
});
