/** Changing a model: the change holds, can be undone and outlives the page. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { changing, drystone, folder, kept, read, settled, withPage } from "../harness.mjs";
import { at, choose, fillVector, openRecipe, rightTab, setParameters } from "../steps.mjs";

const centreX = async (page) => {
  const facts = await page.getByTestId("right-panel-edit").locator("dt", { hasText: "Centre" }).locator("xpath=following-sibling::dd[1]").innerText();
  return Number(facts.split(",")[0].replace("−", "-"));
};

withPage("a block that is moved stays moved: undone, redone, saved, and after a reload", async ({ page }) => {
  await openRecipe(page, "stack");
  await choose(page, "block-10");
  await rightTab(page, "edit");
  const start = await centreX(page);
  await fillVector(page, "move", [0.25, 0, 0]);
  await changing(page, () => at(page, "move").click());
  assert.ok(Math.abs((await centreX(page)) - start - 0.25) < 1e-3);
  await changing(page, () => at(page, "undo").click());
  assert.ok(Math.abs((await centreX(page)) - start) < 1e-3);
  await changing(page, () => page.keyboard.press("Control+Shift+Z"));
  assert.ok(Math.abs((await centreX(page)) - start - 0.25) < 1e-3);

  await page.keyboard.press("Control+S");
  await at(page, "save-path").fill("moved.json");
  await at(page, "save-folder").click();
  await at(page, "notice").filter({ hasText: "moved.json" }).waitFor();
  const saved = drystone("info", "moved.json", "--json");
  assert.ok(saved, "the program reads what the page saved");
  assert.equal(JSON.parse(await readFile(join(folder, "moved.json"), "utf8")).blocks.length, 11);

  await kept(page, 11);
  await page.reload();
  await settled(page);
  assert.equal((await read(page)).name, "stack");
  await choose(page, "block-10");
  await rightTab(page, "edit");
  assert.ok(Math.abs((await centreX(page)) - start - 0.25) < 1e-3, "the edit outlives a reload");
});

withPage("an overhang of more than half a block falls, of less stands", async ({ page }) => {
  await openRecipe(page, "stack");
  await choose(page, "block-10");
  await rightTab(page, "edit");
  // Blocks are 1 m long: the topmost may be shifted by half of that.
  await fillVector(page, "move", [0.49, 0, 0]);
  assert.equal(await changing(page, () => at(page, "move").click()), "stable");
  await fillVector(page, "move", [0.02, 0, 0]);
  assert.equal(await changing(page, () => at(page, "move").click()), "unstable");
});

withPage("deleting, duplicating and cutting change the number of blocks by one", async ({ page }) => {
  await openRecipe(page, "stack");
  const count = async () => (await read(page)).blocks;
  assert.equal(await count(), 11);
  await choose(page, "block-10");
  await rightTab(page, "edit");
  await changing(page, () => at(page, "duplicate").click());
  assert.equal(await count(), 12);
  await changing(page, () => at(page, "delete").click());
  assert.equal(await count(), 11);
  await choose(page, "block-9");
  await rightTab(page, "edit");
  await at(page, "plane-x").click();
  await changing(page, () => at(page, "cut").click());
  assert.equal(await count(), 12);
  for (let k = 0; k < 3; k++) await changing(page, () => at(page, "undo").click());
  assert.equal(await count(), 11);
});

withPage("a parameter of the recipe rebuilds the model", async ({ page }) => {
  await openRecipe(page, "stack");
  assert.equal(await setParameters(page, { blocks: 4 }), "stable");
  assert.equal((await read(page)).blocks, 5);
  // Uniformly leaning stacks of n blocks fall from an offset of width / n on (n free blocks on a fixed one).
  assert.equal(await setParameters(page, { offset: 0.24 }), "stable");
  assert.equal(await setParameters(page, { offset: 0.26 }), "unstable");
});
