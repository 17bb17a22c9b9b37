/** Files that are no models: the page says so in words and keeps what it shows. */

import assert from "node:assert/strict";
import { changing, read, withPage } from "../harness.mjs";
import { acceptImport, at, choose, drop, fillVector, openRecipe, rightTab } from "../steps.mjs";

const BAD = [
  { name: "no-blocks.json", text: JSON.stringify({ drystone: 1, name: "nothing" }) },
  { name: "letter.txt", text: "Dear mason,\nthe arch will stand.\n" },
  { name: "broken.json", text: '{"blocks": [' },
  // A single triangle encloses nothing.
  { name: "sheet.obj", text: "o sheet\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n" },
];

withPage("dropping what is no model tells why, naming the file, and changes nothing", async ({ page, t }) => {
  await openRecipe(page, "stack");
  const before = await read(page);
  for (const file of BAD) {
    await drop(page, [file]);
    const notice = at(page, "notice");
    await notice.filter({ hasText: file.name }).waitFor();
    const text = (await notice.innerText()).trim();
    t.diagnostic(`${file.name}: ${text.replaceAll("\n", " / ")}`);
    assert.ok(text.length < 600, `a few sentences: ${text}`);
    assert.doesNotMatch(text, /undefined|\[object|null|panicked|\bat line\b.*\bat line\b/i);
    assert.equal(await notice.getAttribute("role"), "alert");
    assert.deepEqual(await read(page), before, file.name);
    await at(page, "notice-dismiss").click();
    assert.equal(await notice.isVisible(), false);
  }
});

withPage("a dropped solid is opened and asked about", async ({ page }) => {
  const corners = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]];
  const faces = [[1, 4, 3, 2], [5, 6, 7, 8], [1, 2, 6, 5], [2, 3, 7, 6], [3, 4, 8, 7], [4, 1, 5, 8]];
  const text = ["o cube", ...corners.map((v) => `v ${v.join(" ")}`), ...faces.map((f) => `f ${f.join(" ")}`)].join("\n");
  await drop(page, [{ name: "cube.obj", text }]);
  await acceptImport(page, "none");
  await page.waitForFunction(() => window.drystone.blocks === 1);
  assert.equal((await read(page)).name, "cube");
  // Nothing carries it, which is told; a copy under it, fixed, does.
  await at(page, "notice").filter({ hasText: "no block is fixed" }).waitFor();
  await choose(page, "cube");
  await rightTab(page, "edit");
  await changing(page, () => at(page, "duplicate").click(), false);
  await fillVector(page, "move", [0, 1.25, -1]);
  await changing(page, () => at(page, "move").click(), false);
  assert.equal(await changing(page, () => at(page, "fix").click()), "stable");
});
