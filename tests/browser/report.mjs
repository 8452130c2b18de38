// report.mjs FOLDER CHROMIUM: opens every report in the folder in a browser, and fails unless it looks, filters and is
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

const shown = (page) => page.locator("#matrix > tbody:visible").count();

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
    assert.equal(await page.locator("form:visible").count(), 0, `${name}: filters are printed`);
    for (const body of await page.locator("details > :not(summary)").all()) assert.ok(await body.isVisible(), `${name}: details are not printed`);
    await shot(page, `${name}-print`);
  });
  await open(name, { javaScriptEnabled: false }, async (page) => {
    assert.equal(await page.locator("form:visible").count(), 0, `${name}: filters without a script`);
    const details = page.locator("summary").first();
    if (await details.count()) {
      await details.click();
      assert.ok(await page.locator("details[open]").count(), `${name}: details open without a script`);
    }
  });
}

// The matrix of a check: search, verdicts, targets, keyboard.
async function filters() {
  await open("check-each_verdict.html", {}, async (page) => {
    const status = page.getByRole("status");
    assert.equal(await shown(page), 6);
    assert.equal(await status.textContent(), "6 of 6 shown");
    await page.getByRole("searchbox").fill("25-OLD");
    await page.waitForFunction(() => document.querySelector("[role=status]").textContent.startsWith("1 "));
    assert.equal(await shown(page), 1);
    await page.getByRole("checkbox", { name: "deprecated" }).check();
    assert.equal(await shown(page), 0);
    await page.getByRole("checkbox", { name: "removed" }).check();
    assert.equal(await shown(page), 1);
    await page.getByRole("button", { name: "Reset" }).click();
    await page.waitForFunction(() => document.querySelector("[role=status]").textContent.startsWith("6 "));
    await page.getByRole("button", { name: "Expand all" }).click();
    assert.equal(await page.locator("details[open]").count(), 6);
    await page.getByRole("button", { name: "Collapse all" }).click();
    assert.equal(await page.locator("details[open]").count(), 0);
  });
  await open("check-several_targets.html", {}, async (page) => {
    await page.getByRole("checkbox", { name: "removed" }).check();
    assert.equal(await shown(page), 1);
    await page.getByRole("combobox").selectOption({ label: "containerd@2.4" });
    assert.equal(await shown(page), 0);
    await page.getByRole("combobox").selectOption({ label: "containerd@2.7" });
    assert.equal(await shown(page), 1);
  });
  await open("check-suppressed.html", {}, async (page) => {
    await page.getByRole("checkbox", { name: "suppressed" }).check();
    assert.equal(await shown(page), 2);
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
    for (const what of ["input", "button"]) assert.ok(seen.indexOf(what) < seen.indexOf("summary"), what);
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

// A large report keeps the details of a row as text until they are opened, printed, or shown without a script.
async function lazy() {
  const name = "check-many-hostile.html";
  const details = (page) => page.locator("#matrix details dl:visible");
  await open(name, {}, async (page) => {
    assert.equal(await page.locator("#matrix dl").count(), 0, "details are laid out at once");
    await page.locator("summary").first().click();
    await page.waitForFunction(() => document.querySelector("#matrix details[open] dl"));
    assert.ok(await details(page).count() > 0, "details do not open");
    // The rule that a finding links to, and a word of the details, are found before they are opened.
    await page.locator("input[type=search]").fill("type descriptors");
    await page.waitForFunction(() => document.querySelector("[role=status]").textContent.startsWith("300 "));
    await page.locator("input[type=search]").fill("noscript");
    await page.waitForFunction(() => document.querySelector("[role=status]").textContent.startsWith("0 "));
    await page.locator("input[type=search]").fill("document.title='owned'");
    await page.waitForFunction(() => document.querySelector("[role=status]").textContent.startsWith("300 "));
    await page.getByRole("button", { name: "Expand all" }).click();
    assert.equal(await page.locator("#matrix noscript").count(), 0, "details stay closed");
    assert.equal(await page.evaluate(() => document.querySelectorAll("#matrix img, #matrix script, #matrix svg").length), 0, "a name acts");
    assert.ok((await page.evaluate(() => document.querySelector("#matrix details").textContent)).includes("<img src=x"), "a name is lost");
    await isAccessible(page, name);
  });
  await open(name, {}, async (page) => {
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    assert.equal(await page.locator("#matrix noscript").count(), 0, "details are not printed");
  });
  await open(name, { javaScriptEnabled: false }, async (page) => {
    await page.locator("summary").first().click();
    assert.ok(await details(page).count() > 0, "details need a script");
  });
}

// 5,000 plugins: the time until the page is loaded and painted, and that of a first filter, which reads all rows.
async function many() {
  await open("check-many.html", {}, async (page, loaded) => {
    const painted = await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now())))));
    const start = Date.now();
    const search = page.locator("input[type=search]");
    await search.fill("ulimit");
    await page.waitForFunction(() => document.querySelector("[role=status]").textContent.startsWith("625 "));
    console.log(`5,000 plugins: loaded after ${loaded} ms, painted after ${Math.round(painted)} ms, filtered in ${Date.now() - start} ms`);
    await search.fill("");
    await page.waitForFunction(() => document.querySelector("[role=status]").textContent.startsWith("5,000 "));
  });
}

try {
  const names = readdirSync(folder).filter((name) => name.endsWith(".html"));
  assert.ok(names.length > 9, "no reports");
  for (const name of names) await looks(name);
  await filters();
  await keyboard();
  await hostile();
  await lazy();
  await many();
  console.log(`${names.length} reports are as they should be`);
} finally {
  await browser.close();
}
