/** Broken connections: the page says so, and nothing that was made is lost. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Server, changing, folder, kept, read, settled, visit, withPage } from "../harness.mjs";
import { ask, at, choose, leftTab, openRecipe, rightTab } from "../steps.mjs";

let sockets = [];
const passing = (socket) => {
  sockets.push(socket);
  socket.connectToServer();
};

/** Deletes the topmost block, and waits until the browser has stored that. */
async function deleteTop(page) {
  await openRecipe(page, "stack");
  await choose(page, "block-10");
  await rightTab(page, "edit");
  await changing(page, () => at(page, "delete").click());
  assert.equal((await read(page)).blocks, 10);
  await kept(page, 10);
}

withPage("a socket that breaks comes back by itself, with the edits", { onSocket: passing }, async ({ page }) => {
  sockets = sockets.slice(-1);
  await deleteTop(page);
  await sockets[0].close({ code: 1011, reason: "test" });
  await at(page, "notice").filter({ hasText: "Connected again" }).waitFor();
  assert.equal(await settled(page), "stable");
  assert.equal((await read(page)).blocks, 10);
  assert.equal(sockets.length, 2);
});

/** What the server says, held back where that is asked for. */
let waiting = null;
const gated = (socket) => {
  sockets.push(socket);
  const server = socket.connectToServer();
  server.onMessage((message) => (waiting ? waiting.push(() => socket.send(message)) : socket.send(message)));
};

/** Lets the page do what it does by itself: read its storage, take locks. */
const byItself = (page) =>
  page.evaluate(async () => {
    for (let round = 0; round < 10; round++) {
      const db = await new Promise((settle) => (indexedDB.open("drystone", 2).onsuccess = ({ target }) => settle(target.result)));
      await new Promise((settle) => (db.transaction("models").objectStore("models").getAllKeys().onsuccess = settle));
      db.close();
      await navigator.locks.request(`test ${round}`, () => {});
    }
  });

/** Does several things before the server's answer to any of them arrives. */
async function beforeAnswers(page, act) {
  waiting = [];
  await act();
  await byItself(page);
  const late = waiting;
  waiting = null;
  for (const send of late) send();
}

const keptCards = (page) => at(page, "kept").locator(".kept");

withPage("an edit that another model overtakes is kept", { onSocket: gated }, async ({ page }) => {
  await openRecipe(page, "stack");
  await choose(page, "block-10");
  await rightTab(page, "edit");
  await leftTab(page, "open");
  await beforeAnswers(page, async () => {
    await at(page, "delete").click();
    await at(page, "recipe-column").click();
    await at(page, "recipe-arch").click();
  });
  await page.waitForFunction(() => window.drystone.name === "arch");
  await settled(page);
  await leftTab(page, "open");
  await keptCards(page).first().waitFor();
  assert.match(await keptCards(page).innerText(), /Stack\s+10 blocks/);
  await changing(page, () => at(page, "kept-restore").click());
  assert.deepEqual([(await read(page)).name, (await read(page)).blocks], ["stack", 10]);
});

withPage("what is restored while an edit is on its way is itself, and the edit stays kept", { onSocket: gated }, async ({ page }) => {
  await deleteTop(page);
  await openRecipe(page, "column");
  const drums = (await read(page)).blocks;
  await leftTab(page, "blocks");
  await page.locator(".row.block").last().click();
  await leftTab(page, "open");
  await beforeAnswers(page, async () => {
    await at(page, "delete").click();
    await at(page, "kept-restore").click();
  });
  await page.waitForFunction(() => window.drystone.name === "stack");
  await settled(page);
  assert.equal((await read(page)).blocks, 10);
  await kept(page, 10);
  await leftTab(page, "open");
  await at(page, "kept-column").waitFor();
  assert.match(await keptCards(page).innerText(), new RegExp(`Column\\s+${drums - 1} blocks`));
  await page.reload();
  await settled(page);
  assert.deepEqual([(await read(page)).name, (await read(page)).blocks], ["stack", 10]);
});

withPage("a connection that breaks with changes on their way holds up none that come after", { onSocket: gated }, async ({ page }) => {
  await deleteTop(page);
  await choose(page, "block-9");
  await leftTab(page, "open");
  waiting = [];
  await at(page, "delete").click();
  await at(page, "recipe-column").click();
  waiting = null;
  await sockets.at(-1).close({ code: 1011, reason: "test" });
  await at(page, "notice").filter({ hasText: "Connected again" }).waitFor();
  await settled(page);
  assert.deepEqual([(await read(page)).name, (await read(page)).blocks], ["stack", 10]);
  await openRecipe(page, "column");
  await leftTab(page, "open");
  await at(page, "kept-stack").waitFor();
});

withPage("a connection that breaks before what was restored is kept again leaves it kept", { onSocket: gated }, async ({ page }) => {
  await deleteTop(page);
  await openRecipe(page, "column");
  // No second opinion is asked for then: its answer would be among the messages that are counted.
  await ask(page, "cra");
  await leftTab(page, "open");
  waiting = [];
  await at(page, "kept-restore").click();
  // The model comes, in two messages, and what it is to be kept as does not.
  while (waiting.length < 2) await byItself(page);
  for (const send of waiting.splice(0)) send();
  await page.waitForFunction(() => window.drystone.name === "stack");
  await byItself(page);
  waiting = null;
  await sockets.at(-1).close({ code: 1011, reason: "test" });
  await at(page, "notice").filter({ hasText: "as it was before the last change" }).waitFor();
  await settled(page);
  assert.equal((await read(page)).name, "column");
  await leftTab(page, "open");
  await changing(page, () => at(page, "kept-restore").click());
  assert.deepEqual([(await read(page)).name, (await read(page)).blocks], ["stack", 10]);
});

test("a server that is gone is told; the model is there at the next one", async (t) => {
  let server = await Server.start("--port", "0", folder);
  const port = server.url.port;
  const { context, page, complaints } = await visit({ url: server.url });
  try {
    await deleteTop(page);
    assert.deepEqual(complaints, []);
    await server.kill();
    await page.locator("[data-testid=connection][data-connection=lost]").waitFor();
    assert.equal(await at(page, "connection").innerText(), "Connection lost");
    assert.equal(await at(page, "reconnect").isVisible(), true);
    assert.equal((await read(page)).blocks, 10, "the model stays in view");

    server = await Server.start("--port", port, folder);
    assert.equal(server.url.port, port);
    // A server started anew has a new token: its address is opened, as the program would.
    await page.goto(server.url.href);
    await settled(page);
    assert.equal((await read(page)).blocks, 10);
    assert.equal((await read(page)).name, "stack");
    await at(page, "notice").filter({ hasText: "Your last model is back" }).waitFor();
    await changing(page, () => at(page, "notice-action").click());
    assert.equal((await read(page)).name, "spandrel-arch");
  } catch (error) {
    t.diagnostic(complaints.join(" | "));
    throw error;
  } finally {
    await context.close();
    await server.kill();
  }
});
