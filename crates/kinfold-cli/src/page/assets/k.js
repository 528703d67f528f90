// Step 3: the slider, and what k costs.

import { job, stopped } from "./api.js";
import { columnLoss, curve, groupSizes } from "./charts.js";
import { announce, h, later, loss, oneIn, percent, plural, put, span, trouble, whole } from "./dom.js";
import { app, changed, go, lost, policyWithoutK, setPolicy, unit } from "./page.js";

export function showK(main) {
  const { choices: ks, curve: others } = app.ks;
  let k = Math.max(2, Number(app.policy.said?.k) || 5);
  let running = null;
  let filling = null;
  const nearest = () => ks.reduce((best, other, i) => (Math.abs(other - k) < Math.abs(ks[best] - k) ? i : best), 0);

  const slider = h("input", { id: "k", type: "range", min: 0, max: ks.length - 1, step: 1, value: nearest(), oninput: () => move(ks[slider.valueAsNumber], slider) });
  const exact = h("input", { id: "k-exact", type: "number", min: 2, value: k, onchange: () => exact.valueAsNumber >= 2 && move(Math.floor(exact.valueAsNumber), exact) });
  const headline = h("p", { class: "headline" });
  const state = h("p", { class: "state" });
  const answer = h("div", { class: "answer" });
  const curveAt = h("section", { class: "card" });

  function move(to, from) {
    k = to;
    if (from !== slider) slider.value = nearest();
    if (from !== exact) exact.value = k;
    label();
    filling?.stop();
    running?.stop();
    running = null;
    app.working = true;
    state.textContent = "Working …";
    answer.classList.add("stale");
    changed();
    ask_for_answer();
  }

  function label() {
    slider.setAttribute("aria-valuetext", `k = ${k}`);
    put(headline, h("strong", {}, `k = ${whole(k)}`), `: every row equals at least ${whole(k - 1)} other${k === 2 ? "" : "s"} on the quasi-identifiers`);
    drawCurve();
  }

  const ask_for_answer = later(40, async () => {
    const mine = k;
    try {
      await setPolicy([{ key: "k", value: mine }]);
      if (mine !== k) return;
      running = job(app.session, { kind: "answer" }, (news) => {
        if (mine === k) state.textContent = `Working: ${news.phase ?? "starting"} …`;
      });
      const result = await running.result;
      if (mine !== k) return;
      app.answer = result;
      app.working = false;
      note(mine, result.report);
      draw();
      announce(`k = ${mine}: loss ${loss(result.report.average_loss)} per cell, smallest group ${result.report.smallest_group}`);
      changed();
      fill();
    } catch (error) {
      if (stopped(error) || mine !== k) return;
      app.working = false;
      app.answer = null;
      state.textContent = "";
      answer.classList.remove("stale");
      lost(error) || put(answer, trouble(error), h("p", {},
        h("button", { type: "button", onclick: () => go(1) }, "Change the policy"), " ", "or choose another k."));
      changed();
    }
  });

  function note(at, { average_loss, smallest_group }) {
    app.curve.of ??= policyWithoutK();
    app.curve.points.set(at, { loss: average_loss, risk: 1 / smallest_group });
    drawCurve();
  }

  /** Figures for other ks while nobody is moving the slider. */
  async function fill() {
    const mine = k;
    for (const next of others) {
      if (mine !== k || app.step !== 2) return;
      if (app.curve.points.has(next)) continue;
      filling = job(app.session, { kind: "point", k: next });
      try {
        note(next, await filling.result);
      } catch (error) {
        if (stopped(error) || lost(error)) return;
        // What this k cannot fulfil is no point of the curve.
      }
    }
  }

  const drawCurve = () => put(curveAt, h("h2", {}, "k against its cost"), curve(app.curve.points, k));

  function draw() {
    const made = app.answer;
    if (!made) return;
    const { report, before, after } = made;
    answer.classList.remove("stale");
    state.textContent = `${plural(report.rows, "row", "rows")} in ${plural(report.groups, "group", "groups")} of ${span(report.smallest_group, report.largest_group)} ${unit()}, in ${(report.seconds.total * 1000).toFixed(0)} ms`;
    const tile = (name, value, about) => h("div", { class: "tile" }, h("dt", {}, name), h("dd", {}, h("strong", {}, value), h("span", { class: "faint" }, about)));
    put(answer, 
      h("dl", { class: "tiles" },
        tile("Loss per cell", loss(report.average_loss), "0 keeps everything, 1 loses everything"),
        tile("Highest risk", oneIn(Math.round(1 / after.highest_risk)), `of being found again; before: ${oneIn(Math.round(1 / before.highest_risk))}`),
        tile(`Unique ${unit()}`, percent(after.unique), `before: ${percent(before.unique)}`),
        tile("Left out", report.withheld ? plural(report.withheld, "row", "rows") : "nobody", report.withheld ? percent(report.withheld / report.rows) : "every row is published")),
      report.models.length ? h("p", {}, "Fulfilled: ", report.models.map((model) => model.model).join("; ")) : null,
      h("div", { class: "charts" },
        report.columns.length ? h("section", { class: "card" }, h("h2", {}, "Where the loss is"), columnLoss(report.columns)) : null,
        h("section", { class: "card" }, h("h2", {}, "Group sizes before and after"), groupSizes(before.sizes, after.sizes, report.k, unit()))),
      made.notes.length ? h("details", { class: "notes" }, h("summary", {}, plural(made.notes.length, "note", "notes")), h("ul", {}, made.notes.map((note) => h("li", {}, note)))) : null);
  }

  put(main, 
    h("h1", {}, "How large must groups be?"),
    headline,
    h("div", { class: "slider" },
      h("label", { for: "k", class: "unseen" }, "k, the smallest size of a group"), slider,
      h("span", { class: "exact" }, h("label", { for: "k-exact" }, "exactly "), exact)),
    state, answer, curveAt,
    h("p", { class: "onward" }, h("button", { type: "button", class: "main", onclick: () => go(3) }, "Look at the rows"), " ",
      h("button", { type: "button", onclick: () => go(4) }, "Publish")));
  label();
  if (app.policy.mistakes.length > 0) {
    put(answer, trouble({ what: "The policy has mistakes", hint: "Correct them in step 2", mistakes: app.policy.mistakes }));
  } else if (app.answer && app.answer.k === k) {
    draw();
    fill();
  } else {
    move(k, null);
  }
  return () => { running?.stop(); filling?.stop(); app.working = false; };
}
