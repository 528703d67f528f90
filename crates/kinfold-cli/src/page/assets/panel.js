// The panel that is always there: what the release is at the moment.

import { h, loss, oneIn, percent, put, whole } from "./dom.js";
import { app, unit } from "./page.js";

export function showPanel() {
  const panel = document.getElementById("panel");
  const made = app.step === 4 && app.published ? app.published : app.answer ?? app.published;
  if (!app.inspection) return void put(panel);
  const from = (before, after) => [h("span", { class: "before" }, before), h("span", { class: "to", "aria-label": "then" }, " → "), h("strong", {}, after)];
  const fact = (name, ...value) => h("div", {}, h("dt", {}, name), h("dd", {}, value));
  const facts = made && [
    fact("k", h("strong", {}, whole(made.k))),
    fact("Smallest group", h("strong", {}, whole(made.report.smallest_group))),
    fact(`Unique ${unit()}`, from(percent(made.before.unique), percent(made.after.unique))),
    fact("Highest risk", from(oneIn(Math.round(1 / made.before.highest_risk)), oneIn(Math.round(1 / made.after.highest_risk)))),
    fact("Loss per cell", h("strong", {}, loss(made.report.average_loss))),
    fact("Left out", h("strong", {}, made.report.withheld ? `${whole(made.report.withheld)} rows` : "nobody")),
  ];
  put(panel, 
    h("h2", {}, app.name),
    h("p", { class: "faint rows" }, `${whole(app.inspection.rows)} rows, ${whole(app.inspection.columns.length)} columns`),
    made ? verdict(made) : h("p", { class: "verdict none" }, "No release yet"),
    facts ? h("dl", { class: app.working ? "facts stale" : "facts" }, facts) : null,
    made ? h("p", { class: "faint" }, made === app.published ? "The published release" : "A quick answer; publishing takes more effort and loses less") : null);
}

/** Safe: the verifier has passed it, or there would be no release. */
function verdict(made) {
  const unprotected = made.report.reached.filter((reached) => !reached.required && reached.one_value_people > 0);
  return h("div", { class: "verdict safe" },
    h("p", {}, h("strong", {}, "Safe"), ` for k = ${whole(made.k)}`),
    unprotected.map((reached) => h("p", { class: "warn" },
      `${reached.column}: ${percent(reached.one_value_share)} of ${unit()} are in groups with one value only. A requirement in step 2 prevents it.`)));
}
