/** Safety margins: every answer is kept, with direction, method and mechanism, until the model changes. */

import assert from "node:assert/strict";
import { changing, drystone, settled, withPage } from "../harness.mjs";
import { at, drop, openRecipe, rightTab, setFriction, setParameters, type } from "../steps.mjs";

const DEGREES = 180 / Math.PI;

/** Asks, and waits for one more answer; gives its number. */
async function found(page, act) {
  const before = await page.locator(".margins li").count();
  await act();
  await page.waitForFunction((was) => document.querySelectorAll(".margins li").length > was, before);
  return Number.parseFloat(await at(page, "margin-0").locator("b").innerText());
}

const heads = (page) => page.locator(".margin-head span").allInnerTexts();
const near = (value, wanted, by) => assert.ok(Math.abs(value - wanted) <= by, `${value}, expected ${wanted}`);

withPage("margins about any axis and along any direction are kept beside each other, as the command line has them", async ({ page }) => {
  // A block of 0.6 m by 0.4 m, 2 m high: it tips at atan(b/h), and is pushed over by b/h of its weight.
  await openRecipe(page, "block");
  await setParameters(page, { depth: 0.4 });
  await rightTab(page, "check");
  await at(page, "critical-tilt-direction").selectOption("+y");
  near(await found(page, () => at(page, "critical-tilt").click()), Math.atan(0.6 / 2) * DEGREES, 0.02);
  await at(page, "critical-tilt-direction").selectOption("+x");
  near(await found(page, () => at(page, "critical-tilt").click()), Math.atan(0.4 / 2) * DEGREES, 0.02);
  await at(page, "capacity-direction").selectOption("-x");
  near(await found(page, () => at(page, "capacity").click()), 0.3, 0.002);
  await at(page, "capacity-direction").selectOption("other");
  await type(page, "capacity-x", 3);
  await type(page, "capacity-y", 4);
  // Along (0.6, 0.8) it tips over the edge that is nearer: 0.2 of the weight across it, 0.2 / 0.8 along the push.
  near(await found(page, () => at(page, "capacity").click()), 0.2 / 0.8, 0.002);
  drystone("new", "block", "--depth", "0.4", "-o", "b.json", "--quiet");
  const { multiplier } = drystone("limit", "b.json", "--direction", "3,4,0", "--json");
  near(Number.parseFloat(await at(page, "margin-0").locator("b").innerText()), multiplier, 0.002);
  assert.deepEqual(await heads(page), ["Lateral capacity along 3, 4, 0", "Lateral capacity along −x", "Critical tilt about +x", "Critical tilt about +y"]);
  assert.match(await at(page, "margin-0").innerText(), /By associated friction/);
  assert.match(await at(page, "margin-3").innerText(), /By cone/);

  // Each has its mechanism: over the edge at +x it turns about y.
  await at(page, "margin-see-3").click();
  assert.equal(await at(page, "margin-see-3").getAttribute("aria-pressed"), "true");
  const turn = await page.evaluate(() => window.drystone.mechanism.slice(9, 12));
  assert.ok(Math.abs(turn[1]) > 100 * Math.max(Math.abs(turn[0]), Math.abs(turn[2])), `${turn}`);
  await at(page, "margin-see-3").click();
  assert.equal(await page.evaluate(() => window.drystone.mechanism), null);

  // Other assumptions take none away, but are told; another model has none.
  await setFriction(page, 0.7);
  assert.equal((await heads(page)).length, 4);
  assert.match(await at(page, "margin-0").innerText(), /Other assumptions than now/);
  await setParameters(page, { depth: 0.5 });
  assert.equal((await heads(page)).length, 0);
});

withPage("how much of a load case is carried is a margin, too", async ({ page }) => {
  // A cube of 1 m and 2 t is pushed at its middle: with a friction of 0.3 it slides at 0.3 of its weight, 5884 N.
  const cube = (name, z, more) => ({ name, shape: { box: { size: [1, 1, 1], center: [0, 0, z] } }, ...more });
  const model = {
    drystone: 1, name: "pushed", density: 2000, joints: { friction: 0.3 }, blocks: [cube("lower", -0.5, { fixed: true }), cube("upper", 0.5)],
    load_cases: { wind: { forces: [{ block: "upper", force: [1000, 0, 0], at: [0, 0, 0.5] }] }, snow: { forces: [{ block: "upper", force: [0, 0, -2000], at: [0, 0, 1] }] } },
  };
  await changing(page, () => drop(page, [{ name: "pushed.json", text: JSON.stringify(model) }]));
  await rightTab(page, "check");
  await settled(page);
  await type(page, "load-snow-number", 0);
  await settled(page);
  near(await found(page, () => at(page, "multiplier-wind").click()), 0.3 * 2 * 9.80665, 0.03);
  await type(page, "load-snow-number", 1);
  await settled(page);
  near(await found(page, () => at(page, "multiplier-wind").click()), 0.3 * (2 * 9.80665 + 2), 0.03);
  assert.match(await at(page, "margin-0").innerText(), /“snow” × 1\.00/);
  assert.deepEqual(await heads(page), ["Multiplier of “wind”", "Multiplier of “wind”"]);
});
