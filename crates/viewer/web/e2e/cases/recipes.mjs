/** Every recipe opens, shows blocks and gets the verdict that the literature and `drystone check --method cone` give it. */

import assert from "node:assert/strict";
import { changing, read, withPage } from "../harness.mjs";
import { at, leftTab, openRecipe } from "../steps.mjs";

const EXPECTED = {
  block: "stable",
  stack: "stable",
  column: "stable",
  wall: "stable",
  tower: "stable",
  "natural-arch-wall": "unstable",
  "corbelled-cylinder": "stable",
  arch: "stable",
  "oppenheim-arch": "stable",
  "spandrel-arch": "stable",
  bridge: "stable",
  "barrel-vault": "stable",
  "cross-vault": "stable",
  dome: "stable",
  "stone-house": "stable",
  church: "stable",
  "model-h": "stable",
  "model-a": "stable",
  wedge: "stable",
  shelf: "unstable",
  "three-legged-pi": "stable",
  "rubble-wall": "stable",
};

/** Thousands of stones take their time: these are asked for with fewer of them. */
const SMALLER = { "corbelled-cylinder": { courses: "5", "block-length": "2.4", "ring-width": "1.2" }, church: { "block-length": "1", "block-height": "0.7", openings: "false" } };

function smaller(socket) {
  const upstream = socket.connectToServer();
  socket.onMessage((message) => {
    const asked = JSON.parse(message);
    upstream.send(asked.ask === "build" && SMALLER[asked.recipe] ? JSON.stringify({ ...asked, values: SMALLER[asked.recipe] }) : message);
  });
}

withPage("every recipe opens and gets its verdict", { onSocket: smaller }, async ({ page, t }) => {
  await leftTab(page, "open");
  const names = await page.locator("[data-testid^=recipe-].card").evaluateAll((cards) => cards.map((card) => card.dataset.testid.slice("recipe-".length)));
  assert.deepEqual([...names].sort(), Object.keys(EXPECTED).sort(), "recipes that the page lists");
  for (const name of names) {
    const began = performance.now();
    const verdict = await openRecipe(page, name);
    const seen = await read(page);
    assert.equal(seen.name, name);
    assert.ok(seen.blocks >= 2, `${name} has ${seen.blocks} blocks`);
    assert.ok((await page.evaluate(() => window.drystone.drawCalls)) > 0, `${name} is drawn`);
    assert.equal(verdict, EXPECTED[name], name);
    assert.equal(await at(page, "notice").isVisible(), false, `${name}: ${await at(page, "notice").textContent()}`);
    t.diagnostic(`${name}: ${seen.blocks} blocks, ${Math.round(performance.now() - began)} ms`);
  }
});

withPage("recipes are shown by pictures that come with the page", {}, async ({ page }) => {
  await leftTab(page, "open");
  const cards = page.locator("[data-testid^=recipe-].card");
  const seen = await cards.evaluateAll((all) =>
    Promise.all(
      all.map(async (card) => {
        const image = card.querySelector("img");
        if (!image) return { name: card.dataset.testid, width: 0 };
        image.loading = "eager";
        await image.decode();
        return { name: card.dataset.testid, width: image.naturalWidth, local: new URL(image.src).origin === location.origin };
      }),
    ),
  );
  assert.equal(seen.length, Object.keys(EXPECTED).length);
  for (const { name, width, local } of seen) assert.ok(width === 240 && local, `${name}: ${width} pixels`);
});

withPage("an arch shows what matters to its profile", async ({ page }) => {
  await openRecipe(page, "arch");
  await leftTab(page, "parameters");
  const shown = async () => {
    const seen = {};
    for (const name of ["radius", "embrace-deg", "span", "skew-deg", "thickness"]) seen[name] = await at(page, `param-${name}`).isVisible();
    return seen;
  };
  assert.deepEqual(await shown(), { radius: true, "embrace-deg": true, span: false, "skew-deg": false, thickness: true });
  await changing(page, () => at(page, "param-profile").selectOption("flat"));
  assert.deepEqual(await shown(), { radius: false, "embrace-deg": false, span: true, "skew-deg": true, thickness: true });
});
