// Step 5: the release that is published, its files, and how far it can be from the best.

import { download, job, stopped } from "./api.js";
import { gapOverTime } from "./charts.js";
import { announce, h, loss, percent, plural, put, select, span, trouble, whole } from "./dom.js";
import { app, changed, go, lost, unit } from "./page.js";

const EFFORTS = [
  ["quick", "Quick", "milliseconds to seconds"],
  ["normal", "Normal", "about a tenth of a millisecond per row"],
  ["deep", "Deep", "about ten times as long as normal"],
];
const FORMATS = [["release.csv", "CSV"], ["release.csv.gz", "CSV, gzipped"], ["release.parquet", "Parquet"], ["release.arrow", "Arrow"]];

export function showPublish(main) {
  const told = h("div", {});
  const result = h("div", {});
  let running = null;
  let effort = "normal";
  const seed = h("input", { id: "seed", type: "number", min: 0, value: 0 });
  const start = h("button", { type: "button", class: "main", onclick: publish }, "Make the release");
  const choose = h("fieldset", {}, h("legend", {}, "Effort"), EFFORTS.map(([value, words, about]) =>
    h("label", { class: "radio" }, h("input", { type: "radio", name: "effort", value, checked: value === effort, onchange: () => { effort = value; } }),
      h("span", {}, words, h("span", { class: "faint" }, ` ${about}`)))));

  async function publish() {
    const bar = progress("Making the release", () => running.stop());
    start.disabled = true;
    put(told, bar.root);
    put(result);
    app.published = null;
    changed();
    running = job(app.session, { kind: "publish", how: { effort, seed: seed.valueAsNumber || 0 } }, bar.show);
    try {
      app.published = await running.result;
      put(told);
      announce("The release is ready and verified");
      draw();
    } catch (error) {
      put(told);
      if (stopped(error)) told.append(h("p", { role: "status" }, "Stopped. Nothing was published."));
      else lost(error) || told.append(trouble(error));
    }
    start.disabled = false;
    changed();
  }

  function draw() {
    put(result, verdict(app.published), files(), certify());
  }

  function certify() {
    const box = h("section", { class: "card" });
    const shown = h("div", {});
    const time = select({ id: "seconds" }, [["10", "10 seconds"], ["60", "1 minute"], ["300", "5 minutes"], ["1800", "30 minutes"]], "60");
    const begin = h("button", { type: "button", onclick: prove }, "Prove a bound");
    async function prove() {
      const bar = progress("Proving", () => running.stop());
      const plot = h("div", {});
      let trail = [];
      begin.disabled = true;
      put(shown, bar.root, plot);
      running = job(app.session, { kind: "certify", how: { time_limit: Number(time.value) } }, (news) => {
        bar.show(news);
        trail = news.trail;
        put(plot, gapOverTime(trail));
      });
      try {
        const proven = await running.result;
        const cells = proven.loss > 0 ? proven.average_loss / proven.loss : 0;
        const last = [...(trail.length ? [[trail.at(-1)[0] + 0.1]] : [[0], [1]])].map(([second]) => [second, proven.average_loss, (proven.bound ?? 0) * cells]);
        const words = proven.gap === null ? "No bound was proven in this time. Allow more."
          : proven.gap === 0 ? "No release loses less: this one is optimal."
          : `No release loses less than ${loss(proven.bound * cells)} per cell, which is ${percent(proven.gap)} below this one${proven.bound_for ? ` (a bound for ${proven.bound_for})` : ""}.`;
        put(shown, h("p", { role: "status" }, h("strong", {}, words)), gapOverTime([...trail, ...last]),
          h("p", {}, fileButton("certificate.txt", "Certificate"), h("span", { class: "faint" }, " kinfold certify --check reads it")));
        announce(words);
      } catch (error) {
        put(shown);
        if (stopped(error)) shown.append(h("p", { role: "status" }, "Stopped."));
        else lost(error) || shown.append(trouble(error));
      }
      begin.disabled = false;
    }
    box.append(h("h2", {}, "How far from the best?"),
      h("p", {}, "A proof says how little any release could lose. It runs in the background; the release does not change."),
      h("p", { class: "joined" }, h("label", { for: "seconds" }, "Time "), time, begin), shown);
    return box;
  }

  const ready = app.policy.mistakes.length === 0;
  put(main, 
    h("h1", {}, "Publish"),
    h("p", { class: "lead" }, "The release is made with the policy of step 2 and k = ", h("strong", {}, whole(app.policy.said?.k ?? 0)), ", and read back by the verifier. The command writes the same file."),
    ready
      ? h("div", { class: "card making" }, choose, h("div", {}, h("label", { for: "seed" }, "Seed"), seed), h("p", {}, start))
      : h("div", {}, trouble({ what: "The policy has mistakes", hint: "Correct them in step 2", mistakes: app.policy.mistakes }),
        h("p", {}, h("button", { type: "button", onclick: () => go(1) }, "Go to step 2"))),
    told, result);
  if (app.published) draw();
  return () => running?.stop();
}

function progress(words, cancel) {
  const bar = h("progress", { max: 1, "aria-label": words });
  const line = h("p", { class: "faint" }, "starting …");
  const show = (news) => {
    if (news.done === null || news.done === undefined) bar.removeAttribute("value");
    else bar.value = news.done;
    line.textContent = [news.phase, news.done ? percent(news.done) : null, news.loss ? `loss ${loss(news.loss)}` : null, news.bound ? `bound ${loss(news.bound)}` : null].filter(Boolean).join(" · ");
  };
  return { show, root: h("div", { class: "card progress" }, h("p", {}, h("strong", {}, `${words} …`)), bar, line, h("button", { type: "button", onclick: cancel }, "Cancel")) };
}

function verdict({ report, before, after, why, notes }) {
  const facts = [
    `The verifier read the release back: ${plural(report.released, "row", "rows")} in ${plural(report.groups, "group", "groups")} of ${span(report.smallest_group, report.largest_group)} ${unit()}.`,
    `Every row equals at least ${whole(report.smallest_group - 1)} others on the quasi-identifiers. Before, ${percent(before.unique)} of ${unit()} were unique; now ${percent(after.unique)} are.`,
    ...report.models.map((model) => `${model.fulfilled === null ? "Not decided" : model.fulfilled ? "Fulfilled" : "Not fulfilled"}: ${model.model}.`),
    report.withheld ? `${plural(report.withheld, "row is", "rows are")} left out.` : "Nobody is left out.",
    `The average loss is ${loss(report.average_loss)} per cell.${report.gap === null ? "" : ` The least possible loss is at most ${percent(report.gap)} lower${report.bound_for ? ` (a bound for ${report.bound_for})` : ""}.`}`,
    `Solver: ${report.solver}${why ? `, because ${why}` : ""}. ${report.seconds.total.toFixed(report.seconds.total < 1 ? 2 : 1)} seconds.`,
  ];
  return h("section", { class: "card released" }, h("h2", {}, h("span", { class: "badge" }, "Safe"), ` for k = ${whole(report.k)}`),
    h("ul", {}, facts.map((fact) => h("li", {}, fact))),
    h("p", { class: "faint" }, "k-anonymity has limits: read the threat model before you publish."),
    notes.length ? h("details", { class: "notes" }, h("summary", {}, plural(notes.length, "note", "notes")), h("ul", {}, notes.map((note) => h("li", {}, note)))) : null);
}

function files() {
  return h("section", { class: "card" }, h("h2", {}, "Files"),
    h("div", { class: "downloads" }, FORMATS.map(([name, words]) => fileButton(name, words))),
    h("div", { class: "downloads" }, fileButton("report.html", "Report"), fileButton("report.json", "Figures (JSON)"), fileButton("policy.toml", "Policy"), fileButton("groups.csv", "Groups"),
      app.published.lookup ? fileButton("lookup.csv", "Lookup (part of the release)") : null),
    h("p", { class: "faint" }, "The groups file links the release to your table: it is confidential."));
}

function fileButton(name, words) {
  const button = h("button", { type: "button", "data-file": name, onclick: async () => {
    button.disabled = true;
    try {
      await download(`/api/sessions/${app.session}/files/${name}`, name);
    } catch (error) {
      lost(error) || button.after(trouble(error));
    }
    button.disabled = false;
  } }, words);
  return button;
}
