/** Blocks that deform: their stresses, and their surfaces magnified. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { withPage } from "../harness.mjs";
import { at } from "../steps.mjs";
import { boxes, ended } from "./slow.mjs";

const [HEIGHT, DENSITY, YOUNG] = [4, 2000, 1e9];
const COLUMN = {
  name: "column",
  joints: { friction: 0.5 },
  elasticity: { young_pa: YOUNG, poisson: 0 },
  deformable: [{ blocks: "shaft", mesh: "H8x2x2x16" }],
  blocks: [
    { name: "base", fixed: true, shape: { box: { size: [2, 2, 0.2], center: [0, 0, -0.1] } } },
    { name: "shaft", shape: { box: { size: [0.5, 0.5, HEIGHT], center: [0, 0, HEIGHT / 2] } } },
  ],
};

withPage("a column is pressed by its own weight as theory has it, and is seen to be", async ({ page }) => {
  await boxes(page, COLUMN);
  await at(page, "slow-start").click();
  const end = await ended(page);
  assert.equal(end.end, "completed");
  const weight = DENSITY * 9.81 * HEIGHT;
  const { max_von_mises_pa: stress, max_deformation_m: deformation } = end.point;
  assert.ok(stress > 0.95 * weight && stress < 1.01 * weight, `${stress} Pa under ${weight} Pa`);
  // The rigid part of the motion is left out: top and foot move against the middle.
  const shortening = (weight * HEIGHT) / (2 * YOUNG);
  assert.ok(deformation > 0.5 * shortening && deformation < shortening, `${deformation} m of ${shortening} m`);
  assert.match(await page.locator("body").innerText(), /Von Mises stress/);
  // What stone deforms by is not seen as it is.
  assert.ok(Number(await at(page, "magnify").inputValue()) > 10);
  if (process.env.DRYSTONE_PICTURES) await page.screenshot({ path: join(process.env.DRYSTONE_PICTURES, "deform.png") });
});
