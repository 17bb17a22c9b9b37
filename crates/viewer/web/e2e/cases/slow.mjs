/** Slow loading: stages on a form and in files, the path against theory, its slider, its curve, and how it ends. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { drystone, folder, withPage } from "../harness.mjs";
import { at, choose, downloaded, drop, fillVector, openRecipe, rightTab, type } from "../steps.mjs";

const slow = (page) => page.evaluate(() => window.drystone.slow);

const box = (name, size, center, fixed) => ({ name, fixed, shape: { box: { size, center } } });

/** Opens a model of boxes and goes to its slow loading. */
export async function boxes(page, model) {
  await drop(page, [{ name: `${model.name}.json`, text: JSON.stringify({ drystone: 1, density: 2000, ...model }) }]);
  await page.waitForFunction((name) => window.drystone.name === name, model.name);
  await rightTab(page, "slow");
}

export async function ended(page) {
  await page.waitForFunction(() => window.drystone.slow?.state === "ended");
  return slow(page);
}

const [WIDTH, HEIGHT] = [0.4, 1];
const TOWER = {
  name: "tower",
  joints: { friction: 2 },
  blocks: [box("base", [2, 2, 0.2], [0, 0, -0.1], true), box("shaft", [WIDTH, 0.8, HEIGHT], [0, 0, HEIGHT / 2], false)],
};

export async function addTilt(page, degrees) {
  await at(page, "stage-kind").selectOption("tilt");
  await type(page, "stage-angle", degrees);
  await at(page, "stage-add").click();
}

withPage("a block is tilted to where it tips, and the slider goes back along the path", async ({ page }) => {
  await boxes(page, TOWER);
  assert.deepEqual(await page.evaluate(() => window.drystone.stages.map(({ name }) => name)), ["weight"], "the weight alone, until stages are added");
  await addTilt(page, 40);
  await at(page, "slow-start").click();
  const end = await ended(page);
  assert.equal(end.end, "no_equilibrium");
  const tips = (Math.atan(WIDTH / HEIGHT) * 180) / Math.PI;
  assert.ok(Math.abs(Math.hypot(...end.point.tilt_deg) - tips) < 0.01, `${end.point.tilt_deg} and ${tips}`);
  assert.match(await at(page, "path-outcome").innerText(), /No equilibrium (found )?beyond 54\.5\s% of tilt/);
  assert.match(await at(page, "path-conclusion").innerText(), /tilted by 21\.80°/);

  // It ends with the motion that follows: it is what is shown, until the slider goes back.
  assert.equal(end.falls, true);
  assert.equal(end.at, end.points + 1);
  await at(page, "path-mechanism").waitFor();
  await at(page, "path-scrub").fill(String(end.points));
  assert.equal((await slow(page)).falls, false);
  await at(page, "path-scrub").fill("20");
  const weight = await slow(page);
  assert.deepEqual([weight.point.stage, weight.point.done, weight.point.gravity], [0, 1, 1]);
  assert.match(await at(page, "path-place").innerText(), /100\s% of weight/);
  await at(page, "path-scrub").fill("10");
  assert.ok(Math.abs((await slow(page)).point.gravity - 0.5) < 1e-12, "in the middle of the weight");
  await at(page, "path-scrub").fill("0");
  assert.match(await at(page, "path-place").innerText(), /without load/);
});

/** Two piers with a beam on them. */
const BEAM = {
  name: "beam",
  joints: { friction: 0.5 },
  blocks: [box("left", [1, 1, 1], [-1, 0, -0.5], true), box("right", [1, 1, 1], [1, 0, -0.5], true), box("beam", [3, 1, 0.5], [0, 0, 0.25], false)],
};

withPage("a selected support moves: the beam slides by as much, and its joints are marked", async ({ page }) => {
  await boxes(page, BEAM);
  await choose(page, "right");
  await at(page, "stage-kind").selectOption("support");
  assert.match(await at(page, "stage-support").locator("option:checked").innerText(), /Selected: right/);
  await fillVector(page, "stage-by", [20, 0, 0]);
  await at(page, "stage-add").click();
  await at(page, "stage-1-steps").fill("10");
  await at(page, "stage-1-steps").press("Enter");
  await at(page, "slow-start").click();
  const end = await ended(page);
  assert.equal(end.end, "completed");
  assert.match(await at(page, "path-outcome").innerText(), /Stands through all stages/);
  assert.equal(end.points, 30, "20 steps of the weight and 10 of the support");
  const slips = end.slip.reduce((sum, each) => sum + each, 0);
  assert.ok(Math.abs(slips / 0.02 - 1) < 1e-3, `the joints slip by ${slips} together`);
  assert.ok(Math.abs(end.moved[6] - 0.02) < 1e-7, "the support is where it was moved to");

  // Drawn where it is, and with displacements made larger; joints are outlined.
  await at(page, "view-front").click();
  const picture = () => page.evaluate(() => new Promise((settle) => requestAnimationFrame(() => requestAnimationFrame(() => settle({ extent: window.drystone.extent, calls: window.drystone.drawCalls })))));
  await at(page, "show-cracks").uncheck();
  const plain = await picture();
  await at(page, "show-cracks").check();
  const { calls: lines } = await picture();
  assert.ok(lines > plain.calls, "outlines of joints are drawn");
  await at(page, "crack-from").fill("15");
  await at(page, "crack-from").press("Enter");
  const slipped = end.slip.some((each) => each > 0.015);
  assert.equal((await picture()).calls > plain.calls, slipped, "only what has slipped by more than 15 mm");
  await at(page, "magnify").selectOption("50");
  const large = await picture();
  assert.ok(large.extent[1] - large.extent[0] > 1.1 * (plain.extent[1] - plain.extent[0]), "20 mm are drawn as 1 m");
  await at(page, "magnify").selectOption("1");

  // What the list makes is what the command line reads, and gives the same.
  const { name, bytes } = await downloaded(page, () => at(page, "stages-save").click());
  assert.equal(name, "stages.json");
  const stages = JSON.parse(bytes.toString());
  assert.deepEqual(stages, { stages: [{ name: "weight" }, { name: "right moves", move: [{ blocks: ["right"], by: [0.02, 0, 0] }], steps: 10 }] });
  writeFileSync(join(folder, "beam-slow.json"), JSON.stringify({ drystone: 1, density: 2000, ...BEAM }));
  writeFileSync(join(folder, "stages-slow.json"), bytes);
  const told = drystone("settle", "beam-slow.json", "--stages", "stages-slow.json", "--json");
  assert.equal(told.end, "completed");
  assert.equal(await at(page, "path-conclusion").innerText(), told.conclusion);
});

withPage("a load case grows along a curve; a click on it goes there; stages are reordered, removed and opened", async ({ page }) => {
  // Pushed at the top, it tips where H h = W b / 2: H = W b / (2 h).
  const weight = 2000 * 9.81 * WIDTH * 0.8 * HEIGHT;
  const push = { forces: [{ block: "shaft", force: [weight, 0, 0], at: [-WIDTH / 2, 0, HEIGHT] }] };
  await boxes(page, { ...TOWER, load_cases: { push } });
  await at(page, "stage-kind").selectOption("load");
  await type(page, "stage-factor", 0.5);
  await at(page, "stage-add").click();
  await addTilt(page, 5);
  assert.deepEqual(await page.evaluate(() => window.drystone.stages.map(({ name }) => name)), ["weight", "push", "tilt"]);
  await at(page, "stage-2-up").click();
  assert.deepEqual(await page.evaluate(() => window.drystone.stages.map(({ name }) => name)), ["weight", "tilt", "push"]);
  assert.equal(await page.evaluate(() => document.activeElement.dataset.testid), "stage-1-up", "the focus goes along");
  await at(page, "stage-1-remove").click();
  await at(page, "slow-start").click();
  const end = await ended(page);
  const tips = WIDTH / (2 * HEIGHT);
  assert.ok(Math.abs(end.point.loads.push / tips - 1) < 1e-3, `${end.point.loads.push} and ${tips}`);
  assert.equal(await at(page, "curve-kind").inputValue(), "load push");

  // The curve starts at its lower left corner: a click there goes to where the load begins.
  const plot = at(page, "path-curve").locator("svg");
  const { width, height } = await plot.boundingBox();
  await plot.click({ position: { x: 0.15 * width, y: 0.8 * height } });
  const first = await slow(page);
  assert.ok(first.at < end.at && first.point.stage === 1 && first.point.loads.push < 0.1, JSON.stringify(first.point));
  await at(page, "path-scrub").fill("25");
  assert.equal((await slow(page)).at, 25);

  await at(page, "magnify").selectOption("1000");
  assert.equal(await at(page, "magnify").inputValue(), "1000");

  // A file of the command line, with what the form does not have; then one that fits another model.
  const file = (stages) => ({ name: "stages.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(stages)) });
  await at(page, "stages-file").setInputFiles(file({ stages: [{ name: "weight", steps: 4 }, { name: "dries", shrinkage_m: 0.001, steps: 3 }] }));
  await at(page, "stage-1").filter({ hasText: "Joints shrunk by 1.00 mm" }).waitFor();
  await at(page, "slow-start").click();
  const dried = await ended(page);
  assert.equal(dried.points, 7);
  // A joint that shrinks lets the block on it down by as much.
  assert.ok(Math.abs(dried.moved[8] + 0.001) < 1e-5, `${dried.moved}`);
  await at(page, "stages-file").setInputFiles(file({ stages: [{ name: "truck", loads: { truck: 2 } }] }));
  await at(page, "stage-0").filter({ hasText: "load truck × 2" }).waitFor();
  await at(page, "slow-start").click();
  await at(page, "notice").filter({ hasText: "there is no load case `truck`" }).waitFor();
  await at(page, "stages-file").setInputFiles({ name: "letter.json", mimeType: "application/json", buffer: Buffer.from("Dear mason") });
  await at(page, "notice").filter({ hasText: "letter.json has no stages: it is no JSON" }).waitFor();
  await at(page, "stages-reset").click();
  assert.deepEqual(await page.evaluate(() => window.drystone.stages.length), 1);
});

withPage("a slow loading is stopped, and leaves with its model", async ({ page }) => {
  await openRecipe(page, "wall");
  await rightTab(page, "slow");
  await at(page, "stage-0-steps").fill("20000");
  await at(page, "stage-0-steps").press("Enter");
  await at(page, "slow-start").click();
  await page.waitForFunction(() => window.drystone.slow?.points > 2);
  await at(page, "slow-stop").click();
  const stopped = await ended(page);
  assert.equal(stopped.end, "stopped");
  assert.ok(stopped.points > 2);
  assert.match(await at(page, "path-outcome").innerText(), /Stopped/);
  await at(page, "slow-start").click();
  await page.waitForFunction((was) => window.drystone.slow?.state === "running" && window.drystone.slow.points > 0, stopped.points);
  await openRecipe(page, "stack");
  assert.equal(await slow(page), null);
  await at(page, "slow-start").click();
  assert.equal((await ended(page)).end, "completed");
});
