/** What is on the screen is what is asked now, and what it says is about what is looked at. */

import assert from "node:assert/strict";
import { PATIENCE_MS, changing, drystone, read, settled, withPage } from "../harness.mjs";
import { at, ask, choose, downloaded, drop, leftTab, openRecipe, rightTab, setFriction, setParameters, stepOf, type } from "../steps.mjs";

const DEGREES = 180 / Math.PI;
const ended = (page) => page.waitForFunction(() => window.drystone.run === "ended");
const status = (page) => at(page, "status-verdict");

/** Blocks of 1 m by 0.5 m by 0.25 m on each other and on a ground. */
const stackOf = (blocks, joints, more = {}) => {
  const cuboid = (name, size, z, rest) => ({ name, shape: { box: { size, center: [0, 0, z] } }, ...rest });
  const stones = Array.from({ length: blocks }, (_, k) => cuboid(`stone-${k + 1}`, [1, 0.5, 0.25], 0.125 + 0.25 * k, { group: "stone" }));
  const model = { drystone: 1, name: "mixed", density: 2000, joints, blocks: [cuboid("ground", [4, 4, 1], -0.5, { fixed: true, group: "ground" }), ...stones], ...more };
  return [{ name: "mixed.json", text: JSON.stringify(model) }];
};

withPage("a run that falls is told to fall, in the status and at the head of the report", async ({ page }) => {
  assert.equal(await openRecipe(page, "stack"), "stable");
  assert.match(await status(page).innerText(), /^stands/);
  await rightTab(page, "shake");
  await type(page, "shake-amplitude-number", 1.4);
  await type(page, "shake-frequency-number", 0.7);
  await type(page, "shake-duration-number", 4);
  await stepOf(page, 0.01);
  await at(page, "shake-start").click();
  await ended(page);
  await status(page).filter({ hasText: /^run: collapses/ }).waitFor();
  assert.equal(await status(page).getAttribute("data-verdict"), "unstable");
  await rightTab(page, "report");
  await at(page, "report-make").click();
  const report = page.frameLocator("[data-testid=report-frame]");
  await report.locator(".verdict").first().waitFor();
  assert.match(await report.locator(".verdict").first().innerText(), /^It collapsed/);
  // That it stands at rest is told beside, and not at the head.
  assert.match(await report.locator("body").innerText(), /Static check of the same structure/i);
  // Without the run on screen the status is about the structure at rest again.
  await at(page, "leave-run").click();
  assert.match(await status(page).innerText(), /^stands/);
});

withPage("blocks land on the ground, and a run ends soon after its collapse", async ({ page }) => {
  await openRecipe(page, "arch");
  assert.equal(await setParameters(page, { voussoirs: 13, thickness: 0.3 }), "unstable");
  const shaken = async () => {
    await rightTab(page, "shake");
    await at(page, "shake-kind").selectOption("none");
    await type(page, "shake-duration-number", 30);
    await stepOf(page, 0.01);
    await at(page, "shake-start").click();
    await ended(page);
    return page.evaluate(() => window.drystone.outcome);
  };
  const on = await shaken();
  assert.ok(on.collapsed && on.stopped_after_collapse, JSON.stringify(on));
  assert.ok(on.last_s - on.collapse_time_s < 2.1, `it goes on for ${on.last_s - on.collapse_time_s} s`);
  // From its crown to the ground an arch of 5 m is not much higher than that.
  assert.ok(on.max_displacement_m < 8, `${on.max_displacement_m} m`);

  await leftTab(page, "parameters");
  await changing(page, () => at(page, "param-ground").selectOption("false"));
  await at(page, "right-tab-shake").click();
    await type(page, "shake-after-number", 6);
  const off = await shaken();
  assert.ok(off.max_displacement_m > 40, `without a ground it falls on: ${off.max_displacement_m} m`);
  // What matters is still seen: the plot ends at the size of the structure.
  await at(page, "moved-component-z").check();
  assert.match(await at(page, "plot-displacement").innerText(), /cut at 1\d\.\d/);
});

withPage("friction that differs from joint to joint is scaled, and made one only when asked", async ({ page }) => {
  // On the ground blocks slide at atan 0.3; on each other only at atan 0.7.
  const joints = { friction: 0.7, groups: [{ between: ["ground", "stone"], friction: 0.3 }] };
  await changing(page, () => drop(page, stackOf(2, joints)));
  await rightTab(page, "check");
  assert.match(await at(page, "friction-mixed").innerText(), /0\.300 to 0\.700/);
  assert.equal(await at(page, "friction").isVisible(), false);
  const critical = async (index = 0) => {
    const before = await page.locator(".margins li").count();
    await at(page, "critical-tilt").click();
    await page.waitForFunction((was) => document.querySelectorAll(".margins li").length > was, before);
    return Number.parseFloat(await at(page, `margin-${index}`).locator("b").innerText());
  };
  const near = (found, wanted) => assert.ok(Math.abs(found - wanted) < 0.02, `${found}, expected ${wanted}`);
  near(await critical(), Math.atan(0.3) * DEGREES);
  // A touch of the slider scales: 0.3 becomes 0.33.
  await type(page, "friction-factor-number", 1.1);
  await settled(page);
  near(await critical(), Math.atan(0.33) * DEGREES);
  assert.match(await at(page, "friction-mixed").innerText(), /0\.330 to 0\.770/);
  await at(page, "friction-one").click();
  await settled(page);
  assert.equal(await at(page, "friction-factor").isVisible(), false);
  await setFriction(page, 0.5);
  near(await critical(), Math.atan(0.5) * DEGREES);
  await at(page, "friction-reset").click();
  await at(page, "friction-mixed").waitFor();
  assert.match(await at(page, "friction-mixed").innerText(), /0\.300 to 0\.700/);
});

withPage("load cases of a file act from the start, and are named with their forces", async ({ page }) => {
  // Of 250 kg and a friction of 0.6 it carries a push of 1471 N: one of 1200 N, not a quarter more.
  const push = (force) => ({ load_cases: { wind: { forces: [{ block: "stone-1", force, at: [0, 0, 0.01] }] } } });
  await changing(page, () => drop(page, stackOf(1, { friction: 0.6 }, push([1200, 0, 0]))));
  await rightTab(page, "check");
  assert.equal(await settled(page), "stable");
  assert.equal(await at(page, "verdict-loads").innerText(), "With “wind” × 1.00 (1.20 kN along +x)");
  await type(page, "load-wind-number", 1.25);
  assert.equal(await settled(page), "unstable");
  assert.match(await at(page, "verdict-loads").innerText(), /× 1\.25 \(1\.50 kN/);
  await type(page, "load-wind-number", 0);
  assert.equal(await settled(page), "stable");
  assert.equal(await at(page, "verdict-loads").isVisible(), false);
});

/** Holds back answers to checks while it is told to. */
let holding = false;
let held = [];
const slow = (socket) => {
  const upstream = socket.connectToServer();
  upstream.onMessage((message) => {
    const isCheck = typeof message === "string" ? message.includes('"answer":"check"') : message.readUInt32LE(0) === 2;
    if (holding && isCheck) held.push(() => socket.send(message));
    else socket.send(message);
  });
};

withPage("a verdict from before a change is marked until the new one is there", { onSocket: slow }, async ({ page }) => {
  assert.equal(await openRecipe(page, "stack"), "stable");
  await rightTab(page, "check");
  assert.equal(await at(page, "verdict-stale").isVisible(), false);
  holding = true;
  await type(page, "friction-number", 0);
  await at(page, "tilt").focus();
  await page.keyboard.press("PageUp");
  await at(page, "verdict-stale").waitFor();
  await status(page).filter({ hasText: /^checking; before: stands/ }).waitFor();
  assert.equal(await status(page).getAttribute("data-verdict"), "none");
  holding = false;
  // The first answer is of friction alone; the question about both comes after it.
  for (const send of held.splice(0)) send();
  assert.equal(await settled(page), "unstable");
  await at(page, "verdict-stale").waitFor({ state: "hidden" });
  assert.match(await status(page).innerText(), /^falls/);
});

withPage("a long question is stopped by new input, which is answered", async ({ page }) => {
  await openRecipe(page, "tower");
  await rightTab(page, "check");
  await ask(page, "cra");
  await at(page, "critical-tilt").click();
  await at(page, "stop").waitFor();
  await type(page, "friction-number", 0.9);
  await at(page, "notice").filter({ hasText: "Critical tilt about +y: stopped" }).waitFor();
  await settled(page);
  await at(page, "stop").waitFor({ state: "hidden" });
  assert.equal(await page.locator(".margins li").count(), 0);
  assert.equal(await at(page, "critical-tilt").isEnabled(), true);
});

withPage("things to try work from a structure that falls, with much else asked", { welcomed: false }, async ({ page }) => {
  await openRecipe(page, "shelf");
  await rightTab(page, "check");
  await setFriction(page, 0.2);
  assert.equal(await settled(page), "unstable");
  await rightTab(page, "shake");
  await at(page, "try-tilt").click();
  await page.waitForFunction(() => window.drystone.name === "spandrel-arch" && window.drystone.verdict === "unstable", null, { timeout: PATIENCE_MS });
  assert.ok(Number(await at(page, "tilt").getAttribute("aria-valuenow")) > 0);
  assert.match(await at(page, "notice").innerText(), /does not stand by itself/);
  // From what the last one left.
  await at(page, "try-friction").click();
  await page.waitForFunction(() => window.drystone.verdict === "stable");
  await page.waitForFunction(() => window.drystone.verdict === "unstable" && !window.drystone.checking, null, { timeout: PATIENCE_MS });
  assert.equal(await at(page, "tilt").getAttribute("aria-valuenow"), "0");
  assert.ok(Number(await at(page, "friction-number").inputValue()) < 0.6);
});

withPage("parameters of a recipe survive edits, which stay on top", async ({ page }) => {
  await openRecipe(page, "arch");
  await setParameters(page, { voussoirs: 9 });
  await choose(page, "voussoir-05");
  await rightTab(page, "edit");
  await changing(page, () => at(page, "fix").click());
  await leftTab(page, "parameters");
  assert.match(await at(page, "edits-on-top").innerText(), /1 change on top/);
  await setParameters(page, { thickness: 0.9 });
  await at(page, "save").click();
  const file = await downloaded(page, () => at(page, "save-download").click());
  const { blocks } = JSON.parse(file.bytes);
  assert.equal(blocks.find(({ name }) => name === "voussoir-05").fixed, true, "the change is still made");
  // With four voussoirs there is no fifth to fix, and that is said.
  await setParameters(page, { voussoirs: 4 });
  assert.match(await at(page, "notice").innerText(), /1 of 1 changes could not be made.*voussoir-05/);
  assert.equal(await at(page, "edits-on-top").isVisible(), false);
});

withPage("lines of thrust that are ticked and absent say why", async ({ page }) => {
  await openRecipe(page, "wall");
  await rightTab(page, "thrust");
  await at(page, "bounds-absent").filter({ hasText: "they are those of arches" }).waitFor();
  await openRecipe(page, "arch");
  await page.getByTestId("right-panel-thrust").locator("dt", { hasText: "Minimum thrust" }).first().waitFor();
  assert.equal(await at(page, "bounds-absent").isVisible(), false);
  await setParameters(page, { thickness: 0.3 });
  await at(page, "bounds-absent").filter({ hasText: /No lines of minimum/ }).waitFor();
});

/** The last simulation that was asked for. */
let simulated = null;
const listening = (socket) => {
  const upstream = socket.connectToServer();
  socket.onMessage((message) => {
    const asked = JSON.parse(message);
    if (asked.ask === "simulate") simulated = asked;
    upstream.send(message);
  });
};

withPage("page and command line take the same where nobody says", { onSocket: listening }, async ({ page }) => {
  drystone("new", "model-h", "-o", "defaults.json", "--quiet");
  const ran = drystone("simulate", "defaults.json", "--duration", "0.02", "-o", "defaults-run", "--json");
  const { verdict } = drystone("check", "defaults.json", "--json");
  await openRecipe(page, "model-h");
  // By cone alone it stands; the command line asks coupled analysis, too, and so does the page.
  assert.equal(verdict, "unstable");
  await status(page).filter({ hasText: /^falls \(cone and cra/ }).waitFor();
  assert.equal(await at(page, "verdict").innerText(), "Falls");
  // It is not forgotten while something else is asked about the same.
  await rightTab(page, "check");
  await at(page, "least-friction").click();
  await at(page, "margin-0").waitFor();
  assert.equal(await at(page, "verdict").innerText(), "Falls");
  await rightTab(page, "shake");
  await type(page, "shake-duration-number", 0.1);
  await at(page, "shake-start").click();
  await ended(page);
  assert.equal(simulated.integrator, ran.integrator);
  assert.ok(Math.abs(simulated.dt_s - ran.time_s / ran.steps) < 1e-12, `${simulated.dt_s}, ${ran.time_s} s in ${ran.steps} steps`);
  assert.equal((await read(page)).run, "ended");
});
