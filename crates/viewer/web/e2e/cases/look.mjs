/** Looking closely: the view cube, dimensions, measuring, saved views, what mechanisms and ties show. */

import assert from "node:assert/strict";
import { changing, settled, withPage } from "../harness.mjs";
import { at, choose, drop, openRecipe, rightTab, type } from "../steps.mjs";

const eye = (page) => page.evaluate(() => window.drystone.eye);
const settle = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const way = ({ at, target }) => at.map((each, k) => (each - target[k]) / Math.hypot(...at.map((value, axis) => value - target[axis])));
const labels = (page) => at(page, "labels").locator("span").allInnerTexts();
const pixel = (page, point) => page.evaluate((p) => window.drystone.pixelOf(p), point);

withPage("the cube looks from where it is clicked, and turns with the view", async ({ page }) => {
  const WAYS = { front: [0, -1, 0], side: [1, 0, 0], top: [0, 0, 1] };
  for (const [view, wanted] of Object.entries(WAYS)) {
    await at(page, "view-three-quarter").click();
    await settle(page);
    await at(page, `cube-${view}`).click();
    await settle(page);
    way(await eye(page)).forEach((each, k) => assert.ok(Math.abs(each - wanted[k]) < 1e-3, `${view}: ${each}`));
    assert.equal(await at(page, "view-cube").locator(".cube-face:visible").count(), 1, "seen from there, the cube shows one side");
  }
  // From behind, the axes are the other way round; by keys as by clicks.
  await at(page, "view-three-quarter").click();
  await at(page, "view").focus();
  for (let k = 0; k < 26; k++) await page.keyboard.press("ArrowLeft");
  await settle(page);
  await at(page, "cube-back").focus();
  await page.keyboard.press("Enter");
  await settle(page);
  assert.ok(way(await eye(page))[1] > 0.999);
  const x = await page.locator("line.axis-x").evaluate((line) => Number(line.getAttribute("x2")) - Number(line.getAttribute("x1")));
  assert.ok(x < 0, "x runs to the left");
});

withPage("dimensions are those of the structure, or of what is selected, in view", async ({ page }) => {
  await openRecipe(page, "stack");
  await page.keyboard.press("x");
  await settle(page);
  // The ground reaches 3 by 2.5 m, 0.25 m deep; ten blocks of 0.25 m stand on it.
  assert.deepEqual(await labels(page), ["3.000 m", "2.500 m", "2.750 m"]);
  await choose(page, "block-3");
  assert.deepEqual(await labels(page), ["1.000 m", "500.0 mm", "250.0 mm"]);
  await at(page, "select-none").click();
  const box = await at(page, "view").boundingBox();
  for (const label of await at(page, "labels").locator("span").all()) {
    const { x, y, width, height } = await label.boundingBox();
    assert.ok(x >= box.x && y >= box.y && x + width <= box.x + box.width && y + height <= box.y + box.height, `${await label.innerText()} is in the view`);
  }
  await page.keyboard.press("x");
  assert.deepEqual(await labels(page), []);
});

withPage("measuring snaps to corners, and tells the distance and its parts", async ({ page }) => {
  await openRecipe(page, "stack");
  await at(page, "measure").click();
  const box = await at(page, "view").boundingBox();
  const click = async (point, off = [0, 0]) => {
    const [x, y] = await pixel(page, point);
    await page.mouse.click(box.x + x + off[0], box.y + y + off[1]);
  };
  // Not quite where the corners are: from the foot of the front right edge to the far corner on top.
  await click([0.5, -0.25, 0.25], [-3, -3]);
  await click([0.5, 0.25, 2.5], [-3, 4]);
  const said = await at(page, "measured").innerText();
  const diagonal = Math.hypot(0.5, 2.25);
  assert.ok(said.startsWith(`${diagonal.toFixed(3)} m`), said);
  assert.match(said, /x 0 m · y 500\.0 mm · z 2\.250 m/);
  assert.deepEqual(await labels(page), [`${diagonal.toFixed(3)} m`]);
  assert.deepEqual(await page.evaluate(() => window.drystone.selection), [], "nothing is selected meanwhile");
  await page.keyboard.press("Escape");
  assert.equal(await at(page, "measured").isVisible(), false);
  assert.deepEqual(await labels(page), []);
});

withPage("a saved view comes back after a reload, with its section", async ({ page }) => {
  await openRecipe(page, "stack");
  await at(page, "view-side").click();
  await at(page, "ortho").click();
  await at(page, "section").selectOption("x");
  await page.mouse.move(600, 300);
  await page.mouse.wheel(0, -400);
  await settle(page);
  const then = await eye(page);
  await at(page, "views").click();
  await at(page, "view-name").fill("cut");
  await at(page, "view-save").click();
  await at(page, "view-saved-cut").waitFor();
  await page.keyboard.press("Escape");
  await at(page, "section").selectOption("none");
  await at(page, "ortho").click();
  await at(page, "view-three-quarter").click();
  await page.reload();
  await settled(page);
  await at(page, "views").click();
  await at(page, "view-saved-cut").click();
  await settle(page);
  const now = await eye(page);
  for (const name of ["at", "target"]) now[name].forEach((each, k) => assert.ok(Math.abs(each - then[name][k]) < 1e-6, name));
  assert.equal(await at(page, "section").inputValue(), "x");
  assert.equal(await at(page, "ortho").getAttribute("aria-pressed"), "true");
  // Of another model there are none.
  await page.keyboard.press("Escape");
  await openRecipe(page, "arch");
  await at(page, "views").click();
  assert.equal(await at(page, "view-saved-cut").count(), 0);
});

withPage("an arch falls by four hinges, a block on a slope slides", { still: true }, async ({ page }) => {
  await openRecipe(page, "arch");
  await rightTab(page, "check");
  assert.equal(await at(page, "mark-key").isVisible(), false, "nothing moves while it stands");
  // It stands up to 8.25 degrees. Just beyond, an arch between fixed springers needs four hinges to move.
  await at(page, "tilt").focus();
  for (let k = 0; k < 16; k++) await page.keyboard.press("ArrowRight");
  for (let k = 0; k < 6; k++) await page.keyboard.press("Shift+ArrowRight");
  assert.equal(await at(page, "tilt").getAttribute("aria-valuenow"), "8.3");
  assert.equal(await settled(page), "unstable");
  assert.equal((await at(page, "mark-key").innerText()).trim(), "4 hinges");
  await at(page, "show-mechanism").uncheck();
  assert.equal(await at(page, "mark-key").isVisible(), false);
  await at(page, "show-mechanism").check();

  await openRecipe(page, "block");
  await type(page, "friction-number", 0.1);
  await at(page, "tilt").focus();
  await page.keyboard.press("PageUp");
  await page.keyboard.press("PageUp");
  assert.equal(await settled(page), "unstable", "10 degrees are more than atan 0.1");
  assert.equal((await at(page, "mark-key").innerText()).trim(), "1 slides");
});

withPage("ties are drawn with their force: a block that hangs pulls with its weight", async ({ page }) => {
  const box = (z) => ({ box: { size: [1, 0.5, 0.25], center: [0, 0, z] } });
  const model = {
    drystone: 1,
    name: "hanging",
    blocks: [{ name: "beam", fixed: true, shape: box(2) }, { name: "weight", shape: box(0.5) }],
    ties: [{ name: "rod", from: { block: "weight", at: [0, 0, 0.625] }, to: { block: "beam", at: [0, 0, 1.875] }, kind: { tie: { stiffness_n_m: 1e7 } } }],
  };
  await changing(page, () => drop(page, [{ name: "hanging.json", text: JSON.stringify(model) }]));
  assert.equal(await settled(page), "stable");
  // 250 kg.
  assert.deepEqual(await labels(page), ["2.45 kN"]);
  await rightTab(page, "edit");
  assert.deepEqual(await labels(page), [], "forces are those of the check");
});
