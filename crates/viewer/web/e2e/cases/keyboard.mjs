/** Everything by keyboard alone. */

import assert from "node:assert/strict";
import { read, settled, withPage } from "../harness.mjs";
import { at } from "../steps.mjs";

const focused = (page) => page.evaluate(() => document.activeElement?.dataset?.testid ?? document.activeElement?.tagName.toLowerCase());

/** Presses Tab until the focus is on the element; fails after a whole round. */
async function tabTo(page, id, key = "Tab") {
  const passed = [];
  for (let k = 0; k < 150; k++) {
    const now = await focused(page);
    if (now === id) return;
    passed.push(now);
    await page.keyboard.press(key);
  }
  assert.fail(`${id} is not reached by ${key}; passed ${passed.join(" ")}`);
}

withPage("Tab goes round the page and comes to every main control", async ({ page }) => {
  await page.evaluate(() => document.activeElement?.blur());
  const seen = new Set();
  let rounds = 0;
  for (let k = 0; k < 200 && rounds < 2; k++) {
    await page.keyboard.press("Tab");
    const now = await focused(page);
    if (now === "body") rounds++;
    seen.add(now);
    const visible = await page.evaluate(() => {
      const element = document.activeElement;
      if (!element || element === document.body) return true;
      const style = getComputedStyle(element);
      const box = element.getBoundingClientRect();
      return box.width > 0 && style.visibility !== "hidden";
    });
    assert.ok(visible, `${now} has the focus but is not seen`);
  }
  assert.ok(rounds >= 1, "no keyboard trap: the focus leaves the page");
  for (const id of ["toggle-left", "save", "theme", "help", "toggle-right", "view", "method", "friction", "friction-number", "density", "tilt", "critical-tilt", "least-friction", "capacity", "certificate", "fit", "view-front", "ortho", "edges", "joints", "opacity", "explode", "section", "left-tab-parameters", "right-tab-check"])
    assert.ok(seen.has(id), `${id} is reached; seen ${[...seen].join(" ")}`);
});

withPage("choosing a recipe, changing the method and asking, without a mouse", async ({ page }) => {
  await tabTo(page, "left-tab-parameters");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await focused(page), "left-tab-open");
  await tabTo(page, "recipe-search");
  await page.keyboard.type("shelf");
  await tabTo(page, "recipe-shelf");
  const { revision } = await read(page);
  await page.keyboard.press("Enter");
  await page.waitForFunction((was) => window.drystone.revision !== was, revision);
  assert.equal(await settled(page), "unstable");
  assert.equal((await read(page)).name, "shelf");

  await tabTo(page, "method");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.equal(await at(page, "method").inputValue(), "cra");
  assert.equal(await settled(page), "unstable");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  assert.equal(await at(page, "method").inputValue(), "cone");

  // On a friction of 1.2 the shelf stands by cone, which allows self-stress.
  await tabTo(page, "friction");
  await page.keyboard.press("End");
  assert.equal(await at(page, "friction-number").inputValue(), "1.2");
  assert.equal(await settled(page), "stable");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await at(page, "friction-number").inputValue(), "1.19");
});

withPage("blocks are chosen in the list and edited, without a mouse", async ({ page }) => {
  await tabTo(page, "left-tab-parameters");
  await page.keyboard.press("ArrowRight");
  assert.equal(await focused(page), "left-tab-blocks");
  await tabTo(page, "block-list");
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  assert.equal((await read(page)).selection.length, 1);
  await tabTo(page, "right-tab-check");
  await page.keyboard.press("ArrowRight");
  assert.equal(await focused(page), "right-tab-edit");
  await tabTo(page, "fix");
  const { revision } = await read(page);
  await page.keyboard.press("Enter");
  await page.waitForFunction((was) => window.drystone.revision !== was, revision);
  await page.keyboard.press("Control+Z");
  await page.waitForFunction((was) => window.drystone.revision > was + 1, revision);
});

withPage("help opens with ?, lists the shortcuts, keeps the focus and gives it back", async ({ page }) => {
  await at(page, "view").focus();
  await page.keyboard.press("?");
  const help = at(page, "help-dialog");
  await help.getByText("Undo", { exact: true }).waitFor();
  for (let k = 0; k < 6; k++) {
    await page.keyboard.press("Tab");
    const inside = await page.evaluate(() => document.activeElement === document.body || document.activeElement.closest("dialog") !== null);
    assert.ok(inside, "the focus stays within the dialog");
  }
  await page.keyboard.press("Escape");
  assert.equal(await help.isVisible(), false);
  assert.equal(await focused(page), "view");
});

withPage("letters choose the activities, and do nothing while typing", async ({ page }) => {
  await at(page, "view").focus();
  for (const [key, tab] of [["d", "edit"], ["t", "thrust"], ["s", "shake"], ["w", "slow"], ["r", "report"], ["c", "check"]]) {
    await page.keyboard.press(key);
    assert.equal(await at(page, `right-tab-${tab}`).getAttribute("aria-selected"), "true", key);
  }
  await at(page, "left-tab-open").click();
  await at(page, "recipe-search").focus();
  await page.keyboard.type("dtsr");
  assert.equal(await at(page, "right-tab-check").getAttribute("aria-selected"), "true");
  await at(page, "view").focus();
  await page.keyboard.press("l");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
});
