/** Files of other programs: what they do not say is asked, with what was found, before anything is opened. */

import assert from "node:assert/strict";
import { changing, read, settled, withPage } from "../harness.mjs";
import { at, choose, drop, leftTab, openRecipe, rightTab } from "../steps.mjs";

/** Boxes from corner to corner as an OBJ file. */
function obj(boxes) {
  const FACES = [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];
  const one = ([name, [x, y, z], [u, v, w]], k) => {
    const corners = [[x, y, z], [u, y, z], [u, v, z], [x, v, z], [x, y, w], [u, y, w], [u, v, w], [x, v, w]];
    return [`o ${name}`, ...corners.map((c) => `v ${c.join(" ")}`), ...FACES.map((f) => `f ${f.map((i) => i + 1 + 8 * k).join(" ")}`)].join("\n");
  };
  return boxes.map(one).join("\n");
}

const found = (page) => at(page, "import-found").evaluate((box) => Object.fromEntries([...box.querySelectorAll("dt")].map((dt) => [dt.textContent, dt.nextElementSibling.textContent])));
/** Waits until what was found is about what is chosen. */
const looked = (page) => page.locator('[data-testid=import-found][aria-busy="false"]').waitFor();
const dropped = async (page, name, text) => {
  await drop(page, [{ name, text }]);
  await at(page, "import-dialog").waitFor();
  await looked(page);
};

withPage("millimetres and y up: a tower of two blocks is taken for what it is", async ({ page }) => {
  await openRecipe(page, "stack");
  const before = await read(page);
  // 400 by 300 mm, 500 mm and 250 mm high, along y.
  await dropped(page, "tower.obj", obj([["foot", [0, 0, 0], [400, 500, 300]], ["head", [0, 500, 0], [400, 750, 300]]]));
  assert.equal(await at(page, "import-unit").inputValue(), "0.001", "750 m are not believed");
  assert.deepEqual(await read(page), before, "nothing is opened yet");
  await at(page, "import-up").selectOption("y");
  await looked(page);
  const seen = await found(page);
  assert.equal(seen.Size, "400 × 300 × 750 mm");
  assert.equal(seen.Supports, "1", "the lowest carries it");
  assert.equal(seen.Joints, "1 (4 contact points)");
  assert.deepEqual([seen.Gaps, seen.Overlaps, seen["Without a support"]], ["none", "none", "none"]);
  // The free one: 0.4 · 0.3 · 0.25 m³ of 2000 kg/m³.
  assert.equal(seen["Mass of free blocks"], "60.0 kg");
  await changing(page, () => at(page, "import-accept").click());
  assert.equal(await settled(page), "stable");
  await choose(page, "head");
  assert.match(await at(page, "card-body").innerText(), /Weight\s*589 N/);
  // Lying down, as z up would have it, the lowest are both.
  await dropped(page, "tower.obj", obj([["foot", [0, 0, 0], [400, 500, 300]], ["head", [0, 500, 0], [400, 750, 300]]]));
  assert.equal((await found(page)).Supports, "2");
  await at(page, "import-cancel").click();
  assert.equal((await read(page)).name, "tower", "cancelled, what was open stays");
});

withPage("gaps and overlaps are told, and gaps joined by the distance that they need", async ({ page }) => {
  const first = await read(page);
  // 3 mm between the first two; the third lies 20 mm deep in the second.
  await dropped(page, "gaps.obj", obj([["a", [0, 0, 0], [1, 1, 1]], ["b", [0, 0, 1.003], [1, 1, 2]], ["c", [0, 0, 1.98], [1, 1, 3]]]));
  const seen = await found(page);
  assert.match(seen.Gaps, /^1, up to 3\.0\d mm$/);
  assert.match(seen.Overlaps, /^1, up to 20\.0 mm$/);
  assert.match(await at(page, "import-found").innerText(), /`b` and `a` are only 3 mm apart[^]*`b` and `c` overlap by 20 mm/);
  await at(page, "import-join").click();
  await looked(page);
  const joined = await found(page);
  assert.equal(joined.Gaps, "none");
  assert.equal(joined.Joints, "1 (4 contact points)", "the lower two are joined; blocks that overlap have no joint");
  const distance = Number(await at(page, "import-distance").inputValue());
  assert.ok(distance >= 3 && distance < 3.2, `${distance} mm`);
  assert.equal((await read(page)).revision, first.revision);
  await page.keyboard.press("Escape");
  assert.equal(await at(page, "import-dialog").isVisible(), false);
});

withPage("without supports, one button fixes the lowest; colours and counts follow at once", { onSocket: (socket) => holding(socket) }, async ({ page }) => {
  await dropped(page, "pair.obj", obj([["left", [0, 0, 0], [1, 1, 1]], ["right", [2, 0, 0], [3, 1, 1]], ["lintel", [0, 0, 1], [3, 1, 2]]]));
  await at(page, "import-supports").selectOption("none");
  await looked(page);
  assert.equal((await found(page)).Supports, "0");
  await at(page, "import-lowest").click();
  await looked(page);
  assert.equal((await found(page)).Supports, "2");
  await at(page, "import-lowest").click();
  await looked(page);
  await at(page, "import-accept").click();
  await page.waitForFunction(() => window.drystone.blocks === 3);
  await at(page, "notice").filter({ hasText: "no block is fixed" }).waitFor();
  await leftTab(page, "blocks");
  const details = () => page.locator(".row.block .row-detail").allInnerTexts();
  // Its mass of 2000 kg/m³: 2, 2 and 6 t.
  assert.deepEqual(await details(), ["2.00 t", "2.00 t", "6.00 t"]);
  await at(page, "status-model").filter({ hasText: "10.0 t" }).waitFor();
  const view = () => at(page, "view").screenshot();
  const before = await view();
  // The answer is kept back: what is seen changes all the same.
  hold();
  await at(page, "notice-action").click();
  await page.locator(".row-detail", { hasText: "support" }).first().waitFor();
  assert.deepEqual(await details(), ["support", "support", "6.00 t"]);
  assert.match(await at(page, "status-model").innerText(), /6\.00 t/);
  await rightTab(page, "check");
  assert.match(await at(page, "support-count").innerText(), /^2 supports/);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  assert.ok(!before.equals(await view()), "supports have a colour of their own");
  release();
  assert.equal(await settled(page), "stable");
  assert.equal(await at(page, "support-count").innerText(), "2 supports");
});

let held = null;
const hold = () => (held = []);
const release = () => {
  const late = held;
  held = null;
  for (const send of late) send();
};

/** A server whose answers come when they are released. */
function holding(socket) {
  const upstream = socket.connectToServer();
  upstream.onMessage((message) => (held ? held.push(() => socket.send(message)) : socket.send(message)));
}
