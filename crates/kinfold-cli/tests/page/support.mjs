// A server, a browser, and what every test needs.

import { spawn, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const { KINFOLD, CHROMIUM, SCREENSHOTS, PAGE_ASSETS } = process.env;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
mkdirSync(SCREENSHOTS, { recursive: true });

/** Servers that were started; a test that fails does not stop its own. */
const servers = new Set();

/** A folder with a server in it. */
export async function serve({ files = {}, args = [] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "kinfold-page-"));
  const spool = mkdtempSync(join(tmpdir(), "kinfold-spool-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const child = spawn(KINFOLD, ["serve", "--json", "--no-open", ...args], { cwd: folder, env: { ...process.env, TMPDIR: spool } });
  servers.add(child);
  let told = "";
  child.stderr.on("data", (text) => { told += text; });
  let out = "";
  const address = await new Promise((resolve, reject) => {
    child.stdout.on("data", (text) => {
      out += text;
      const found = /"address": "([^"]+)"/.exec(out);
      if (found) resolve(found[1]);
    });
    child.on("exit", () => reject(new Error(`kinfold serve ended: ${told}`)));
  });
  const stop = () => new Promise((resolve) => {
    if (child.exitCode !== null) return resolve(child.exitCode);
    child.on("exit", resolve);
    child.kill("SIGINT");
  });
  const end = async () => {
    const code = await stop();
    for (const gone of [folder, spool]) rmSync(gone, { recursive: true, force: true });
    return code;
  };
  return { folder, spool, address, stop, end, told: () => out + told };
}

/** A folder of its own. */
export function workplace() {
  const folder = mkdtempSync(join(tmpdir(), "kinfold-report-"));
  return {
    folder,
    write: (name, text) => writeFileSync(join(folder, name), text),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The command, in the folder of a server. */
export function command(folder, ...args) {
  return execFileSync(KINFOLD, args, { cwd: folder, encoding: "utf8" });
}

let browser = null;

/** A tab. Whatever the console or the network complains of is kept in `faults`. */
export async function tab(address, { width = 1200, height = 900, dark = false, zoom = 1 } = {}) {
  browser ??= await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  const context = await browser.newContext({
    viewport: { width: Math.round(width / zoom), height: Math.round(height / zoom) }, deviceScaleFactor: zoom,
    colorScheme: dark ? "dark" : "light", reducedMotion: "reduce", acceptDownloads: true,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  page.faults = [];
  page.on("console", (message) => { if (message.type() === "error") page.faults.push(message.text()); });
  page.on("pageerror", (error) => page.faults.push(String(error)));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(new URL(address).origin) && !url.startsWith("blob:")) page.faults.push(`asked for ${url}`);
  });
  if (PAGE_ASSETS) {
    await page.route(/\.(js|css)$/, (route) => route.fulfill({ path: join(PAGE_ASSETS, new URL(route.request().url()).pathname) }));
  }
  await page.goto(address);
  return page;
}

export async function closeBrowser() {
  for (const server of servers) server.kill("SIGINT");
  await browser?.close();
}

/** No serious fault for people who use a screen reader or a keyboard. */
export async function accessible(page) {
  // The policy of the page allows no script of others: the test reaches around it, not through it.
  const found = await page.evaluate(`(() => { const module = undefined; ${AXE}; return axe.run(document, { resultTypes: ["violations"] }); })()`);
  return found.violations.filter((fault) => ["serious", "critical"].includes(fault.impact))
    .map((fault) => `${fault.id}: ${fault.nodes.map((node) => node.target.join(" ")).slice(0, 3).join(", ")}`);
}

/** Nothing is wider than the window. */
export async function overflow(page) {
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
}

export async function picture(page, name) {
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
}

/** A page as PDF, which is left to look at. */
export async function printed(page, name) {
  return page.pdf({ path: join(SCREENSHOTS, `${name}.pdf`), preferCSSPageSize: true, printBackground: true });
}

/** The bytes of what a button downloads. */
export async function downloaded(page, name) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator(`button[data-file="${name}"]`).click()]);
  return readFileSync(await download.path());
}

/** Whole numbers below a limit, by a small generator with a seed: the same everywhere. */
export function dice(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** People by that generator. */
export function people(rows) {
  const next = dice(12345);
  const lines = ["id,age,sex,zip,education,hours,diagnosis"];
  for (let row = 0; row < rows; row += 1) {
    const age = 18 + next(40) + next(30);
    lines.push(`P${1000000 + row},${age},${"FM"[next(2)]},${10000 + next(90) * 7},${["primary", "secondary", "bachelor", "master"][next(4)]},${next(60)},d${next(25)}`);
  }
  return `${lines.join("\n")}\n`;
}
