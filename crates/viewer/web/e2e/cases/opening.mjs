/** Files of other programs, and what the program was started with: models, and runs that are finished or damaged. */

import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Server, changing, drystone, folder, kept, read, settled, visit, withPage } from "../harness.mjs";
import { SOLIDS } from "../solids.mjs";
import { acceptImport, at, downloaded, drop, leftTab, openRecipe, rightTab, type } from "../steps.mjs";

const upside = (page, index) => page.locator(".row.block").nth(index);

for (const { name, data, carried } of SOLIDS)
  withPage(`${name}: a cube on a cube is dropped, and stands once the lower is fixed`, async ({ page }) => {
    await drop(page, [{ name, bytes: [...Buffer.from(data)] }]);
    // Brick files are in metres and tell their supports.
    if (!name.includes("brick")) await acceptImport(page, "as_read");
    await page.waitForFunction(() => window.drystone.blocks === 2);
    await at(page, "status-model").filter({ hasText: "2 blocks · 1 joint · 4 contact points" }).waitFor();
    assert.equal((await read(page)).name, name.slice(0, name.lastIndexOf(".")));
    if (carried) assert.equal(await settled(page), "stable");
    else {
      await at(page, "notice").filter({ hasText: "press Fix under Edit" }).waitFor();
      await leftTab(page, "blocks");
      await rightTab(page, "edit");
      await upside(page, 0).click();
      assert.equal(await changing(page, () => at(page, "fix").click()), "stable");
      assert.equal(await at(page, "notice").isVisible(), false, "what was missing is there");
    }
    // Held at its head alone, the lower one falls.
    await leftTab(page, "blocks");
    await rightTab(page, "edit");
    await upside(page, 1).click();
    await changing(page, () => at(page, "fix").click(), false);
    await upside(page, 0).click();
    assert.equal(await changing(page, () => at(page, "free").click()), "unstable");
  });

withPage("files that belong together are dropped together: bricks and the motion of their ground", async ({ page }) => {
  const { name, data } = SOLIDS.find((each) => each.name.includes("brick"));
  const motion = Array.from({ length: 21 }, (_, k) => `${(k / 20).toFixed(2)},${(0.02 * Math.sin((Math.PI * k) / 20)).toFixed(6)}`).join("\n");
  await drop(page, [{ name, text: data }, { name: "cubes_motionfile.txt", text: motion }]);
  await page.waitForFunction(() => window.drystone.blocks === 2);
  assert.equal(await settled(page), "stable");
  await rightTab(page, "shake");
  await at(page, "shake-kind").selectOption("model");
  await type(page, "shake-duration-number", 1);
  await at(page, "shake-start").click();
  await page.waitForFunction(() => window.drystone.run === "ended");
  const csv = await downloaded(page, () => at(page, "export-csv").click());
  const [head, ...rows] = csv.bytes.toString("utf8").trim().split("\n").map((row) => row.split(","));
  const ground = rows.map((row) => Math.abs(Number(row[head.indexOf("ground_x_m")])));
  assert.ok(Math.abs(Math.max(...ground) - 0.02) < 1e-3, `the ground goes as far as ${Math.max(...ground)}`);
  // One that fits nothing is refused, and the cubes stay.
  await drop(page, [{ name: "alone_motionfile.txt", text: motion }]);
  await at(page, "notice").filter({ hasText: "need the brick file they belong to" }).waitFor();
  assert.equal((await read(page)).blocks, 2);
});

/** A page of a server that was started with something. */
async function started(words, act, options = {}) {
  const server = await Server.start("--port", "0", ...words);
  const { context, page, complaints } = await visit({ url: server.url, ...options });
  try {
    await act(page, server.url);
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
    await server.kill();
  }
}

test("`drystone view FILE` opens that file, also one of another program", async () => {
  drystone("new", "column", "-o", "column.json", "--quiet");
  const blocks = JSON.parse(await readFile(join(folder, "column.json"), "utf8")).blocks.length;
  await started([join(folder, "column.json")], async (page) => {
    assert.deepEqual([(await read(page)).name, (await read(page)).blocks], ["column", blocks]);
    assert.equal(await settled(page), "stable");
  });
  const { data } = SOLIDS.find(({ name }) => name === "cubes.json");
  await writeFile(join(folder, "cubes.json"), data);
  await started([join(folder, "cubes.json")], async (page, url) => {
    await page.goto(url.href);
    await acceptImport(page, "as_read");
    assert.equal(await settled(page), "stable");
    assert.deepEqual([(await read(page)).name, (await read(page)).blocks], ["cubes", 2]);
  }, { bare: true });
});

test("a record beside a model in a folder of the folder is found, also after a reload and for the model of a run", async () => {
  const place = await mkdtemp(join(tmpdir(), "drystone-models-"));
  try {
    await mkdir(join(place, "bridge"));
    drystone("new", "stack", "-o", join(place, "bridge", "stack.json"), "--quiet");
    const model = JSON.parse(await readFile(join(place, "bridge", "stack.json"), "utf8"));
    model.motions = { quake: { record: { path: "quake.csv" } } };
    await writeFile(join(place, "bridge", "stack.json"), JSON.stringify(model));
    await writeFile(join(place, "bridge", "quake.csv"), Array.from({ length: 21 }, (_, k) => `${(k / 20).toFixed(2)},${(0.05 * Math.sin((Math.PI * k) / 10)).toFixed(6)}`).join("\n"));
    drystone("simulate", join(place, "bridge", "stack.json"), "--duration", "0.1", "--dt", "0.01", "-o", join(place, "bridge", "run"), "--quiet");
    await started([place], async (page) => {
      await leftTab(page, "open");
      await changing(page, () => at(page, "file-bridge/stack.json").click());
      for (const then of ["opened", "reloaded", "run"]) {
        if (then === "reloaded") {
          await kept(page, 11);
          await page.reload();
          await settled(page);
          assert.equal((await read(page)).name, "stack");
        }
        if (then === "run") {
          await leftTab(page, "open");
          await changing(page, () => at(page, "file-bridge/run").click());
        }
        await rightTab(page, "shake");
        await at(page, "shake-kind").selectOption("model");
        await type(page, "shake-duration-number", 0.5);
        await at(page, "shake-start").click();
        await page.waitForFunction(() => window.drystone.run === "ended");
        assert.ok((await read(page)).frames > 20);
        assert.equal(await at(page, "notice").isVisible(), false);
      }
    });
  } finally {
    await rm(place, { recursive: true });
  }
});

/** Makes a run of one second, and gives its folder. */
async function finished() {
  const place = await mkdtemp(join(tmpdir(), "drystone-run-"));
  drystone("new", "column", "-o", join(place, "column.json"), "--quiet");
  drystone("simulate", join(place, "column.json"), "--duration", "1", "--dt", "0.01", "--motion", "sine:amplitude=2,frequency_hz=2,direction=x", "-o", join(place, "run"), "--quiet");
  return place;
}

const shownTime = async (page) => Number.parseFloat(await at(page, "time").innerText());

test("`drystone view RUN` shows the run, from its beginning to its end", async () => {
  const place = await finished();
  try {
    await started([join(place, "run")], async (page) => {
      await page.waitForFunction(() => window.drystone.run === "ended");
      const { frames, name } = await read(page);
      assert.equal(name, "column");
      assert.ok(frames > 10, `${frames} frames`);
      assert.equal(await at(page, "timeline").isVisible(), true);
      const scrub = at(page, "scrub");
      assert.ok(Math.abs(Number(await scrub.getAttribute("max")) - 1) < 1e-6, "the timeline is as long as the run");
      await scrub.fill("0.5");
      assert.ok(Math.abs((await shownTime(page)) - 0.5) < 0.02);
      await scrub.focus();
      await page.keyboard.press("End");
      assert.equal(await shownTime(page), 1);
      await rightTab(page, "shake");
      await at(page, "right-panel-shake").getByText(`1.00 s, ${frames} frames`).waitFor();
      // Played from its end it begins anew, and stops where it ends.
      await at(page, "speed").selectOption("2");
      await at(page, "play").click();
      await page.waitForFunction(() => Number.parseFloat(document.querySelector("[data-testid=time]").textContent) < 1);
      await page.waitForFunction(() => Number.parseFloat(document.querySelector("[data-testid=time]").textContent) === 1);
      await page.waitForFunction(() => document.querySelector("[data-testid=play]").getAttribute("aria-pressed") === "false");
      const csv = await downloaded(page, () => at(page, "export-csv").click());
      const rows = csv.bytes.toString("utf8").trim().split("\n");
      assert.equal(rows.length, 1 + frames, "a row for each frame");
      assert.match(rows.at(-1), /^1,/);
      // A reload shows the run again.
      await page.reload();
      await page.waitForFunction((count) => window.drystone.run === "ended" && window.drystone.frames === count, frames);
      await at(page, "leave-run").click();
      assert.equal(await settled(page), "stable", "the model at rest is asked about");
    });
  } finally {
    await rm(place, { recursive: true });
  }
});

test("a run that was kept does not come back as the run of another folder", async () => {
  const place = await mkdtemp(join(tmpdir(), "drystone-runs-"));
  for (const [where, recipe] of [["one", "column"], ["two", "stack"]]) {
    await mkdir(join(place, where, "runs"), { recursive: true });
    const file = join(place, where, "runs", "model.json");
    drystone("new", recipe, "-o", file, "--quiet");
    drystone("simulate", file, "--duration", "0.2", "--dt", "0.01", "-o", join(place, where, "runs", "run"), "--quiet");
  }
  let server = await Server.start("--port", "0", join(place, "one", "runs"));
  const { context, page } = await visit({ url: server.url });
  const again = async (where) => {
    const port = server.url.port;
    await server.kill();
    server = await Server.start("--port", port, join(place, where, "runs"));
    await page.goto(server.url.href);
    await page.waitForFunction(() => window.drystone?.connected && window.drystone.name);
  };
  try {
    await leftTab(page, "open");
    await at(page, "file-run").click();
    await page.waitForFunction(() => window.drystone.run === "ended" && window.drystone.name === "column");
    await kept(page, 8);
    await page.reload();
    await page.waitForFunction(() => window.drystone?.run === "ended" && window.drystone.name === "column");
    await again("two");
    await settled(page);
    assert.deepEqual([(await read(page)).name, (await read(page)).run], ["column", null]);
  } finally {
    await context.close();
    await server.kill();
    await rm(place, { recursive: true });
  }
});

/** Ways to damage a run, and what is said of each. */
const DAMAGES = [
  ["its model cut short", async (run) => truncate(join(run, "model.json"), 200), /model\.json: not a whole JSON file/],
  ["its frames cut short", async (run) => truncate(join(run, "blocks.parquet"), 300), /blocks\.parquet cannot be read/],
  ["its steps no table", async (run) => writeFile(join(run, "steps.parquet"), "no table"), /steps\.parquet cannot be read/],
  ["a model of another run", async (run) => writeFile(join(run, "model.json"), await readFile(join(folder, "other.json"))), /blocks\.parquet is of another model: it moves \d+ blocks, model\.json has 11/],
];

test("a damaged run is told with the file that is damaged, and the page goes on", async (t) => {
  const place = await finished();
  drystone("new", "stack", "-o", "other.json", "--quiet");
  try {
    for (const [index, [, damage]] of DAMAGES.entries()) {
      await cp(join(place, "run"), join(place, `damaged-${index}`), { recursive: true });
      await damage(join(place, `damaged-${index}`));
    }
    // From the list: what was open stays.
    await started([place], async (page) => {
      await openRecipe(page, "stack");
      const before = await read(page);
      for (const [index, [what, , says]] of DAMAGES.entries()) {
        await leftTab(page, "open");
        await at(page, `file-damaged-${index}`).click();
        const notice = at(page, "notice").filter({ hasText: `damaged-${index}` });
        await notice.waitFor();
        t.diagnostic(`${what}: ${(await notice.innerText()).trim().replaceAll("\n", " / ")}`);
        assert.match(await notice.innerText(), says, what);
        assert.deepEqual(await read(page), before, what);
        await at(page, "notice-dismiss").click();
      }
      // A sound one opens after that.
      await at(page, "file-run").click();
      await page.waitForFunction(() => window.drystone.run === "ended" && window.drystone.name === "column");
    });
    // From the command line: the page has something else to show, and says why.
    for (const [index, [what, , says]] of DAMAGES.slice(0, 2).entries())
      await started([join(place, `damaged-${index}`)], async (page) => {
        assert.match(await at(page, "notice").innerText(), says, what);
        assert.equal((await read(page)).name, "spandrel-arch");
        await openRecipe(page, "stack");
        assert.equal((await read(page)).name, "stack");
      });
  } finally {
    await rm(place, { recursive: true });
  }
});
