// report.mjs FOLDER CHROMIUM: opens every report in the folder in a browser, and fails unless it looks, is searched and is
// read as it should. Modules are in the folder that NODE_MODULES names. With SHOTS, writes pictures into that folder.
import { createRequire } from "node:module";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";

const require = createRequire(join(process.env.NODE_MODULES, "x.js"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const [folder, executablePath] = process.argv.slice(2);
const QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];
const HOSTILE_TITLE = "owned";

const browser = await chromium.launch({ executablePath, args: QUIET });

// Runs `use` on a page that fails on any request, message or violation of the policy.
async function open(name, options, use) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const faults = [];
  page.on("request", (request) => { if (!request.url().startsWith("file:") || request.resourceType() !== "document") faults.push(`request of ${request.url()}`); });
  page.on("console", (message) => faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("dialog", (dialog) => { faults.push(`dialog ${dialog.message()}`); dialog.dismiss(); });
  await page.addInitScript(() => {
    window.violations = [];
    document.addEventListener("securitypolicyviolation", (event) => window.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
  });
  const start = Date.now();
  await page.goto(`file://${join(folder, name)}`, { waitUntil: "load" });
  const loaded = Date.now() - start;
  await use(page, loaded);
  if (options.javaScriptEnabled !== false) faults.push(...await page.evaluate(() => window.violations));
  assert.notEqual(await page.title(), HOSTILE_TITLE, name);
  assert.deepEqual(faults, [], name);
  await context.close();
}

async function shot(page, name) {
  if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, `${name}.png`), fullPage: true });
}

// Asserts that axe finds nothing, with all details open so that it sees their content.
async function isAccessible(page, name) {
  await page.evaluate(() => { for (const it of document.querySelectorAll("details")) it.open = true; });
  // The policy of the page forbids scripts of others, so the checker runs from the debugger, outside of it.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  }));
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`);
  assert.deepEqual(found, [], name);
}

// Asserts that nothing is wider than the page: what needs more room scrolls in a region of its own.
async function fits(page, name) {
  const [content, room] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  assert.ok(content <= room, `${name}: ${content} px in ${room} px`);
}

const shown = (page) => page.locator("section[aria-labelledby=plugins] tbody > tr:visible").count();

// Searches, and waits until the page says how many rows it shows.
async function search(page, words, status) {
  await page.getByRole("searchbox").fill(words);
  await page.waitForFunction((text) => document.querySelector("[role=status]").textContent.startsWith(text), status);
}

async function looks(name) {
  const small = !name.includes("many");
  for (const colorScheme of ["light", "dark"]) {
    await open(name, { colorScheme }, async (page) => {
      await fits(page, name);
      if (small) {
        await isAccessible(page, `${name}, ${colorScheme}`);
        await shot(page, `${name}-${colorScheme}`);
      }
    });
  }
  if (!small) return;
  // 640 px are a screen of 1280 px at a zoom of 200 %; 320 px are 400 %, or a small phone.
  for (const width of [640, 320]) {
    await open(name, { viewport: { width, height: 700 } }, async (page) => {
      await fits(page, `${name} at ${width} px`);
      await isAccessible(page, `${name} at ${width} px`);
      await shot(page, `${name}-${width}`);
    });
  }
  await open(name, {}, async (page) => {
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.locator("form:visible").count(), 0, `${name}: the search is printed`);
    for (const body of await page.locator("details > :not(summary)").all()) assert.ok(await body.isVisible(), `${name}: details are not printed`);
    await shot(page, `${name}-print`);
  });
  await open(name, { javaScriptEnabled: false }, async (page) => {
    assert.equal(await page.locator("form:visible").count(), 0, `${name}: a search without a script`);
    const details = page.locator("summary").first();
    if (await details.count()) {
      await details.click();
      assert.ok(await page.locator("details[open]").count(), `${name}: details open without a script`);
    }
  });
}

// The rows of all tables that contain every word are shown: a plugin, its findings, and others like them.
async function searches() {
  await open("check-each_verdict.html", {}, async (page) => {
    const all = await page.locator("tbody > tr").count();
    assert.equal(await page.getByRole("status").textContent(), `${all} of ${all} rows shown`);
    assert.equal(await shown(page), 6);
    await search(page, "25-OLD removed", "2 ");
    assert.equal(await shown(page), 1);
    // The evidence is found before it is opened.
    await search(page, "function table", "7 ");
    assert.equal(await shown(page), 6);
    await search(page, "25-old nowhere", "0 ");
    await search(page, "", `${all} `);
    assert.equal(await shown(page), 6);
  });
}

// Every control is reached with Tab, in the order of the page; Enter opens details; the skip link leads to the report.
async function keyboard() {
  await open("check-each_verdict.html", {}, async (page) => {
    const seen = [];
    for (let step = 0; step < 40; step += 1) {
      await page.keyboard.press("Tab");
      const focus = await page.evaluate(() => {
        const it = document.activeElement;
        const box = it.getBoundingClientRect();
        const visible = box.width > 0 && getComputedStyle(it).outlineStyle !== "none";
        return it === document.body ? null : { what: it.localName, y: box.top + scrollY, visible };
      });
      if (!focus) break;
      assert.ok(focus.visible, `${focus.what} shows no focus`);
      seen.push(focus.what);
    }
    assert.equal(seen.filter((what) => what === "summary").length, 6, seen.join());
    assert.ok(seen.indexOf("input") < seen.indexOf("summary"), "the search comes after the rows");
    await page.locator("summary").first().focus();
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("details[open]").count(), 1);
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("details[open]").count(), 0);
  });
}

// Names arrive as they are, in the tree that the browser builds, and make no elements.
async function hostile() {
  for (const name of ["merge-hostile.html", "diff-hostile.html", "check-hostile.html"]) {
    await open(name, {}, async (page) => {
      const foreign = await page.evaluate(() => [...document.querySelectorAll("img, iframe, object, embed, base, svg[onload], body script ~ script")].length);
      assert.equal(foreign, 0, name);
      const text = await page.evaluate(() => document.body.textContent);
      if (name !== "check-hostile.html") assert.ok(text.includes("<img src=x onerror=\"document.title='owned'\">"), name);
      assert.ok(!/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u.test(text), `${name}: a character acts`);
    });
  }
}

// 5,000 plugins: the time until the page is loaded and painted, and that of a first search, which reads all rows.
async function many() {
  await open("check-many.html", {}, async (page, loaded) => {
    const painted = await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now())))));
    const all = (await page.getByRole("status").textContent()).split(" ")[0];
    const start = Date.now();
    await page.getByRole("searchbox").fill("ulimit");
    await page.waitForFunction((all) => !document.querySelector("[role=status]").textContent.startsWith(all), all);
    console.log(`5,000 plugins: loaded after ${loaded} ms, painted after ${Math.round(painted)} ms, searched in ${Date.now() - start} ms`);
    assert.equal(await shown(page), 625);
    await search(page, "", `${all} `);
    assert.equal(await shown(page), 5000);
  });
}

try {
  const names = readdirSync(folder).filter((name) => name.endsWith(".html"));
  assert.ok(names.length > 9, "no reports");
  for (const name of names) await looks(name);
  await searches();
  await keyboard();
  await hostile();
  await many();
  console.log(`${names.length} reports are as they should be`);
} finally {
  await browser.close();
}
