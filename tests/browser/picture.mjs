// picture.mjs REPORT PICTURE CHROMIUM: takes a picture of the upper part of a report. Modules are in the folder that NODE_MODULES
// names.
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.env.NODE_MODULES, "x.js"));
const { chromium } = require("playwright-core");
const [report, path, executablePath] = process.argv.slice(2);

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"] });
const page = await browser.newPage({ viewport: { width: 1100, height: 820 }, colorScheme: "light" });
await page.goto(`file://${report}`, { waitUntil: "load" });
await page.screenshot({ path });
await browser.close();
