/** Numbers of blocks and joints: cards, what lies under the pointer, tables and their files. */

import assert from "node:assert/strict";
import { settled, withPage } from "../harness.mjs";
import { at, choose, downloaded, leftTab, openRecipe, rightTab, setFriction, type } from "../steps.mjs";

/** Blocks of the stack are 1 by 0.5 by 0.25 m of 2000 kg/m³. */
const WEIGHT_N = 1 * 0.5 * 0.25 * 2000 * 9.81;

/** A list of names and values as an object. */
const factsOf = (locator) => locator.evaluate((box) => Object.fromEntries([...box.querySelectorAll("dt")].map((dt) => [dt.textContent, dt.nextElementSibling.textContent])));

const card = (page) => factsOf(at(page, "card-body"));

/** Newtons of `24.5 kN`. */
const newtons = (text) => Number.parseFloat(text) * { N: 1, kN: 1e3, MN: 1e6 }[text.trim().split(" ").at(-1)];
const near = (text, value) => assert.ok(Math.abs(newtons(text) - value) <= 0.006 * value, `${text} is not ${value} N`);

const parse = (bytes) => {
  const [head, ...rows] = bytes.toString("utf8").trim().split("\n").map((line) => line.split(","));
  return rows.map((row) => Object.fromEntries(head.map((name, k) => [name, row[k]])));
};

withPage("a block's card tells its weight, and joints that carry it", async ({ page }) => {
  await openRecipe(page, "stack");
  await settled(page);
  // Seven blocks lie on the third of ten, and eight of them on what is beneath.
  await choose(page, "block-3");
  const facts = await card(page);
  assert.equal(facts.Mass, "250 kg");
  near(facts.Weight, WEIGHT_N);
  assert.equal(facts.Size, "1.00 × 0.500 × 0.250 m");
  near(facts["All joints together"], WEIGHT_N);
  const rows = await at(page, "card-body").locator("tbody tr").evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
  const forces = Object.fromEntries(rows.map(([name, normal]) => [name, normal]));
  near(forces["block-2"], 8 * WEIGHT_N);
  near(forces["block-4"], 7 * WEIGHT_N);

  // Twice as dense, all of it is twice as heavy, and one mass is told everywhere.
  await rightTab(page, "check");
  await type(page, "density-number", 4000);
  await settled(page);
  near((await card(page)).Weight, 2 * WEIGHT_N);
  assert.match(await at(page, "card").locator(".card-remark").innerText(), /^500 kg$/);
  await at(page, "select-none").click();
  await at(page, "status-model").filter({ hasText: "5.00 t" }).waitFor();
  await rightTab(page, "edit");
  assert.equal((await factsOf(at(page, "right-panel-edit"))).Mass, "5.00 t");
});

withPage("a joint's card tells forces, friction in use and stress; on a slope use is tan of the slope over the friction", async ({ page }) => {
  await openRecipe(page, "stack");
  await rightTab(page, "check");
  await at(page, "tilt").focus();
  for (let k = 0; k < 4; k++) await page.keyboard.press("PageUp");
  assert.equal(await settled(page), "stable");
  await choose(page, "block-10");
  await at(page, "card-body").getByRole("button", { name: "block-9" }).click();
  assert.deepEqual(await page.evaluate(() => window.drystone.selection.sort()), ["block-10", "block-9"]);
  const facts = await card(page);
  const slope = (20 * Math.PI) / 180;
  near(facts["Normal force"], WEIGHT_N * Math.cos(slope));
  near(facts.Shear, WEIGHT_N * Math.sin(slope));
  assert.ok(Math.abs(Number.parseFloat(facts["Friction in use"]) - (100 * Math.tan(slope)) / 0.6) < 0.2, facts["Friction in use"]);
  assert.equal(facts["Friction coefficient"], "0.6");
  assert.equal(facts.Area, "0.500 m²");
  // Other friction, other use: the card follows the question.
  assert.equal(await setFriction(page, 0.4), "stable");
  assert.ok(Math.abs(Number.parseFloat((await card(page))["Friction in use"]) - (100 * Math.tan(slope)) / 0.4) < 0.3);
  // Where it falls there are no forces, and the card says so.
  assert.equal(await setFriction(page, 0.3), "unstable");
  const said = await at(page, "card-body").innerText();
  assert.match(said, /No forces balance the loads/);
  assert.doesNotMatch(said, /Normal force/);
});

withPage("what lies under the pointer is told, the seam between blocks too", async ({ page }) => {
  await openRecipe(page, "stack");
  await settled(page);
  await setFriction(page, 0.6);
  await at(page, "view-front").click();
  await at(page, "ortho").click();
  // In the front view heights are to scale: the stack is 2.5 m high above the ground.
  const seam = await page.evaluate(() => window.drystone.pixelOf([0, -0.25, 1.25]));
  const box = await at(page, "view").boundingBox();
  const tip = at(page, "hover");
  const move = async (z) => {
    const [x, y] = await page.evaluate((height) => window.drystone.pixelOf([0, -0.25, height]), z);
    await page.mouse.move(box.x + x, box.y + y);
  };
  await move(1.125);
  await tip.filter({ hasText: "block-5" }).waitFor();
  assert.match(await tip.innerText(), /250 kg/);
  await page.mouse.move(box.x + seam[0], box.y + seam[1]);
  await tip.filter({ hasText: "block-5 – block-6" }).waitFor();
  near(/N ([\d.]+ k?N)/.exec(await tip.innerText())[1], 5 * WEIGHT_N);
  await page.mouse.click(box.x + seam[0], box.y + seam[1]);
  near((await card(page))["Normal force"], 5 * WEIGHT_N);
  await move(1.125);
  await page.mouse.down();
  await page.mouse.up();
  assert.deepEqual(await page.evaluate(() => window.drystone.selection), ["block-5"]);
  await page.mouse.move(box.x + 20, box.y + box.height - 20);
  await tip.waitFor({ state: "hidden" });
});

withPage("the table of joints is sorted, linked to the view, and taken along in SI units", async ({ page }) => {
  await openRecipe(page, "stack");
  await settled(page);
  await page.keyboard.press("b");
  assert.equal(await at(page, "table-count").innerText(), "10 joints");
  assert.equal(await at(page, "sort-normal").innerText(), "Normal force (kN)");
  const column = async (index) => page.locator(".numbers tbody tr:not(.room)").evaluateAll((rows, k) => rows.map((row) => row.children[k].textContent), index);
  await at(page, "sort-normal").click();
  const down = (await column(2)).map(Number);
  assert.equal(down[0], 24.5);
  assert.deepEqual(down, [...down].sort((a, b) => b - a));
  await at(page, "sort-normal").click();
  const up = (await column(2)).map(Number);
  assert.deepEqual(up, [...up].sort((a, b) => a - b));
  assert.equal(await page.locator("th[aria-sort]").getAttribute("aria-sort"), "ascending");
  // The least loaded joint is the topmost.
  await page.locator(".numbers tbody tr:not(.room)").first().click();
  assert.deepEqual(await page.evaluate(() => window.drystone.selection.sort()), ["block-10", "block-9"]);
  near((await card(page))["Normal force"], WEIGHT_N);
  // By keys, too: the next one up the list.
  await at(page, "table-scroll").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  near((await card(page))["Normal force"], 2 * WEIGHT_N);

  const csv = await downloaded(page, () => at(page, "table-csv").click());
  assert.equal(csv.name, "stack-joints.csv");
  const rows = parse(csv.bytes);
  assert.equal(rows.length, 10);
  const total = rows.reduce((sum, row) => sum + Number(row.normal_n), 0);
  // 1 + 2 + ... + 10 blocks.
  assert.ok(Math.abs(total - 55 * WEIGHT_N) < 1e-4 * total, `${total}`);
  assert.ok(rows.every((row) => Math.abs(Number(row.area_m2) - 0.5) < 1e-6));

  await at(page, "table-filter").fill("block-10");
  assert.equal(await at(page, "table-count").innerText(), "1 of 10 joints");
  await at(page, "table-filter").fill("");
  await at(page, "table-which-blocks").check();
  await at(page, "sort-force").click();
  assert.deepEqual((await column(0)).slice(0, 3), ["ground", "block-1", "block-2"]);
  await page.locator(".numbers tbody tr", { hasText: "block-7" }).click();
  assert.deepEqual(await page.evaluate(() => window.drystone.selection), ["block-7"]);
  // Picked in the list of blocks, it is marked here.
  await choose(page, "block-4");
  assert.equal(await page.locator('.numbers tbody tr[aria-current="true"] td').first().innerText(), "block-4");
  const blocks = parse((await downloaded(page, () => at(page, "table-csv").click())).bytes);
  const free = blocks.filter(({ support }) => support === "no");
  assert.ok(Math.abs(free.reduce((sum, row) => sum + Number(row.mass_kg), 0) - 2500) < 1e-6);
});

withPage("in a run, cards and tables tell displacements and openings", async ({ page }) => {
  await openRecipe(page, "stack");
  await rightTab(page, "shake");
  await type(page, "shake-amplitude-number", 1.5);
  await type(page, "shake-frequency-number", 1);
  await type(page, "shake-duration-number", 2);
  await at(page, "shake-start").click();
  await page.waitForFunction(() => window.drystone.run === "ended");
  await page.keyboard.press("b");
  await at(page, "scrub").fill("0");
  await choose(page, "block-10");
  assert.equal((await card(page)).Displacement, "0 m");
  await at(page, "scrub").fill("2");
  // The table tells the same as the plot under Shake, which has it from the frames.
  const moved = (await card(page)).Displacement;
  assert.notEqual(moved, "0 m");
  const plot = at(page, "plot-displacement");
  await plot.locator("b").filter({ hasText: moved.split(" ")[0] }).waitFor();
  await at(page, "sort-opening").click();
  const openings = await page.locator(".numbers tbody tr:not(.room)").evaluateAll((rows) => rows.map((row) => row.textContent));
  assert.ok(openings.length >= 5);
  assert.match(await at(page, "card-body").innerText(), /leave the run/);
  await leftTab(page, "blocks");
});

withPage("a bar of colours has numbers and units", async ({ page }) => {
  await openRecipe(page, "stack");
  await settled(page);
  const bar = at(page, "color-bar");
  await rightTab(page, "check");
  await at(page, "show-use").check();
  assert.equal(await bar.isVisible(), true);
  assert.match(await bar.innerText(), /Friction in use[^]*0 %[^]*50 %[^]*100 %/);
  await rightTab(page, "thrust");
  // The lowest joint presses with ten weights on 0.5 m²: 49.05 kPa; nine of ten joints press less.
  await bar.filter({ hasText: "Pressure on joints (kPa)" }).waitFor();
  const last = Number(/([\d.]+)\s*$/.exec((await bar.innerText()).trim())[1]);
  assert.ok(last > 0.85 * 49.05 && last < 1.02 * 49.05, `${last} kPa`);
  await rightTab(page, "edit");
  assert.equal(await bar.isVisible(), false);
});
