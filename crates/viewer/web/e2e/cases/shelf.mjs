/** The shelf of the literature: two of its struts slide out; friction or other heads hold them. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { changing, drystone, folder, settled, withPage } from "../harness.mjs";
import { ask, at, choose, dragSlider, fillVector, openRecipe, rightTab } from "../steps.mjs";

withPage("dragging the friction slider changes the verdict where the command line does, and back", async ({ page }) => {
  drystone("new", "shelf", "-o", "shelf.json", "--quiet");
  const stands = (friction) => drystone("check", "shelf.json", "--method", "cone", "--friction", String(friction), "--json").verdict === "stable";
  let [low, high] = [84, 120];
  assert.ok(!stands(low / 100) && stands(high / 100));
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (stands(middle / 100)) high = middle;
    else low = middle;
  }

  assert.equal(await openRecipe(page, "shelf"), "unstable");
  await rightTab(page, "check");
  const number = async () => Math.round(100 * Number(await at(page, "friction-number").inputValue()));
  assert.equal(await number(), 84);
  const MOST = 1.2;
  const up = await dragSlider(page, "friction", 0.84 / MOST, 1, 40, async () => (await settled(page)) === "stable");
  assert.ok(up, "it stands somewhere on the way up");
  const stoodAt = await number();
  assert.ok(stoodAt >= high && stoodAt <= high + 2, `stands from ${high / 100} on by the command line, on the page at ${stoodAt / 100}`);
  const down = await dragSlider(page, "friction", stoodAt / 100 / MOST, 0.84 / MOST, 40, async () => (await settled(page)) === "unstable");
  assert.ok(down, "it falls again on the way down");
  const fellAt = await number();
  assert.ok(fellAt <= low && fellAt >= low - 2, `falls up to ${low / 100} by the command line, on the page at ${fellAt / 100}`);
});

/** Elevation corners of a strut: the two of the foot, lowest first, and those of the head, left and right. */
function strut(model, name) {
  const { vertices } = model.blocks.find((block) => block.name === name).shape.mesh;
  const corners = vertices.filter((v) => v[1] === 0).map((v) => [v[0], v[2]]);
  corners.sort((a, b) => a[1] - b[1]);
  const head = corners.slice(2).sort((a, b) => a[0] - b[0]);
  return { low: corners[0], left: head[0], right: head[1] };
}

withPage("other heads mend the shelf: each hanger is cut steeply, what is cut off belongs to the frame", async ({ page }) => {
  drystone("new", "shelf", "-o", "shelf.json", "--quiet");
  const model = JSON.parse(await readFile(join(folder, "shelf.json"), "utf8"));
  await openRecipe(page, "shelf");
  assert.equal(await ask(page, "cra"), "unstable");
  for (const name of ["hanger-left", "hanger-right"]) {
    // From the right corner of the head down to three fifths of the left side.
    const { low, left, right } = strut(model, name);
    const down = [0, 1].map((k) => left[k] + 0.6 * (low[k] - left[k]));
    const along = [right[0] - down[0], right[1] - down[1]];
    await choose(page, name);
    await rightTab(page, "edit");
    await fillVector(page, "cut-point", [right[0], 0, right[1]]);
    await fillVector(page, "cut-normal", [-along[1], 0, along[0]]);
    await changing(page, () => at(page, "cut").click());
    await choose(page, `${name}-2`);
    await rightTab(page, "edit");
    await changing(page, () => at(page, "fix").click());
  }
  await rightTab(page, "check");
  assert.equal(await settled(page), "stable", await at(page, "verdict-card").innerText());
  assert.equal(await at(page, "method").inputValue(), "cra");
  // The command line agrees about the model as saved.
  await at(page, "save").click();
  await at(page, "save-path").fill("mended.json");
  await at(page, "save-folder").click();
  await at(page, "notice").filter({ hasText: "mended.json" }).waitFor();
  assert.equal(drystone("check", "mended.json", "--method", "cra", "--json").verdict, "stable");
});
