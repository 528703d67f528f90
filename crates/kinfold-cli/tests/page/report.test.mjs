// The report that people sign, in a real browser: what it holds, how it looks on a wide and a narrow screen, in light
// and dark, and how it prints. Pictures of every view and the PDF are left to look at.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { HtmlValidate } from "html-validate";
import { accessible, closeBrowser, command, dice, overflow, people, picture, printed, tab, workplace } from "./support.mjs";

const place = workplace();
after(async () => {
  await closeBrowser();
  place.remove();
});

/** Places around three towns. */
function places(rows) {
  const next = dice(7);
  const towns = [[48.4, 9.98], [50.73, 7.1], [49.75, 6.64]];
  const near = (at) => (at + (next(2_000) - 1_000) / 10_000).toFixed(4);
  const lines = ["lat,lon,offence"];
  for (let row = 0; row < rows; row += 1) {
    const [lat, lon] = towns[next(3)];
    lines.push(`${near(lat)},${near(lon)},${["speeding", "parking", "lights"][next(3)]}`);
  }
  return `${lines.join("\n")}\n`;
}

/** Companies with figures that hang together. */
function companies(rows) {
  const next = dice(9);
  const lines = ["turnover,wages,assets,sector"];
  for (let row = 0; row < rows; row += 1) {
    const size = 1_000 + next(90_000);
    lines.push(`${size + next(9_000)},${Math.round(size / 3) + next(3_000)},${size * 2 + next(20_000)},${["retail", "metals", "foods"][next(3)]}`);
  }
  return `${lines.join("\n")}\n`;
}

const ADULT = ["--quasi", "age,sex,zip:category,education,hours", "--identifier", "id"];
// What is made: a name, a table, and the command.
const REPORTS = [
  ["diversity", people(900), ["anonymize", ...ADULT, "-k", "5", "--diversity", "diagnosis=3", "--set", "report = { target = 'diagnosis', sampling_fraction = '10%', curve = true }"]],
  ["german", people(900), ["anonymize", ...ADULT, "-k", "5", "--diversity", "diagnosis=3", "--withhold", "2%", "--set", "report = { curve = true, language = 'de' }"]],
  ["places", places(600), ["anonymize", "--quasi", "lat/lon:point", "--sensitive", "offence", "--objective", "group-size", "-k", "20", "--set", "report.curve = true"]],
  ["clusters", companies(400), ["anonymize", "--quasi", "turnover,wages,assets", "--keep", "sector", "--objective", "radius", "-k", "5"]],
  ["microaggregated", companies(400), ["anonymize", "--quasi", "turnover,wages,assets", "--keep", "sector", "--objective", "sse", "-k", "5", "--set", "report.curve = true"]],
  ["risk", people(900), ["risk", ...ADULT, "--sensitive", "diagnosis", "--population-size", "20000"]],
];

/** No rule of style: what makes a document invalid, or hard to use. */
const validator = new HtmlValidate({
  extends: ["html-validate:standard", "html-validate:document", "html-validate:a11y"],
});

before(() => {
  for (const [name, table, [call, ...flags]] of REPORTS) {
    place.write(`${name}.csv`, table);
    const release = call === "anonymize" ? ["-o", `${name}-release.csv`] : [];
    command(place.folder, call, `${name}.csv`, ...flags, ...release, "--report", `${name}.html`, "--quiet");
  }
  const [name, , [, ...flags]] = REPORTS[0];
  command(place.folder, "verify", `${name}-release.csv`, "--original", `${name}.csv`, ...flags, "--report", "verified.html", "--quiet");
  REPORTS.push(["verified", REPORTS[0][1], ["verify"]]);
});

const each = (words, check) => test(words, { timeout: 300_000 }, async (t) => {
  for (const [name, table, [call]] of REPORTS) {
    await t.test(name, () => check(name, readFileSync(join(place.folder, `${name}.html`), "utf8"), table, call));
  }
});

each("one valid page that loads nothing, runs nothing and shows no cell", async (name, html, table) => {
  assert.ok(html.length < 1_500_000, `${html.length} bytes`);
  assert.doesNotMatch(html, /<script|javascript:|https?:|@import|url\(|<img|<link|\son\w+=/i);
  const report = await validator.validateString(html, `${name}.html`);
  const faults = report.results.flatMap((result) => result.messages).map((m) => `${m.ruleId} in line ${m.line}: ${m.message}`);
  assert.deepEqual(faults, []);
  const text = html.replace(/<style>[^]*?<\/style>/g, "").replace(/<svg[^]*?<\/svg>/g, (svg) => svg.replace(/<[^>]*>/g, " "));
  const cells = new Set(table.trim().split("\n").slice(1).flatMap((line) => line.split(",")).filter((cell) => cell.length >= 4));
  assert.ok(cells.size > 50);
  for (const cell of cells) {
    const word = new RegExp(`(?<![\\w.,])${cell.replace(/[.]/g, "\\.")}(?![\\w.,]*\\w)`);
    assert.doesNotMatch(text, word, `the cell ${cell} is shown`);
  }
});

each("no overflow, no empty picture, no text cut off, accessible; wide and narrow, light and dark", async (name) => {
  for (const dark of [false, true]) {
    for (const width of [1200, 400]) {
      const page = await tab(pathToFileURL(join(place.folder, `${name}.html`)).href, { width, dark });
      const at = `${width}${dark ? "-dark" : ""}`;
      await picture(page, `report-${name}-${at}`);
      assert.ok((await overflow(page)) <= 0, `wider than the window at ${at}`);
      assert.deepEqual(await accessible(page), [], at);
      const pictures = await page.evaluate(() => [...document.querySelectorAll("svg")].map((svg) => {
        const [box, texts] = [svg.getBoundingClientRect(), [...svg.querySelectorAll("text")]];
        const marks = [...svg.querySelectorAll("rect, circle, path:not(.grid):not(.axis)")].map((mark) => mark.getBBox());
        const out = (text) => {
          const own = text.getBoundingClientRect();
          return own.left < box.left - 1 || own.right > box.right + 1 || own.bottom > box.bottom + 1;
        };
        const meet = (a, b) => {
          const [one, other] = [a.getBoundingClientRect(), b.getBoundingClientRect()];
          return one.left < other.right - 1 && other.left < one.right - 1 && one.top < other.bottom - 2 && other.top < one.bottom - 2;
        };
        return {
          title: svg.getAttribute("aria-label"),
          empty: box.width < 100 || box.height < 30 || !marks.some((mark) => mark.width > 1 || mark.height > 1),
          cut: texts.filter(out).map((text) => text.textContent),
          covered: texts.filter((a, i) => texts.slice(i + 1).some((b) => meet(a, b))).map((text) => text.textContent),
        };
      }));
      for (const { title, empty, cut, covered } of pictures) {
        assert.ok(!empty, `${title} is empty at ${at}`);
        assert.deepEqual(cut, [], `${title}: texts leave the picture at ${at}`);
        assert.deepEqual(covered, [], `${title}: texts meet at ${at}`);
      }
      assert.deepEqual(page.faults.filter((fault) => !fault.includes("file:")), []);
      await page.context().close();
    }
  }
});

each("it prints to A4 pages", async (name) => {
  const page = await tab(pathToFileURL(join(place.folder, `${name}.html`)).href, {});
  const pdf = await printed(page, `report-${name}`);
  assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
  // What is too wide for the paper makes the browser shrink the page, or is cut.
  await page.emulateMedia({ media: "print" });
  await page.setViewportSize({ width: 672, height: 1_000 });
  assert.ok((await overflow(page)) <= 0, "wider than the paper");
  const scrolls = await page.evaluate(() => [...document.querySelectorAll(".scroll")].filter((box) => box.scrollWidth > box.clientWidth + 1)
    .map((box) => box.getAttribute("aria-label")));
  assert.deepEqual(scrolls, [], "tables that are wider than the paper");
  await page.context().close();
});
