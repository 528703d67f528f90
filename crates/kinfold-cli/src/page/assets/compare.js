// Step 4: the same rows before and after, what a person's risk was and is, maps of places.

import { ask } from "./api.js";
import { distribution } from "./charts.js";
import { h, oneIn, percent, put, trouble, whole } from "./dom.js";
import { app, go, lost, unit } from "./page.js";

const AT_ONCE = 12;

export function showCompare(main) {
  const rows = h("div", {});
  const picture = h("div", {});
  const figures = h("div", {}, h("p", { class: "busy", role: "status" }, "Comparing the table with the release …"));
  const which = app.answer ? "answer" : "published";
  const status = h("p", { class: "faint", role: "status" });
  let from = 0;
  const most = app.inspection.rows;
  const to = (start) => { from = Math.max(0, Math.min(start, Math.floor((most - 1) / AT_ONCE) * AT_ONCE)); load(); };
  const button = (words, start) => h("button", { type: "button", onclick: () => to(start()) }, words);

  async function load() {
    try {
      const shown = await ask("GET", `/api/sessions/${app.session}/rows?of=${which}&from=${from}&count=${AT_ONCE}`);
      status.textContent = `Rows ${whole(from + 1)} to ${whole(from + shown.list.length)} of ${whole(shown.rows)}`;
      put(rows, sideBySide(shown));
    } catch (error) {
      lost(error) || put(rows, trouble(error));
    }
  }

  async function map() {
    const places = Object.values(app.policy.said?.columns ?? {}).some((column) => column.regions || column.kind === "region" || column.kind === "point");
    if (!places && !app.policy.said?.metric?.points) return;
    try {
      const response = await ask("GET", `/api/sessions/${app.session}/map?of=${which}`, undefined, { raw: true });
      const url = URL.createObjectURL(await response.blob());
      put(picture, h("section", { class: "card" }, h("h2", {}, "The places of the release"), h("img", { class: "map", src: url, alt: "A map of the places that are published" })));
    } catch (error) {
      lost(error) || put(picture, trouble(error));
    }
  }

  async function compare() {
    try {
      const facts = await ask("GET", `/api/sessions/${app.session}/facts?of=${which}`);
      put(figures, risks(facts), facts.utility ? distributions(facts.utility) : null);
    } catch (error) {
      lost(error) || put(figures, trouble(error));
    }
  }

  put(main, 
    h("h1", {}, "Before and after"),
    h("p", { class: "lead" }, "The same rows as they are in your table, and as they would be published. Only you see this page."),
    h("div", { class: "pager" },
      button("First", () => 0), button("Back", () => from - AT_ONCE), button("Next", () => from + AT_ONCE),
      button("Any row", () => Math.floor(Math.random() * most / AT_ONCE) * AT_ONCE), status),
    rows, figures, picture,
    h("p", { class: "onward" }, h("button", { type: "button", class: "main", onclick: () => go(4) }, "Go on to publish")));
  load();
  compare();
  map();
}

function sideBySide(shown) {
  const quasi = new Set(shown.columns.filter((column) => column.role === "quasi").map((column) => column.name));
  const gone = (role) => role === "identifier" || role === "drop" || role === "person" || role === "setup";
  const kept = (name) => (quasi.has(name) ? "quasi" : null);
  const head = (names) => h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "row"), h("th", { scope: "col" }, "risk"), names));
  const risk = (alike) => h("td", { class: alike === 1 ? "number bad" : "number" }, oneIn(alike));
  const before = h("table", { class: "rows" }, h("caption", {}, "Your table"),
    head(shown.columns.map((column) => h("th", { scope: "col", class: gone(column.role) ? "gone" : kept(column.name) }, column.name))),
    h("tbody", {}, shown.list.map((row) => h("tr", {}, h("th", { scope: "row" }, whole(row.row)), risk(row.alike_before),
      row.before.map((cell, at) => h("td", { class: gone(shown.columns[at].role) ? "gone" : null }, cell))))));
  const after = h("table", { class: "rows" }, h("caption", {}, "The release"),
    head(shown.released.map((name) => h("th", { scope: "col", class: kept(name) }, name))),
    h("tbody", {}, shown.list.map((row) => h("tr", {}, h("th", { scope: "row" }, whole(row.row)), risk(row.alike_after),
      row.after
        ? row.after.map((cell, at) => h("td", { class: quasi.has(shown.released[at]) ? "said" : null, title: cell?.length > 24 ? cell : null }, cell ?? ""))
        : h("td", { colspan: shown.released.length, class: "left-out" }, "left out")))));
  const scroll = (table, name) => h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": name }, table);
  return h("div", { class: "sides" }, scroll(before, "Your table"), scroll(after, "The release"));
}

/** Who is at risk before and after, against somebody who knows that a person is in the table. */
function risks({ before, after }) {
  if (!before || !after) return null;
  const row = (name, figure) => h("tr", {}, h("th", { scope: "row" }, name), [before, after].map((risk) => h("td", { class: "number" }, figure(risk))));
  return h("section", { class: "card" }, h("h2", {}, "What the risk was and is"),
    h("div", { class: "scroll plain", tabindex: "0", role: "region", "aria-label": "Risk before and after" },
      h("table", { class: "figures" }, h("caption", { class: "faint" }, "Against somebody who knows that a person is in the table"),
        h("thead", {}, h("tr", {}, h("td", {}), h("th", { scope: "col" }, "before"), h("th", { scope: "col" }, "after"))),
        h("tbody", {},
          row("Highest risk of anybody", (risk) => percent(risk.prosecutor.highest)),
          row("Average risk", (risk) => percent(risk.prosecutor.average)),
          after.prosecutor.above.map((limit, at) => row(`Share of ${unit()} at a risk above ${percent(limit.threshold)}`, (risk) => percent(risk.prosecutor.above[at].share)))))));
}

function distributions(utility) {
  return h("section", { class: "card" }, h("h2", {}, "Distributions"),
    h("p", { class: "faint" }, h("span", { class: "key old" }, "before"), " and ", h("span", { class: "key now" }, "after"),
      ". All values that a cell covers count as equally likely."),
    h("div", { class: "charts" }, utility.columns.map((column) => distribution(column))));
}
