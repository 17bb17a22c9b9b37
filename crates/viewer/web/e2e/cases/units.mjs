/** Units of display: numbers and fields change, what they mean does not. */

import assert from "node:assert/strict";
import { changing, settled, withPage } from "../harness.mjs";
import { at, choose, downloaded, fillVector, openRecipe, rightTab, setParameters, type } from "../steps.mjs";

const factsOf = (page) => at(page, "card-body").evaluate((box) => Object.fromEntries([...box.querySelectorAll("dt")].map((dt) => [dt.textContent, dt.nextElementSibling.textContent])));
const value = async (page, id) => Number(await at(page, id).inputValue());
const POUND_KG = 0.45359237;
const FOOT_M = 0.3048;

withPage("a block in each system of units, and a field that is typed in feet", async ({ page }) => {
  await openRecipe(page, "stack");
  await settled(page);
  await choose(page, "block-10");
  // 1 by 0.5 by 0.25 m, 250 kg, 2452.5 N.
  const wanted = {
    auto: ["1.00 × 0.500 × 0.250 m", "250 kg", "2.45 kN"],
    "m-kn": ["1.00 × 0.500 × 0.250 m", "250 kg", "2.45 kN"],
    "mm-n": ["1000 × 500 × 250 mm", "250 kg", "2453 N"],
    imperial: ["3.28 × 1.64 × 0.820 ft", "551 lb", "551 lbf"],
  };
  for (const [system, [size, mass, weight]] of Object.entries(wanted)) {
    await at(page, "units").selectOption(system);
    const facts = await factsOf(page);
    // 250 kg under 9.81 m/s² weigh 551.3 lbf, which are as many pounds under standard gravity as a little less.
    assert.deepEqual([facts.Size, facts.Mass, facts.Weight], [size, mass, weight], system);
  }
  // The density slider: 2000 kg/m³ are 124.9 lb/ft³. Doubled by typing, the weight doubles.
  await rightTab(page, "check");
  const perCubicFoot = 2000 / POUND_KG * FOOT_M ** 3;
  assert.ok(Math.abs((await value(page, "density-number")) - perCubicFoot) < 0.05);
  await type(page, "density-number", 2 * perCubicFoot);
  await settled(page);
  assert.equal((await factsOf(page)).Mass, "1102 lb");
  // A move by a foot is one of 0.3048 m in the file.
  await rightTab(page, "edit");
  await fillVector(page, "move", [1, 0, 0]);
  await changing(page, () => at(page, "move").click());
  await at(page, "save").click();
  const model = JSON.parse((await downloaded(page, () => at(page, "save-download").click())).bytes);
  const block = model.blocks.find(({ name }) => name === "block-10");
  assert.ok(Math.abs(block.pose.position[0] - FOOT_M) < 1e-9, JSON.stringify(block.pose));
  // The choice outlives a reload, and recipes take it, too: a width of 2 ft.
  await page.reload();
  await settled(page);
  assert.equal(await at(page, "units").inputValue(), "imperial");
  await openRecipe(page, "stack");
  await setParameters(page, { width: 2 });
  await choose(page, "block-10");
  assert.match((await factsOf(page)).Size, /^2\.00 × /);
  await at(page, "units").selectOption("mm-n");
  assert.equal(await value(page, "param-width-number"), 609.6);
});

withPage("tables and plots follow, files stay in SI", async ({ page }) => {
  await openRecipe(page, "stack");
  await settled(page);
  await at(page, "units").selectOption("mm-n");
  await page.keyboard.press("b");
  assert.equal(await at(page, "sort-normal").innerText(), "Normal force (N)");
  assert.equal(await at(page, "sort-area").innerText(), "Area (mm²)");
  const csv = (await downloaded(page, () => at(page, "table-csv").click())).bytes.toString("utf8");
  assert.match(csv, /^joint,between,normal_n,shear_n,use_ratio,.*area_m2/);
  await rightTab(page, "shake");
  await type(page, "shake-duration-number", 0.5);
  await at(page, "shake-start").click();
  await page.waitForFunction(() => window.drystone.run === "ended");
  assert.match(await at(page, "plot-displacement").locator("figcaption").innerText(), /\(mm\)/);
});
