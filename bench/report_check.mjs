// Opens reports in a browser: nothing overflows at 1,200 and 400 pixels in light and dark, axe-core finds no
// serious fault, the Nu HTML checker no error; pictures of every view and a PDF are left to look at.
//
//   npm install playwright-core axe-core vnu-jar     (and a Chromium and a Java on the machine)
//   node bench/report_check.mjs OUT_FOLDER report.html…
//
// CHROMIUM names the browser if it is not /usr/bin/chromium. Exit code 1 if anything is wrong.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(join(process.cwd(), 'package.json'));
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const [folder, ...files] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
let faults = 0;
const fault = (file, text) => { faults += 1; console.log(`${basename(file)}: ${text}`); };
for (const file of files) {
  const name = basename(file, '.html');
  if (statSync(file).size > 1.5e6) fault(file, `${statSync(file).size} bytes`);
  try {
    execFileSync('java', ['-jar', require.resolve('vnu-jar'), '--errors-only', file], { stdio: 'pipe' });
  } catch (error) {
    fault(file, `not valid HTML: ${error.stderr}`);
  }
  for (const colorScheme of ['light', 'dark']) {
    for (const width of [1200, 400]) {
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
      const page = await context.newPage();
      page.on('console', (message) => fault(file, `console: ${message.text()}`));
      page.on('request', (request) => request.url().startsWith('file:') || fault(file, `asks for ${request.url()}`));
      await page.goto(pathToFileURL(resolve(file)).href);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (wide > 0) fault(file, `${wide} px too wide at ${width}`);
      const empty = await page.evaluate(() => [...document.querySelectorAll('svg')].filter((svg) => {
        const box = svg.getBoundingClientRect();
        return box.width < 100 || box.height < 30 || !svg.querySelector('rect, path');
      }).length);
      if (empty) fault(file, `${empty} empty pictures at ${width}`);
      const cut = await page.evaluate(() => [...document.querySelectorAll('svg text')].filter((text) => {
        const [box, frame] = [text.getBoundingClientRect(), text.ownerSVGElement.getBoundingClientRect()];
        return box.left < frame.left - 1 || box.right > frame.right + 1 || box.bottom > frame.bottom + 1;
      }).map((text) => text.textContent));
      if (cut.length) fault(file, `texts leave their picture at ${width}: ${cut.join(' | ')}`);
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      for (const found of violations.filter((v) => ['serious', 'critical'].includes(v.impact))) {
        fault(file, `axe ${colorScheme} ${width}: ${found.id}: ${found.nodes[0].html}`);
      }
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`), fullPage: true });
      if (width === 1200 && colorScheme === 'light') {
        await page.pdf({ path: join(folder, `${name}.pdf`), preferCSSPageSize: true, printBackground: true });
      }
      await context.close();
    }
  }
  console.log(`${name}: looked at`);
}
await browser.close();
process.exit(faults ? 1 : 0);
