/** Where things are: the structure stays in view, controls stay where they are, numbers are seen whole. */

import assert from "node:assert/strict";
import { SIZE, settled, withPage } from "../harness.mjs";
import { at, choose, openRecipe, rightTab, setFriction, type } from "../steps.mjs";

const extent = (page) => page.evaluate(() => window.drystone.extent);
const eye = (page) => page.evaluate(() => window.drystone.eye);
const settle = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** All of the structure is in the picture, with a margin of 6 % on the sides that are tight. */
async function fits(page, when) {
  await settle(page);
  const seen = await extent(page);
  const most = Math.max(...seen.map(Math.abs));
  assert.ok(Math.abs(most - 0.88) < 0.01, `${when}: ${seen.map((each) => each.toFixed(3))}`);
}

const viewBox = (page) => page.evaluate(() => JSON.stringify(document.querySelector("[data-testid=view]").getBoundingClientRect()));

withPage("a structure that was fitted stays so when the view changes its shape", async ({ page }) => {
  await fits(page, "at first");
  for (const [width, height] of [[1000, 900], [1700, 600], [700, 1000], [SIZE.width, SIZE.height]]) {
    await page.setViewportSize({ width, height });
    await fits(page, `${width} by ${height}`);
  }
  await at(page, "toggle-right").click();
  await fits(page, "without the right panel");
  await at(page, "toggle-left").click();
  await fits(page, "without panels");
  await at(page, "ortho").click();
  await fits(page, "parallel");
  await at(page, "toggle-right").click();
  await fits(page, "parallel, with a panel");
  for (const view of ["front", "side", "top", "three-quarter"]) {
    await at(page, `view-${view}`).click();
    await fits(page, view);
  }
  await at(page, "explode").fill("0.8");
  await fits(page, "drawn apart");
});

withPage("an eye that someone moved looks where it did, and comes back with the view's shape", async ({ page }) => {
  const box = await at(page, "view").boundingBox();
  await page.mouse.move(box.x + 300, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(box.x + 400, box.y + 230, { steps: 4 });
  await page.mouse.up();
  await page.mouse.wheel(0, -240);
  await settle(page);
  const before = await eye(page);
  const way = ({ at, target }) => at.map((each, k) => each - target[k]).map((each, _, all) => each / Math.hypot(...all));
  await page.setViewportSize({ width: 900, height: 900 });
  await settle(page);
  const narrow = await eye(page);
  narrow.target.forEach((each, k) => assert.ok(Math.abs(each - before.target[k]) < 1e-6, "the same target"));
  way(narrow).forEach((each, k) => assert.ok(Math.abs(each - way(before)[k]) < 1e-6, "the same direction"));
  await page.setViewportSize(SIZE);
  await settle(page);
  (await eye(page)).at.forEach((each, k) => assert.ok(Math.abs(each - before.at[k]) < 1e-6, "the same place"));
  await at(page, "fit").click();
  await fits(page, "fitted again");
});

withPage("a fit during a run takes in where the blocks are then", async ({ page }) => {
  await openRecipe(page, "stack");
  await rightTab(page, "shake");
  await type(page, "shake-amplitude-number", 1.5);
  await type(page, "shake-frequency-number", 1);
  await type(page, "shake-duration-number", 2);
  await at(page, "shake-start").click();
  await page.waitForFunction(() => window.drystone.run === "ended");
  await at(page, "scrub").fill("2");
  await settle(page);
  await at(page, "fit").click();
  await fits(page, "after the fall");
  await at(page, "leave-run").click();
  await at(page, "fit").click();
  await fits(page, "at rest again");
});

withPage("choosing a section moves nothing but the section", async ({ page }) => {
  const before = await viewBox(page);
  const bar = async () => (await page.locator(".bottom").boundingBox()).height;
  const height = await bar();
  assert.ok(height < 48, `the bar has one row: ${height}`);
  for (const value of ["x", "y", "z", "none"]) {
    await at(page, "section").selectOption(value);
    assert.equal(await viewBox(page), before, value);
    assert.equal(await bar(), height);
    assert.equal(await at(page, "section-at").isDisabled(), value === "none");
  }
});

withPage("numbers are seen whole, and the handle's switch tells which one is there", async ({ page }) => {
  await openRecipe(page, "shelf");
  await choose(page, "hanger-left");
  await rightTab(page, "edit");
  await at(page, "plane-z").click();
  assert.equal(await at(page, "gizmo-plane").isChecked(), true);
  const clipped = () =>
    page.evaluate(() =>
      [...document.querySelectorAll(".tab-panel:not([hidden]) :is(.vector input, .facts dd)")]
        .filter((each) => each.offsetWidth > 0 && each.scrollWidth > each.clientWidth)
        .map((each) => each.value ?? each.textContent),
    );
  assert.equal((await at(page, "cut-point-x").inputValue()).length, 7);
  assert.deepEqual(await clipped(), []);
  await at(page, "gizmo-move").check();
  assert.equal(await at(page, "gizmo-plane").isChecked(), false);
  await openRecipe(page, "arch");
  assert.equal(await at(page, "gizmo-plane").isDisabled(), true);
  await rightTab(page, "thrust");
  await page.getByTestId("right-panel-thrust").locator("dt", { hasText: "Computed" }).first().waitFor();
  assert.deepEqual(await clipped(), []);
});

withPage("all of Check is seen without scrolling, and goes back to the model", async ({ page }) => {
  await openRecipe(page, "shelf");
  await rightTab(page, "check");
  const panel = await at(page, "right-panel-check").boundingBox();
  for (const id of ["show-use", "show-tension", "mechanism-play", "critical-tilt", "capacity", "certificate"]) {
    const box = await at(page, id).boundingBox();
    assert.ok(box.y + box.height <= panel.y + panel.height + 1, `${id} ends at ${box.y + box.height}`);
  }
  const reset = at(page, "friction-reset");
  assert.equal(await reset.isVisible(), false);
  await setFriction(page, 1.1);
  assert.equal(await reset.innerText(), "0.84");
  assert.equal(await reset.getAttribute("aria-label"), "Friction as in the model: 0.84");
  await reset.click();
  assert.equal(await at(page, "friction-number").inputValue(), "0.84");
  assert.equal(await settled(page), "unstable");
});

/** A server that tells forces of loads, whatever the one behind it does. */
const withLoads = (socket) => {
  const upstream = socket.connectToServer();
  upstream.onMessage((message) => {
    if (typeof message === "string" && message.includes('"bounds"')) {
      const told = JSON.parse(message);
      told.load_forces = told.loads.map((name) => ({ case: name, block: told.blocks.at(-1).name, at: told.blocks.at(-1).center, force_n: [0, 0, -5000] }));
      message = JSON.stringify(told);
    }
    socket.send(message);
  });
};

withPage("loads that are asked about are drawn", { onSocket: withLoads }, async ({ page }) => {
  await openRecipe(page, "stack");
  await choose(page, "block-10");
  await rightTab(page, "edit");
  await at(page, "add-load").click();
  await page.locator(".chip", { hasText: "load" }).waitFor();
  await at(page, "select-none").click();
  await rightTab(page, "check");
  await settled(page);
  const picture = async () => {
    await settle(page);
    return at(page, "view").screenshot();
  };
  const drawn = await picture();
  await at(page, "show-loads").uncheck();
  const bare = await picture();
  assert.ok(!bare.equals(drawn), "the toggle takes the arrows away");
  await at(page, "show-loads").check();
  await type(page, "load-load-number", 0);
  await settled(page);
  assert.ok((await picture()).equals(bare), "what is not asked about is not drawn");
});
