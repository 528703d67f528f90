// The page: five steps, one session, and a panel that is always there.

import { STOPPED, ask, job } from "./api.js";
import { announce, h, plural, put, trouble } from "./dom.js";
import { showColumns } from "./columns.js";
import { showCompare } from "./compare.js";
import { showFile } from "./file.js";
import { showK } from "./k.js";
import { showPanel } from "./panel.js";
import { showPublish } from "./publish.js";

const STEPS = [
  ["File", showFile],
  ["Columns", showColumns],
  ["k and its cost", showK],
  ["Before and after", showCompare],
  ["Publish", showPublish],
];

/** What all steps share. */
export const app = {
  start: null,
  session: null,
  name: null,
  inspection: null,
  /** The values of k to choose from, and those of the curve. */
  ks: null,
  policy: null,
  /** The release for the k of the slider. */
  answer: null,
  /** The release that was published. */
  published: null,
  /** Figures for other ks, under the policy `of`. */
  curve: { of: null, points: new Map() },
  step: 0,
  leave: null,
};

/** Shows a step. */
export function go(step, { back = false } = {}) {
  app.leave?.();
  app.leave = null;
  app.step = step;
  if (!back) history.pushState({ step }, "", "/");
  const main = document.getElementById("main");
  put(main);
  app.leave = STEPS[step][1](main) ?? null;
  document.title = `${STEPS[step][0]} – ${app.name ?? "Kinfold"}`;
  drawSteps();
  showPanel();
  main.focus({ preventScroll: true });
  scrollTo(0, 0);
}

function drawSteps() {
  const open = (step) => step === 0 || (app.inspection && step <= 2) || (app.answer && step === 3) || (app.inspection && step === 4);
  put(document.getElementById("steps"), ...STEPS.map(([words], step) =>
    h("li", {}, h("button", {
      type: "button", disabled: !open(step), "aria-current": step === app.step ? "step" : null, onclick: () => go(step),
    }, h("span", { class: "number", "aria-hidden": "true" }, step + 1), h("span", { class: "words" }, words)))));
}

/** Draws anew what depends on the release, wherever it is shown. */
export function changed() {
  drawSteps();
  showPanel();
}

/** Says that the server is gone or the session has ended; what else goes wrong is shown where it happens. */
export function lost(error) {
  if (!error?.gone && error?.status !== 410 && error?.status !== 401) return false;
  const actions = error.status === 410
    ? h("p", {}, h("button", { type: "button", onclick: close }, "Open a table"))
    : null;
  const box = trouble(error);
  if (actions) box.append(actions);
  put(document.getElementById("banner"), box);
  return true;
}

/** Looks now and then whether the server is still there: nobody should go on with a page that nothing answers. */
function watch() {
  const often = setInterval(async () => {
    if (document.hidden) return;
    try {
      await ask("GET", "/api/alive");
    } catch (error) {
      if (error === STOPPED) clearInterval(often);
      lost(error);
    }
  }, 4_000);
}

/** Forgets the session. */
export async function close() {
  put(document.getElementById("banner"));
  const old = app.session;
  sessionStorage.removeItem("session");
  Object.assign(app, { session: null, name: null, inspection: null, ks: null, policy: null, answer: null, published: null });
  app.curve = { of: null, points: new Map() };
  if (old) await forget(old);
  go(0);
}

/** Ends a session of which nothing is needed any more. */
const forget = (session) => ask("DELETE", `/api/sessions/${session}`).catch(() => {});

/** Waits until the table of a session is read, then puts it in the place of the one that is open. */
export async function enter(session, news) {
  try {
    // The first job of a session reads its table.
    await job(session, { kind: "read", number: 1 }, news).result;
  } catch (error) {
    if (!error.gone) forget(session);
    throw error;
  }
  const known = await ask("GET", `/api/sessions/${session}`);
  if (app.session && app.session !== session) forget(app.session);
  Object.assign(app, { session, name: known.name, inspection: known.inspection, ks: known.ks, policy: known.policy, answer: null, published: null });
  app.curve = { of: null, points: new Map() };
  sessionStorage.setItem("session", session);
  announce(`${known.name} was read: ${plural(known.inspection.rows, "row", "rows")}`);
  drawSteps();
}

let lastChange = Promise.resolve();

/** Sends a change of the policy, by menu (a list of changes) or by text. */
export async function setPolicy(change) {
  const path = `/api/sessions/${app.session}/policy`;
  // One after the other: an answer that comes late must not take away what a later one said.
  const sent = lastChange.then(() => ask(typeof change === "string" ? "PUT" : "POST", path, change));
  lastChange = sent.catch(() => {});
  app.policy = await sent;
  const now = policyWithoutK();
  if (app.curve.of !== now) app.curve = { of: now, points: new Map() };
  return app.policy;
}

/** What k counts: rows, unless a column says how many people a row stands for, or whom it is about. */
export function unit() {
  const roles = Object.values(app.policy?.said?.columns ?? {}).map((column) => column.role);
  return roles.includes("count") ? "people" : "rows";
}

/** What the curve depends on. */
export const policyWithoutK = () => JSON.stringify({ ...app.policy?.said, k: null });

async function begin() {
  document.getElementById("skip").addEventListener("click", () => document.getElementById("main").focus());
  addEventListener("popstate", (event) => {
    const step = event.state?.step ?? 0;
    go(app.inspection || step === 0 ? step : 0, { back: true });
  });
  // A file that misses the drop zone must not replace the page.
  for (const name of ["dragover", "drop"]) addEventListener(name, (event) => event.preventDefault());
  try {
    app.start = await ask("GET", "/api/start");
  } catch (error) {
    put(document.getElementById("main"), h("h1", {}, "Kinfold"));
    lost(error) || document.getElementById("main").append(trouble(error));
    return;
  }
  watch();
  const kept = sessionStorage.getItem("session");
  if (kept) {
    try {
      await enter(kept);
      history.replaceState({ step: 1 }, "", "/");
      return go(1, { back: true });
    } catch (error) {
      if (error === STOPPED) return lost(error);
      sessionStorage.removeItem("session");
    }
  }
  history.replaceState({ step: 0 }, "", "/");
  go(0, { back: true });
}

begin();
