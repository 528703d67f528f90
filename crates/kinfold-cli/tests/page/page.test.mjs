// The page in a real browser: the whole way, quick hands, what goes wrong, and how it looks.

import assert from "node:assert/strict";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { accessible, closeBrowser, command, dice, downloaded, overflow, people, picture, serve, tab } from "./support.mjs";

after(closeBrowser);

const step = (page, words) => page.getByRole("button", { name: words, exact: true });
const heading = (page, words) => page.getByRole("heading", { level: 1, name: words });
const EXAMPLE = "Open the built-in example";

/** Goes to step 3 with the built-in example, and waits for its first answer. */
async function toAnswer(page) {
  await step(page, EXAMPLE).click();
  await heading(page, "What is each column?").waitFor();
  await step(page, "Go on to k").click();
  await page.locator(".tiles").waitFor();
}

/** Makes the release and waits for the verdict. */
async function publish(page, effort) {
  if (effort) await page.getByRole("radio", { name: new RegExp(`^${effort}`) }).check();
  await step(page, "Make the release").click();
  await page.locator(".released").waitFor({ timeout: 120_000 });
}

test("the whole way with the example; the release is the command's, byte for byte", async () => {
  const server = await serve();
  const page = await tab(server.address);
  assert.equal(new URL(page.url()).hash, "", "the token leaves the address bar");
  await step(page, EXAMPLE).click();
  await heading(page, "What is each column?").waitFor();

  // Menus change the text, comments stay.
  const toml = page.getByRole("textbox", { name: "Policy as TOML" });
  await page.getByLabel("Requirement of diagnosis").selectOption("diversity");
  await assert.doesNotReject(page.waitForFunction(() => /diversity = 2/.test(document.getElementById("toml").value)));
  assert.match(await toml.inputValue(), /# 02138 is a code, not a number/);
  await page.getByLabel("Weight of zip").fill("3");
  await page.getByLabel("Weight of zip").press("Tab");
  await page.waitForFunction(() => /weight = 3/.test(document.getElementById("toml").value));
  // The text changes the menus.
  await toml.fill((await toml.inputValue()).replace("weight = 0.5", "weight = 0.25"));
  await page.waitForFunction(() => [...document.querySelectorAll("input")].some((input) => input.value === "0.25"));

  await step(page, "Go on to k").click();
  await page.locator(".tiles").waitFor();
  const slider = page.getByRole("slider");
  await slider.focus();
  await page.keyboard.press("ArrowRight");
  await page.locator("#panel dd", { hasText: /^5$/ }).first().waitFor();
  await page.locator(".chart circle").nth(2).waitFor();
  assert.match(await page.locator("#panel").innerText(), /Safe/);

  await step(page, "Look at the rows").click();
  await page.getByRole("region", { name: "The release" }).locator("tbody tr").first().waitFor();
  assert.equal(await page.getByRole("region", { name: "Your table" }).locator("tbody tr").count(), 12);
  await step(page, "Next").click();
  await page.getByText("Rows 13 to 24 of 36").waitFor();

  await step(page, "Go on to publish").click();
  await publish(page);
  const policy = await downloaded(page, "policy.toml");
  assert.match(policy.toString(), /k = 5/);
  writeFileSync(join(server.folder, "policy.toml"), policy);
  writeFileSync(join(server.folder, "patients.csv"), readFileSync(new URL("../../examples/patients.csv", import.meta.url)));
  for (const name of ["release.csv", "release.parquet"]) {
    const bytes = await downloaded(page, name);
    command(server.folder, "anonymize", "patients.csv", "--policy", "policy.toml", "-o", name, "--groups", `${name}.groups`);
    assert.deepEqual(bytes, readFileSync(join(server.folder, name)), name);
  }
  assert.deepEqual(await downloaded(page, "groups.csv"), readFileSync(join(server.folder, "release.csv.groups")));
  assert.equal(JSON.parse(await downloaded(page, "report.json")).anonymize.k, 5);

  await page.getByLabel("Time", { exact: true }).selectOption("10");
  await step(page, "Prove a bound").click();
  await page.locator('button[data-file="certificate.txt"]').waitFor({ timeout: 60_000 });
  writeFileSync(join(server.folder, "proof.txt"), await downloaded(page, "certificate.txt"));
  command(server.folder, "certify", "patients.csv", "--policy", "policy.toml", "--check", "proof.txt");
  assert.deepEqual(page.faults, []);

  // Nothing of the table is in what the server told, and nothing is left of the session.
  assert.doesNotMatch(server.told(), /Birch|migraine/);
  assert.equal(readdirSync(server.spool).length, 1);
  assert.equal(await server.stop(), 0);
  assert.deepEqual(readdirSync(server.spool), []);
  await server.end();
});

test("by keyboard alone", async () => {
  const server = await serve();
  const page = await tab(server.address);
  const reach = async (words) => {
    for (let press = 0; press < 120; press += 1) {
      await page.keyboard.press("Tab");
      if (await page.evaluate((words) => document.activeElement?.textContent?.trim() === words, words)) return page.keyboard.press("Enter");
    }
    throw new Error(`${words} is not reached by Tab`);
  };
  await heading(page, "Which table?").waitFor();
  await reach(EXAMPLE);
  await heading(page, "What is each column?").waitFor();
  await reach("Go on to k");
  await page.locator(".tiles").waitFor();
  await reach("Look at the rows");
  await page.locator(".rows").first().waitFor();
  await reach("Go on to publish");
  await reach("Make the release");
  await page.locator(".released").waitFor();
  assert.deepEqual(page.faults, []);
  await server.end();
});

test("100,000 rows: quick hands, cancelling, the same bytes; several tabs", { timeout: 300_000 }, async () => {
  const server = await serve({ files: { "people.csv": people(100_000) }, args: ["people.csv"] });
  const page = await tab(server.address);
  await heading(page, "What is each column?").waitFor({ timeout: 60_000 });
  await page.getByLabel("Role of id").selectOption("identifier");
  await step(page, "Go on to k").click();
  await page.locator(".tiles").waitFor({ timeout: 60_000 });
  const slider = page.getByRole("slider");
  await slider.focus();
  for (let press = 0; press < 10; press += 1) await page.keyboard.press("ArrowRight");
  const moved = Date.now();
  await page.locator("#panel dd", { hasText: /^15$/ }).first().waitFor();
  console.log(`    100,000 rows: ${Date.now() - moved} ms from the last of ten moves to its answer`);
  assert.match(await page.locator(".headline").innerText(), /k = 15/);

  const other = await tab(server.address);
  await heading(other, "What is each column?").waitFor({ timeout: 60_000 });
  assert.match(await other.getByRole("textbox", { name: "Policy as TOML" }).inputValue(), /k = 5/);

  await step(page, "Publish").last().click();
  await page.getByRole("radio", { name: /^Deep/ }).check();
  await step(page, "Make the release").click();
  await step(page, "Cancel").click();
  await page.getByText("Stopped. Nothing was published.").waitFor();
  await publish(page, "Quick");
  writeFileSync(join(server.folder, "policy.toml"), await downloaded(page, "policy.toml"));
  command(server.folder, "anonymize", "people.csv", "--policy", "policy.toml", "--effort", "quick", "-o", "release.csv");
  assert.deepEqual(await downloaded(page, "release.csv"), readFileSync(join(server.folder, "release.csv")));
  assert.deepEqual(page.faults, []);
  await server.end();
});

test("a million rows", { timeout: 300_000 }, async () => {
  const rows = 1_000_000;
  const server = await serve({ files: { "people.csv": people(rows) }, args: ["people.csv"] });
  const page = await tab(server.address);
  await heading(page, "What is each column?").waitFor({ timeout: 120_000 });
  await page.getByText("1,000,000 rows, 7 columns").waitFor();
  await page.getByLabel("Role of id").selectOption("identifier");
  // Two quasi-identifiers: the test is about the page, not about the solver.
  for (const column of ["zip", "education", "hours"]) await page.getByLabel(`Role of ${column}`).selectOption("drop");
  await page.waitForFunction(() => (document.getElementById("toml").value.match(/"drop"/g) ?? []).length >= 3);
  await step(page, "Go on to k").click();
  await page.locator(".tiles").waitFor({ timeout: 180_000 });
  assert.match(await page.locator(".state").innerText(), /1,000,000 rows in/);
  await step(page, "Look at the rows").click();
  await page.getByText("Rows 1 to 12 of 1,000,000").waitFor();
  await page.getByRole("heading", { name: "Distributions" }).waitFor({ timeout: 120_000 });
  assert.deepEqual(page.faults, []);
  await server.end();
});

test("a release of places has a map", async () => {
  const next = dice(3);
  const degrees = (low) => (low + next(1_000) / 10_000).toFixed(4);
  const lines = Array.from({ length: 300 }, () => `${degrees(48.3)},${degrees(9.9)},${["theft", "noise"][next(2)]}`);
  const policy = 'k = 10\n[columns]\n"lat/lon" = { role = "quasi", kind = "point" }\noffence = "sensitive"\n';
  const server = await serve({ files: { "places.csv": `lat,lon,offence\n${lines.join("\n")}\n`, "places.toml": policy }, args: ["places.csv", "--policy", "places.toml"] });
  for (const [name, how] of [["wide", {}], ["narrow-dark", { width: 400, height: 800, dark: true }]]) {
    const page = await tab(server.address, how);
    await heading(page, "What is each column?").waitFor();
    await page.locator(".mistakes .good").waitFor();
    assert.equal(await page.getByText("One point with lon").count(), 1);
    await step(page, "Go on to k").click();
    await page.locator(".tiles").waitFor();
    await step(page, "Look at the rows").click();
    const map = page.getByRole("img", { name: "A map of the places that are published" });
    await map.waitFor();
    await page.waitForFunction(() => document.querySelector("img.map").naturalWidth > 100);
    await page.getByRole("heading", { name: "Distributions" }).waitFor();
    await picture(page, `${name}-6-map`);
    assert.deepEqual(await accessible(page), []);
    assert.ok((await overflow(page)) <= 0);
    assert.deepEqual(page.faults, []);
  }
  await server.end();
});

test("several tabs: a table, a policy and a release of their own; one that is closed ends no other", async () => {
  const server = await serve({ files: { "people.csv": people(300) } });
  const tabs = [];
  for (let k = 3; k <= 9; k += 1) {
    const page = await tab(server.address);
    await page.getByLabel("Path below").fill("people.csv");
    await page.getByLabel("Path below").press("Enter");
    await heading(page, "What is each column?").waitFor();
    await page.getByLabel("Role of id").selectOption("identifier");
    await page.getByLabel("k", { exact: true }).fill(String(k));
    await page.getByLabel("k", { exact: true }).press("Tab");
    await page.waitForFunction((k) => document.getElementById("toml").value.includes(`k = ${k}`), k);
    tabs.push([k, page]);
  }
  // More tabs than a browser has connections to one server.
  await Promise.all(tabs.map(async ([, page]) => step(page, "Go on to k").click()));
  for (const [k, page] of tabs) {
    await page.locator("#panel dd", { hasText: new RegExp(`^${k}$`) }).first().waitFor();
    assert.match(await page.locator(".headline").innerText(), new RegExp(`k = ${k}`));
  }
  const [, first] = tabs[0];
  await step(first, "1 File").or(first.locator("#steps button").first()).first().click();
  await step(first, "Close it").click();
  const [k, last] = tabs.at(-1);
  await last.locator("#steps button").last().click();
  await publish(last, "Quick");
  assert.match((await downloaded(last, "policy.toml")).toString(), new RegExp(`k = ${k}`));
  for (const [, page] of tabs) assert.deepEqual(page.faults, []);
  await server.end();
});

test("what is typed while an answer is on its way is kept and sent", async () => {
  const server = await serve({ files: { "people.csv": people(60) }, args: ["people.csv"] });
  const page = await tab(server.address);
  await heading(page, "What is each column?").waitFor();
  await page.route("**/policy*", async (route) => {
    await new Promise((done) => setTimeout(done, 700));
    await route.continue();
  });
  await page.getByLabel("Role of id").selectOption("drop");
  await page.getByLabel("k", { exact: true }).fill("7");
  await page.waitForFunction(() => document.getElementById("toml").value.includes('"drop"'));
  assert.equal(await page.getByLabel("k", { exact: true }).inputValue(), "7");
  await page.keyboard.press("Tab");
  await page.waitForFunction(() => document.getElementById("toml").value.includes("k = 7"));
  assert.deepEqual(page.faults, []);
  await server.end();
});

test("an answer that is late does not take away a later change", async () => {
  const server = await serve({ files: { "people.csv": people(60) }, args: ["people.csv"] });
  const page = await tab(server.address);
  await heading(page, "What is each column?").waitFor();
  let asked = 0;
  await page.route("**/policy*", async (route) => {
    asked += 1;
    const first = asked === 1;
    const response = await route.fetch();
    if (first) await new Promise((done) => setTimeout(done, 900));
    await route.fulfill({ response });
  });
  for (const column of ["id", "zip"]) await page.getByLabel(`Role of ${column}`).selectOption("drop");
  await page.waitForTimeout(2_000);
  assert.equal((await page.getByRole("textbox", { name: "Policy as TOML" }).inputValue()).match(/"drop"/g).length, 2);
  assert.equal(await page.getByLabel("Role of zip").inputValue(), "drop");
  assert.deepEqual(page.faults, []);
  await server.end();
});

test("the server stops while the page is open: the page says so by itself, and what to do", async () => {
  const server = await serve();
  const [idle, busy] = [await tab(server.address), await tab(server.address)];
  await toAnswer(idle);
  await toAnswer(busy);
  await server.stop();
  const told = (page) => page.locator("#banner .trouble", { hasText: /Start kinfold serve again/ }).waitFor({ timeout: 15_000 });
  await busy.getByRole("slider").focus();
  await busy.keyboard.press("ArrowRight");
  await told(busy);
  await told(idle);
  await picture(idle, "wide-7-stopped");
  assert.deepEqual(await accessible(idle), []);
  await server.end();
});

test("menus for forms, rounding and formats", async () => {
  const lines = Array.from({ length: 60 }, (_, i) => `${20 + (i * 7) % 50},${String(1 + (i % 28)).padStart(2, "0")}.${String(1 + (i % 12)).padStart(2, "0")}.2020,"${i % 9},${i % 10}",x${i % 4}`);
  const server = await serve({ files: { "visits.csv": `age,admitted,fee,ill\n${lines.join("\n")}\n` }, args: ["visits.csv"] });
  const page = await tab(server.address);
  await heading(page, "What is each column?").waitFor();
  const says = (words) => page.waitForFunction((words) => document.getElementById("toml").value.includes(words), words);
  for (const column of ["age", "admitted", "fee"]) await page.getByLabel(`Role of ${column}`).selectOption("quasi");
  await page.getByLabel("Role of ill").selectOption("sensitive");
  // Only what a column may need, and only when it is asked for.
  const unfold = async (column) => {
    const summary = page.locator("summary", { hasText: `Format and rounding of ${column}` });
    if (!(await summary.evaluate((element) => element.parentElement.open))) await summary.click();
  };
  await unfold("age");
  await page.getByLabel("Round ends to of age").fill("10");
  await page.getByLabel("Round ends to of age").press("Tab");
  await says("round = 10");
  await unfold("admitted");
  await page.getByLabel("Date format of admitted").fill("%d.%m.%Y");
  await page.getByLabel("Date format of admitted").press("Tab");
  await says('date = "%d.%m.%Y"');
  await page.getByLabel("Round ends to of admitted").fill("month");
  await page.getByLabel("Round ends to of admitted").press("Tab");
  await says('round = "month"');
  await unfold("fee");
  await page.getByLabel("Decimal sign of fee").selectOption(",");
  await says('decimal = ","');
  await page.getByLabel("Publish as").selectOption("bounds");
  await says('form = "bounds"');
  await page.getByLabel(/Round the ends of ranges/).check();
  await says("blunt = true");
  await page.locator(".mistakes .good").waitFor();
  assert.deepEqual(await accessible(page), []);
  await picture(page, "wide-8-further");
  await step(page, "Go on to k").click();
  await page.locator(".tiles").waitFor();
  await step(page, "Look at the rows").click();
  const head = page.getByRole("region", { name: "The release" }).locator("thead");
  await head.waitFor();
  assert.match(await head.innerText(), /age_min|age_lo|age/);
  // Another role takes along what only went with the old one.
  await page.locator("#steps button").nth(1).click();
  await page.getByLabel("Role of admitted").selectOption("drop");
  await page.waitForFunction(() => !document.getElementById("toml").value.includes('date = "%d.%m.%Y"'));
  await page.locator(".mistakes .good").waitFor();
  assert.deepEqual(page.faults, []);
  await server.end();
});

test("levels: which there are, how fine, one for all rows; another role takes them along", async () => {
  const lines = Array.from({ length: 120 }, (_, i) => `${18 + ((i * 7) % 80)},${2010 + (i % 10)}-0${1 + (i % 9)}-15,0${2100 + (i % 7) * 10 + (i % 4)},x${i % 4}`);
  const groups = 'k = 3\nwithhold = "20%"\ndrop_rest = true\n[columns]\nage = "quasi"\nadmitted = "quasi"\nzip = { role = "quasi", prefix = [4, 3] }\n'
    + 'ill = { role = "quasi", levels = { low = ["x0", "x1"], high = ["x2", "x3"] } }\n';
  const server = await serve({ files: { "visits.csv": `age,admitted,zip,ill\n${lines.join("\n")}\n`, "p.toml": groups }, args: ["visits.csv", "--policy", "p.toml"] });
  for (const [name, how] of [["wide", {}], ["narrow-dark", { width: 400, height: 800, dark: true }]]) {
    const page = await tab(server.address, how);
    await heading(page, "What is each column?").waitFor();
    const text = (words, there = true) => page.waitForFunction(([words, there]) => document.getElementById("toml").value.includes(words) === there, [words, there]);
    const unfold = async (column) => {
      const summary = page.locator("summary", { hasText: `Levels of ${column}` });
      if (!(await summary.evaluate((element) => element.parentElement.open))) await summary.click();
    };
    const type = async (label, words) => {
      await page.getByLabel(label).fill(words);
      await page.getByLabel(label).press("Tab");
    };
    await unfold("age");
    await type("Levels, finest first of age", "5, 10, 20");
    await text("levels = [5, 10, 20]");
    await page.getByLabel("Finest of age").selectOption("10");
    await text("finest = 10");
    await page.getByLabel("One level for all rows of age").selectOption("auto");
    await text('level = "auto"');
    // Fixed levels say both ends.
    await page.getByLabel("One level for all rows of age").selectOption("20");
    await text("level = 20");
    await text("finest", false);
    assert.equal(await page.getByLabel("Finest of age").count(), 0);
    await type("Top, such as 90+ of age", "80");
    await text("top = 80");
    await unfold("admitted");
    await type("Levels, finest first of admitted", "year, decade");
    await text('levels = ["year", "decade"]');
    await unfold("zip");
    await page.getByLabel("Finest of zip").selectOption("3");
    await text("finest = 3");
    await unfold("ill");
    await page.getByLabel("One level for all rows of ill").selectOption("1");
    await text("level = 1");
    await page.locator(".mistakes .good").waitFor();
    await picture(page, `${name}-9-levels`);
    assert.deepEqual(await accessible(page), []);
    assert.ok((await overflow(page)) <= 0);
    // A level that is no longer one goes with it; so does all of it with the role.
    await type("Levels, finest first of age", "10, 40");
    await text("levels = [10, 40]");
    await text("level = 20", false);
    await page.getByLabel("Role of zip").selectOption("sensitive");
    await text("prefix", false);
    await page.getByLabel("Role of ill").selectOption("keep");
    await text("x0", false);
    for (const column of ["age", "admitted"]) await page.getByLabel(`Role of ${column}`).selectOption("drop");
    for (const key of ["levels", "top", "finest"]) await text(key, false);
    await page.getByLabel("Role of age").selectOption("quasi");
    await page.locator(".mistakes .good").waitFor();
    assert.deepEqual(page.faults, []);
  }
  await server.end();
});

test("what goes wrong says what to do", async () => {
  const server = await serve({
    files: { "broken.parquet": `PAR1${"x".repeat(400)}`, "people.csv": people(60), "empty.csv": "" },
    args: ["--idle", "6s"],
  });
  const page = await tab(server.address);
  const told = (words) => page.locator(".trouble", { hasText: words }).waitFor();
  const open = async (path) => {
    await page.getByLabel("Path below").fill(path);
    await page.getByLabel("Path below").press("Enter");
  };
  await heading(page, "Which table?").waitFor();
  await open("nowhere.csv");
  await told(/Check the path/);
  await open("../../../../etc/passwd");
  await told(/outside the folder/);
  await open("broken.parquet");
  await told(/broken.parquet/);
  await open("empty.csv");
  await told(/./);
  await page.locator("#chooser").setInputFiles({ name: "rows.csv", mimeType: "text/csv", buffer: Buffer.from("a,b\n1,2\n3\n") });
  await told(/line 3|fields/i);

  await open("people.csv");
  await heading(page, "What is each column?").waitFor();
  const toml = page.getByRole("textbox", { name: "Policy as TOML" });
  const good = await toml.inputValue();
  await toml.fill("k = [");
  await page.locator(".mistakes", { hasText: /not TOML/ }).waitFor();
  assert.ok(await page.getByLabel("Role of age").isDisabled());
  await toml.fill(good.replace(/k = 5/, "k = 500"));
  await page.locator(".mistakes .good").waitFor();
  await step(page, "Go on to k").click();
  await told(/500/);
  await page.getByLabel("exactly").fill("4");
  await page.getByLabel("exactly").press("Tab");
  await page.locator(".tiles").waitFor();

  // Nobody uses the session; then the server stops.
  await page.waitForTimeout(9_000);
  await page.getByLabel("exactly").fill("6");
  await page.getByLabel("exactly").press("Tab");
  await told(/session has ended/);
  await step(page, "Open a table").click();
  await heading(page, "Which table?").waitFor();
  await server.stop();
  await step(page, EXAMPLE).click();
  await told(/Start kinfold serve again/);
  await server.end();
});

test("the token, the origin and paths outside are refused", async () => {
  const server = await serve();
  const { origin, hash } = new URL(server.address);
  const bare = await tab(`${origin}/`);
  await bare.locator(".trouble", { hasText: /token/ }).waitFor();
  const page = await tab(server.address);
  await heading(page, "Which table?").waitFor();
  // Another site in the same browser: its requests carry its own origin, whatever it knows.
  const foreign = await page.context().newPage();
  await foreign.route("http://elsewhere.test/", (route) => route.fulfill({ contentType: "text/html", body: "<p>elsewhere</p>" }));
  await foreign.goto("http://elsewhere.test/");
  const answer = await foreign.evaluate(async ([origin, token]) => {
    const ask = (mode) => fetch(`${origin}/api/start`, { mode, headers: mode === "cors" ? { Authorization: `Bearer ${token}` } : {} })
      .then((response) => response.status, () => "refused");
    return [await ask("cors"), await ask("no-cors")];
  }, [origin, hash.slice(1)]);
  assert.equal(answer[0], "refused");
  assert.ok(answer[1] === 0 || answer[1] === "refused", String(answer[1]));
  await server.end();
});

test("how it looks: every step, wide and narrow, light and dark, zoomed; for screen readers", { timeout: 300_000 }, async () => {
  const server = await serve({ files: { "visits.csv": people(2_000) } });
  const looks = [
    ["wide", {}], ["wide-dark", { dark: true }], ["narrow", { width: 400, height: 800 }],
    ["narrow-dark", { width: 400, height: 800, dark: true }], ["zoomed", { zoom: 2 }],
  ];
  for (const [name, how] of looks) {
    const page = await tab(server.address, how);
    const look = async (at) => {
      await picture(page, `${name}-${at}`);
      assert.deepEqual(await accessible(page), [], `${name} ${at}`);
      assert.ok((await overflow(page)) <= 0, `${name} ${at} is wider than the window`);
    };
    await heading(page, "Which table?").waitFor();
    await look("1-file");
    await step(page, EXAMPLE).click();
    await heading(page, "What is each column?").waitFor();
    await look("2-columns");
    await step(page, "Go on to k").click();
    await page.locator(".tiles").waitFor();
    await page.locator(".chart circle").nth(4).waitFor();
    await look("3-k");
    await step(page, "Look at the rows").click();
    await page.getByRole("heading", { name: "Distributions" }).waitFor();
    await look("4-compare");
    await step(page, "Go on to publish").click();
    await publish(page);
    await page.getByLabel("Time", { exact: true }).selectOption("10");
    await step(page, "Prove a bound").click();
    await page.locator('button[data-file="certificate.txt"]').waitFor({ timeout: 60_000 });
    await look("5-publish");
    assert.deepEqual(page.faults, []);
    await page.context().close();
  }
  await server.end();
});
