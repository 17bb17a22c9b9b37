/** Friction of one joint, and loads: what they do to the verdict, and that it is undone. */

import assert from "node:assert/strict";
import { changing, read, settled, withPage } from "../harness.mjs";
import { at, choose, fillVector, openRecipe, rightTab, type } from "../steps.mjs";

async function tiltBy20(page) {
  await rightTab(page, "check");
  await at(page, "tilt").focus();
  for (let k = 0; k < 4; k++) await page.keyboard.press("PageUp");
  assert.equal(await at(page, "tilt").getAttribute("aria-valuenow"), "20");
  return settled(page);
}

/** Sets the friction of the joint between two blocks. */
async function between(page, names, value) {
  await choose(page, ...names);
  await rightTab(page, "edit");
  await type(page, "edit-friction", value);
  return changing(page, () => at(page, "friction-pair").click());
}

withPage("friction of one joint decides for that joint alone, and is undone", async ({ page }) => {
  await openRecipe(page, "stack");
  // All joints have 0.6, and the slope of 20 degrees needs tan 20 = 0.364.
  assert.equal(await tiltBy20(page), "stable");
  assert.equal(await between(page, ["block-5", "block-6"], 0.37), "stable");
  assert.equal(await between(page, ["block-6", "block-5"], 0.35), "unstable", "named the other way round it is the same joint");
  // Another method finds the same.
  await rightTab(page, "check");
  await at(page, "method").selectOption("rbe");
  assert.equal(await settled(page), "unstable");
  await at(page, "method").selectOption("cone");
  await settled(page);
  await rightTab(page, "edit");
  assert.equal(await changing(page, () => at(page, "undo").click()), "stable");
  assert.equal(await changing(page, () => at(page, "undo").click()), "stable");
  assert.equal(await changing(page, () => at(page, "redo").click()), "stable");
  assert.equal(await changing(page, () => at(page, "redo").click()), "unstable");
  // A joint between blocks that do not touch changes nothing.
  await changing(page, () => at(page, "undo").click());
  assert.equal(await between(page, ["block-1", "block-8"], 0.01), "stable");
  assert.equal(await at(page, "friction-pair").isEnabled(), true);
  await choose(page, "block-1");
  assert.equal(await at(page, "friction-pair").isEnabled(), false, "one block has no joint with itself");
});

/** Adds a load on the block that is chosen. */
async function push(page, name, force) {
  await rightTab(page, "edit");
  const field = at(page, "load-case");
  await field.fill(name);
  await field.press("Enter");
  await fillVector(page, "load-force", force);
  return changing(page, () => at(page, "add-load").click());
}

withPage("a load is added, counts in the verdict, is scaled, undone and taken away", async ({ page }) => {
  await openRecipe(page, "stack");
  await choose(page, "block-10");
  // The topmost block weighs 250 kg: with a friction of 0.6 it slides at 0.6 · 250 · 9.81 = 1471.5 N.
  assert.equal(await push(page, "wind", [1450, 0, 0]), "stable");
  await rightTab(page, "check");
  assert.equal(await at(page, "load-wind-number").inputValue(), "1");
  await type(page, "load-wind-number", 1.02);
  assert.equal(await settled(page), "unstable", "1479 N push it off");
  await type(page, "load-wind-number", 1);
  assert.equal(await settled(page), "stable");

  // Further forces of one name act together.
  assert.equal(await push(page, "wind", [50, 0, 0]), "unstable");
  assert.equal(await changing(page, () => at(page, "undo").click()), "stable");
  assert.equal(await changing(page, () => at(page, "redo").click()), "unstable");

  const chip = page.getByRole("button", { name: "Remove load wind" });
  assert.equal(await changing(page, () => chip.click()), "stable", "nothing pushes any more");
  assert.equal(await chip.count(), 0);
  await rightTab(page, "check");
  assert.equal(await at(page, "load-wind").count(), 0);
  // Undoing brings the load back, and it acts as it did.
  assert.equal(await changing(page, () => at(page, "undo").click()), "unstable");
  assert.equal(await at(page, "load-wind-number").inputValue(), "1");
  assert.equal((await read(page)).name, "stack");
});
