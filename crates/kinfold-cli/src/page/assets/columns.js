// Step 2: what each column is. Menus on the left, the same policy as text on the right.

import { ask } from "./api.js";
import { h, percent, put, select, trouble, whole } from "./dom.js";
import { app, changed, go, lost, setPolicy } from "./page.js";
import { policyEditor } from "./policy.js";

const ROLES = [
  ["", "choose …"], ["quasi", "quasi-identifier"], ["identifier", "identifier"], ["person", "person"], ["sensitive", "sensitive"],
  ["keep", "keep"], ["drop", "drop"], ["count", "count"], ["setup", "set-up cost"],
];
const MEANS = {
  quasi: "Generalized in groups", identifier: "Removed", person: "Removed; k counts distinct persons", sensitive: "Published unchanged",
  keep: "Published unchanged", drop: "Removed", count: "People per row; published", setup: "Removed; cost of a group", "": "Needs a role",
};
const KINDS = ["numeric", "date", "ordinal", "category", "prefix", "hierarchy", "region"];
const MODELS = [
  ["", "none"],
  ["diversity", "ℓ-diversity (distinct values)"],
  ["closeness", "t-closeness"],
  ["likeness", "β-likeness"],
  ["disclosure", "δ-disclosure"],
];
const FIRST = { diversity: 2, closeness: 0.3, likeness: 2, disclosure: 2 };
const OBJECTIVES = [
  ["", "ncp: least information loss"], ["stars", "stars: fewest suppressed cells"], ["columns", "columns: fewest suppressed columns"],
  ["radius", "radius: smallest clusters"], ["cellular", "cellular: sum of radii"], ["sse", "sse: microaggregation"],
  ["group-size", "group-size: smallest largest group"],
];

/** Columns whose further menus are open. */
const unfolded = new Set();
/** Forms to choose from; the other objectives have one each. */
const FORMS = [
  ["", "ranges: [35-44]"], ["bounds", "bounds: a column for each end"], ["midpoint", "midpoint: middle and width"],
  ["codes", "codes: a label per group, with a lookup file"],
];
const RECODINGS = [["", "each group by itself"], ["global", "all rows: one level per column"]];
/** What is said of levels. */
const LEVELS = ["levels", "level", "finest", "coarsest", "top", "bottom", "origin", "unknown"];
const WKT = ["wkt", "wkt: shapes for maps"];

export function showColumns(main) {
  const told = h("div", {});
  const cards = h("div", { class: "cards" });
  const top = h("div", { class: "settings" });
  const next = h("button", { type: "button", class: "main", onclick: () => go(2) }, "Go on to k");
  const editor = policyEditor(() => draw());
  const change = async (changes, { focus } = {}) => {
    try {
      await setPolicy(changes);
      app.answer = null;
      put(told);
    } catch (error) {
      lost(error) || put(told, trouble(error));
    }
    editor.draw();
    draw();
    changed();
    if (focus) document.getElementById(focus)?.focus();
  };

  function draw() {
    const { said } = app.policy;
    // Text that is no TOML: the menus wait until it is.
    const readable = said !== null;
    const active = document.activeElement;
    // What is being typed is not sent yet: an answer that comes meanwhile must not take it away.
    const typed = active?.matches(".settings input, .cards input") ? active.value : null;
    put(top, ...settings(said ?? {}, change));
    put(cards, ...app.inspection.columns.map((column, at) => card(column, at, said?.columns?.[column.name] ?? {}, pointOf(said, column.name), change)));
    for (const control of [...top.querySelectorAll("input, select"), ...cards.querySelectorAll("input, select")]) control.disabled = !readable;
    next.disabled = app.policy.mistakes.length > 0;
    const again = active?.id && active.id !== "toml" ? document.getElementById(active.id) : null;
    again?.focus();
    if (again && again.type !== "checkbox" && typed !== null && again.value !== typed) {
      again.value = typed;
      again.addEventListener("blur", () => again.dispatchEvent(new Event("change")), { once: true });
    }
  }
  draw();
  const { unique_together, telling } = app.inspection;
  put(main, 
    h("h1", {}, "What is each column?"),
    h("p", { class: "lead" }, h("strong", {}, percent(unique_together)), " of the rows are unique on the columns drafted as quasi-identifiers.",
      telling ? ` ${telling.columns.join(", ")} alone make ${percent(telling.unique)} unique.` : ""),
    told,
    h("div", { class: "beside" }, h("div", {}, top, cards), editor.root),
    h("p", { class: "onward" }, next));
}

function settings(said, change) {
  const setting = (key, label, control) => h("div", {}, h("label", { for: `set-${key}` }, label), control);
  const number = (text) => (text === "" ? null : Number(text));
  return [
    setting("k", "k", h("input", { id: "set-k", type: "number", min: 2, value: said.k ?? "", onchange: (e) => change([{ key: "k", value: number(e.target.value) }]) })),
    setting("withhold", "May be left out", h("input", {
      id: "set-withhold", type: "text", inputmode: "decimal", size: 5, placeholder: "0%", value: said.withhold ?? "",
      onchange: (e) => change([{ key: "withhold", value: e.target.value.trim() || null }]),
    })),
    setting("objective", "Minimise", select({ id: "set-objective", onchange: (e) => change([{ key: "objective", value: e.target.value || null }, { key: "form", value: null }, ...(["", "stars"].includes(e.target.value) ? [] : [{ key: "recoding", value: null }])]) },
      OBJECTIVES, said.objective === "ncp" ? "" : said.objective ?? "")),
    ...recodings(said, change, setting),
    ...forms(said, change, setting),
  ];
}

/** Whether values are coded group by group, where there is a choice. */
function recodings(said, change, setting) {
  if (!["", "ncp", "stars"].includes(said.objective ?? "")) return [];
  const chosen = said.recoding === "local" ? "" : said.recoding ?? "";
  return [setting("recoding", "Recode", select({ id: "set-recoding", onchange: (e) => change([{ key: "recoding", value: e.target.value || null }]) }, RECODINGS, chosen))];
}

/** How groups are published, where there is a choice. */
function forms(said, change, setting) {
  if (!["", "ncp", "group-size"].includes(said.objective ?? "")) return [];
  const points = Object.values(said.columns ?? {}).some((column) => column.kind === "point");
  const form = said.form === "ranges" ? "" : said.form ?? "";
  return [
    setting("form", "Publish as", select({ id: "set-form", onchange: (e) => change([{ key: "form", value: e.target.value || null }]) }, points ? [...FORMS, WKT] : FORMS, form)),
    h("div", { class: "check" },
      h("input", { id: "set-blunt", type: "checkbox", checked: said.blunt === true, onchange: (e) => change([{ key: "blunt", value: e.target.checked || null }]) }),
      h("label", { for: "set-blunt" }, "Round the ends of ranges, so that they are nobody’s value")),
  ];
}

/** The name of the point, `LAT/LON`, that a column is a coordinate of. */
const pointOf = (said, name) => Object.entries(said?.columns ?? {}).find(([key, own]) => own.kind === "point" && key.split("/").includes(name))?.[0];

function card(column, at, said, point, change) {
  const id = (what) => `column-${at}-${what}`;
  const set = (key, value, more = []) => change([{ column: column.name, key, value }, ...more.map(([key, value]) => ({ column: column.name, key, value }))]);
  const facts = [`${whole(column.distinct)} distinct`, `${percent(column.unique)} unique`];
  if (column.missing > 0) facts.push(`${percent(column.missing)} missing`);
  const role = said.role ?? "";
  const heading = h("div", { class: "heading" }, h("h2", { id: id("name") }, column.name), h("span", { class: "faint" }, `${column.kind} · ${facts.join(" · ")}`));
  if (point && !role) {
    const other = point.split("/").find((name) => name !== column.name);
    return h("section", { class: "column quasi", "aria-labelledby": id("name") }, heading,
      h("p", { class: "faint reason" }, `One point with ${other}: a quasi-identifier, published as a rectangle. The text says how, at “${point}”.`));
  }
  const reason = role === column.role ? `Why: ${column.reason}` : `Drafted as ${column.role}: ${column.reason}`;
  return h("section", { class: `column ${role}`, "aria-labelledby": id("name") },
    heading,
    h("div", { class: "menus" },
      field(id("role"), "Role", column.name, select({ id: id("role"), onchange: (e) => set("role", e.target.value || null, cleared(said, e.target.value)) }, ROLES, role)),
      role === "quasi" ? quasi(column, said, id, set) : null,
      role === "sensitive" ? sensitive(column, said, id, set) : null,
      role === "keep" || role === "sensitive" ? acknowledge(column, said, id, set) : null),
    role === "quasi" || (role === "sensitive" && ["closeness", "date", "decimal"].some((key) => said[key] !== undefined)) ? further(column, said, id, set) : null,
    role === "quasi" ? levels(column, said, id, set) : null,
    h("p", { class: "faint reason" }, `${said.level !== undefined && !said.values && role !== "quasi" ? "Published on one level" : MEANS[role] ?? ""}. `, reason, column.note ? h("br") : null, column.note));
}

const field = (id, label, of, control) => h("div", {}, h("label", { for: id }, label, h("span", { class: "unseen" }, ` of ${of}`)), control);

/** What goes with the old role only. */
function cleared(said, role) {
  const own = { quasi: ["weight", "domain", "round", "unit", "regions", "nodes"], sensitive: ["diversity", "closeness", "likeness", "disclosure", "values"] };
  const kinds = role === "quasi" || role === "sensitive" ? [] : ["kind", "order", "prefix", "hierarchy", "date", "decimal"];
  // Codes are published as they are, unless a level is said of them.
  if (role === "sensitive" && said.prefix) kinds.push("prefix", ...(said.kind === "prefix" ? ["kind"] : []));
  const keys = [...LEVELS, ...(role === "sensitive" ? [] : own.sensitive), ...(role === "quasi" ? [] : own.quasi), ...kinds];
  if (role !== "keep" && role !== "sensitive") keys.push("acknowledge");
  return keys.filter((key) => said[key] !== undefined).map((key) => [key, null]);
}

/** The kind that the policy gives a column, by itself or by another key; empty: inferred. */
const kindOf = (said) => said.kind ?? (said.order ? "ordinal" : said.hierarchy ? "hierarchy" : said.regions ? "region"
  : said.prefix ? "prefix" : said.date ? "date" : said.decimal ? "numeric" : !said.levels ? ""
  : !Array.isArray(said.levels) ? "category" : typeof said.levels[0] === "number" ? "numeric" : "date");

/** A number where one is typed. */
const numeral = (typed) => (typed !== "" && Number.isFinite(Number(typed)) ? Number(typed) : typed);

/** Menus that few columns need, folded up. */
function folded(column, title, used, fields) {
  const key = `${title} of ${column.name}`;
  return h("details", { class: "further", open: used || unfolded.has(key), ontoggle: (e) => (e.target.open ? unfolded.add(key) : unfolded.delete(key)) },
    h("summary", {}, title, h("span", { class: "unseen" }, ` of ${column.name}`)), h("div", { class: "menus" }, fields));
}

/** A field of text for a key of a column. */
const textField = (column, said, id, set) => (key, label, placeholder, value = (typed) => typed) => field(id(key), label, column.name, h("input", {
  id: id(key), type: "text", size: 12, placeholder, spellcheck: "false", autocomplete: "off", value: said[key] ?? "",
  onchange: (e) => {
    const typed = value(e.target.value.trim());
    set(key, typed === "" ? null : typed);
  },
}));

/** What few columns need: how values are written, how ends are rounded. */
function further(column, said, id, set) {
  const kind = kindOf(said) || column.kind;
  const text = textField(column, said, id, set);
  const dates = kind === "date" || (kind === "category" && !said.kind);
  const numbers = kind === "numeric" || (kind === "category" && !said.kind);
  const fields = [
    said.role === "quasi" && !said.levels && ["numeric", "date", "ordinal"].includes(kind)
      ? text("round", kind === "ordinal" ? "Round ends to levels" : "Round ends to", { date: "month", ordinal: "2" }[kind] ?? "5", numeral) : null,
    dates ? text("date", "Date format", "%d/%m/%Y") : null,
    numbers ? field(id("decimal"), "Decimal sign", column.name, select({ id: id("decimal"), onchange: (e) => set("decimal", e.target.value || null) },
      [["", "point (usual)"], [",", "comma: 1.234,5"], [".", "point: 1,234.5"]], said.decimal ?? "")) : null,
  ].filter(Boolean);
  if (fields.length === 0) return null;
  const used = ["round", "date", "decimal"].some((key) => said[key] !== undefined);
  return folded(column, "Format and rounding", used, fields);
}

/** The codes that readers know: which there are, how fine they may be, whether all rows have the same. */
function levels(column, said, id, set) {
  const kind = kindOf(said) || column.kind;
  const line = kind === "numeric" || kind === "date";
  const key = kind === "prefix" ? "prefix" : "levels";
  const depth = (groups) => 1 + Math.max(0, ...Object.values(groups).map((inner) => (Array.isArray(inner) ? 0 : depth(inner))));
  const named = said.levels && !Array.isArray(said.levels);
  const labels = kind === "category" || kind === "ordinal";
  if (!line && !labels && kind !== "prefix" && kind !== "hierarchy") return null;
  // How deep a hierarchy file is, is not known here.
  const rungs = named ? Array.from({ length: depth(said.levels) }, (_, at) => at + 1) : kind === "hierarchy" ? [1, 2, 3] : said[key] ?? [];
  const call = (rung) => (named || kind === "hierarchy" ? `level ${rung}` : key === "prefix" ? `${rung} characters` : String(rung));
  const without = (keys) => keys.filter((own) => said[own] !== undefined).map((own) => [own, null]);
  const ladder = (typed) => {
    const next = typed.split(",").map((rung) => numeral(rung.trim())).filter((rung) => rung !== "");
    const gone = ["level", "finest", "coarsest"].filter((own) => !next.includes(said[own]) && (said[own] !== "auto" || next.length === 0));
    set(key, next.length ? next : null, without([...gone, ...(next.length ? ["round"] : ["origin"])]));
  };
  const menu = (own, label, choices, others) => {
    const known = new Map([...choices, ...(said[own] === undefined || choices.some(([choice]) => choice === said[own]) ? [] : [[said[own], call(said[own])]])].map((pair) => [String(pair[0]), pair]));
    return field(id(own), label, column.name, select({ id: id(own), onchange: (e) => set(own, e.target.value === "" ? null : known.get(e.target.value)[0], without(others(e.target.value))) },
      [...known].map(([choice, pair]) => [choice, pair[1]]), String(said[own] ?? "")));
  };
  const choices = rungs.map((rung) => [rung, call(rung)]);
  const text = textField(column, said, id, set);
  const fields = [
    named ? h("p", { class: "faint" }, "named groups, as in the text")
      : labels ? h("p", { class: "faint" }, 'Name groups in the text: levels = { group = ["label", "label"] }')
      : kind === "hierarchy" ? null
        : field(id("ladder"), kind === "prefix" ? "Characters kept" : "Levels, finest first", column.name, h("input", {
          id: id("ladder"), type: "text", size: 14, placeholder: { date: "month, year", prefix: "3, 1" }[kind] ?? "5, 10, 20", spellcheck: "false", autocomplete: "off",
          value: (said[key] ?? []).join(", "), onchange: (e) => ladder(e.target.value),
        })),
    rungs.length && (said.level ?? "auto") === "auto" ? menu("finest", "Finest", [["", "exact values"], ...choices], () => []) : null,
    rungs.length ? menu("level", "One level for all rows", [["", "no"], ...choices, ["auto", "choose automatically"]], (chosen) => (chosen === "" || chosen === "auto" ? [] : ["finest", "coarsest"])) : null,
    line ? text("bottom", kind === "date" ? "Bottom" : "Bottom, such as <18", kind === "date" ? "1940-01-01" : "18", numeral) : null,
    line ? text("top", kind === "date" ? "Top" : "Top, such as 90+", kind === "date" ? "2000-01-01" : "90", numeral) : null,
  ].filter(Boolean);
  return folded(column, "Levels", LEVELS.some((own) => said[own] !== undefined), fields);
}

function quasi(column, said, id, set) {
  const kind = kindOf(said);
  const kinds = [["", `${column.kind} (inferred)`], ...KINDS.map((word) => [word, word])];
  const pick = (word) => set("kind", word || null, [
    ...LEVELS.filter((key) => said[key] !== undefined).map((key) => [key, null]),
    ...(word !== "ordinal" && said.order ? [["order", null]] : []),
    ...(word !== "prefix" && said.prefix ? [["prefix", null]] : []),
    ...(word !== "hierarchy" && said.hierarchy ? [["hierarchy", null]] : []),
    ...(word !== "date" && said.date ? [["date", null]] : []),
    ...(word !== "numeric" && said.decimal ? [["decimal", null]] : []),
    ...(!["", "numeric", "date", "ordinal"].includes(word) && said.round !== undefined ? [["round", null]] : [])]);
  return [
    field(id("kind"), "Kind", column.name, select({ id: id("kind"), onchange: (e) => pick(e.target.value) }, kinds, kind)),
    kind === "hierarchy" ? hierarchy(column, said, id, set) : null,
    kind === "ordinal" ? field(id("order"), "Levels, lowest first", column.name, h("input", {
      id: id("order"), type: "text", value: (said.order ?? []).join(", "), placeholder: "low, middle, high",
      onchange: (e) => set("order", e.target.value.split(",").map((level) => level.trim()).filter(Boolean)),
    })) : null,
    field(id("weight"), "Weight", column.name, h("input", {
      id: id("weight"), type: "number", min: 0, step: "any", placeholder: "1", value: said.weight ?? "",
      onchange: (e) => set("weight", e.target.value === "" ? null : Number(e.target.value)),
    })),
  ];
}

function hierarchy(column, said, id, set) {
  const files = h("datalist", { id: id("files") }, app.start.tables.map((table) => h("option", { value: table.path })));
  const chooser = h("input", { type: "file", class: "unseen", tabindex: "-1", "aria-label": `Hierarchy file of ${column.name}`, onchange: async () => {
    const file = chooser.files[0];
    if (!file) return;
    try {
      await ask("POST", `/api/sessions/${app.session}/uploads?name=${encodeURIComponent(file.name)}`, file);
      set("hierarchy", file.name);
    } catch (error) {
      lost(error) || chooser.after(trouble(error));
    }
  } });
  return h("div", {}, h("label", { for: id("hierarchy") }, "Hierarchy file", h("span", { class: "unseen" }, ` of ${column.name}`)),
    h("div", { class: "joined" },
      h("input", { id: id("hierarchy"), type: "text", list: id("files"), value: said.hierarchy ?? "", placeholder: "hierarchy.csv", onchange: (e) => set("hierarchy", e.target.value.trim() || null) }),
      h("button", { type: "button", onclick: () => chooser.click() }, "Choose …")), files, chooser);
}

function sensitive(column, said, id, set) {
  const model = Object.keys(FIRST).find((key) => said[key] !== undefined) ?? "";
  const clear = (except) => Object.keys(FIRST).filter((key) => key !== except && said[key] !== undefined).map((key) => [key, null]);
  const pick = (key) => (key ? set(key, FIRST[key], clear(key)) : set(model, null, clear("")));
  const value = said[model];
  return [
    field(id("model"), "Requirement", column.name, select({ id: id("model"), onchange: (e) => pick(e.target.value) }, MODELS, model)),
    !model ? null : typeof value === "object"
      ? h("p", { class: "faint" }, "as in the text")
      : field(id("value"), { diversity: "ℓ, at least", closeness: "t, at most", likeness: "β, at most", disclosure: "δ, below" }[model], column.name, h("input", {
        id: id("value"), type: "number", min: 0, step: model === "diversity" ? 1 : "any", value,
        onchange: (e) => set(model, Number(e.target.value)),
      })),
  ];
}

function acknowledge(column, said, id, set) {
  if (!column.likely_identifier && said.acknowledge === undefined) return null;
  return h("div", { class: "check" },
    h("input", { id: id("acknowledge"), type: "checkbox", checked: said.acknowledge === true, onchange: (e) => set("acknowledge", e.target.checked || null) }),
    h("label", { for: id("acknowledge") }, "Publish it although it seems to identify people"));
}
