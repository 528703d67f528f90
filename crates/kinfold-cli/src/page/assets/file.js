// Step 1: which table.

import { ask } from "./api.js";
import { bytes, h, put, trouble, whole } from "./dom.js";
import { app, close, enter, go, lost } from "./page.js";

export function showFile(main) {
  const told = h("div", { "aria-live": "polite" });
  const open = async (start) => {
    put(told, h("p", { class: "busy" }, "Reading the table …"));
    try {
      const { session } = await start();
      await enter(session, (state) => {
        const rows = state.rows ? ` ${whole(state.rows)} rows` : "";
        put(told, h("p", { class: "busy" }, `${state.phase === "inspecting" ? "Looking at the columns" : "Reading the table"} …${rows}`));
      });
      go(1);
    } catch (error) {
      put(told);
      lost(error) || told.append(trouble(error));
    }
  };
  const path = (name) => open(() => ask("POST", "/api/sessions", { path: name }));
  const upload = (file) => open(() => ask("POST", `/api/uploads?name=${encodeURIComponent(file.name)}`, file));

  const input = h("input", { id: "path", type: "text", spellcheck: "false", autocomplete: "off", placeholder: "folder/table.csv" });
  const chooser = h("input", { id: "chooser", type: "file", class: "unseen", tabindex: "-1", onchange: () => chooser.files[0] && upload(chooser.files[0]) });
  const drop = h("div", { class: "drop" },
    h("p", {}, h("strong", {}, "Drop a table here"), h("br"), "CSV, also gzipped; Parquet; Arrow"),
    h("button", { type: "button", onclick: () => chooser.click() }, "Choose a file …"),
    h("label", { class: "unseen", for: "chooser" }, "Table"), chooser);
  drop.addEventListener("dragover", () => drop.classList.add("over"));
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    drop.classList.remove("over");
    const file = event.dataTransfer?.files[0];
    if (file) upload(file);
  });

  const { table, tables, folder } = app.start;
  const listed = tables.map((found) => h("li", {}, h("button", { type: "button", class: "link", onclick: () => path(found.path) }, found.path),
    h("span", { class: "faint" }, ` ${bytes(found.bytes)}`)));
  put(main, 
    h("h1", {}, "Which table?"),
    h("p", { class: "lead" }, "The table stays on this machine. Nothing is sent anywhere."),
    app.inspection ? h("p", { class: "open" }, "Open now: ", h("strong", {}, app.name), ` (${whole(app.inspection.rows)} rows). `,
      h("button", { type: "button", onclick: () => go(1) }, "Go on"), " ", h("button", { type: "button", class: "plain", onclick: close }, "Close it")) : null,
    told,
    table && !app.inspection ? h("p", {}, h("button", { type: "button", class: "main", onclick: () => path(table) }, `Open ${table}`)) : null,
    h("div", { class: "halves" },
      drop,
      h("section", { class: "card" },
        h("h2", {}, "From the folder"),
        h("form", { onsubmit: (event) => { event.preventDefault(); if (input.value.trim()) path(input.value.trim()); } },
          h("label", { for: "path" }, "Path below ", h("code", {}, folder)),
          h("div", { class: "joined" }, input, h("button", { type: "submit" }, "Open"))),
        listed.length ? h("ul", { class: "files", tabindex: "0", "aria-label": "Tables in the folder" }, listed) : h("p", { class: "faint" }, "There is no table in this folder."))),
    h("p", { class: "example" }, "No table at hand? ",
      h("button", { type: "button", onclick: () => open(() => ask("POST", "/api/sessions", { example: true })) }, "Open the built-in example"),
      h("span", { class: "faint" }, " 36 patients, with a policy")));
  // The table of the command line is what the user came for.
  if (table && !app.inspection && !app.offered) {
    app.offered = true;
    path(table);
  }
}
