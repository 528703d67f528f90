// Charts as SVG. Colours come from the style sheet, so that they follow light and dark. Every chart has a
// sentence that says what it shows.

import { h, loss, percent, svg, whole } from "./dom.js";

const HEIGHT = 230;
const EDGE = { left: 48, right: 48, top: 16, bottom: 36 };
const BOTTOM = HEIGHT - EDGE.bottom;

/** Units across a chart: as many as there are pixels, more or less, so that its texts have their size. */
const across = (wide) => (innerWidth < 560 ? 340 : wide);

function picture(says, width, ...parts) {
  return svg("svg", { class: "chart", viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": says }, parts);
}

/** Where a value stands on a scale that ends with its last mark. */
const upTo = (scale) => (value) => BOTTOM - (value / scale.at(-1)) * (BOTTOM - EDGE.top);

const tick = (words, x, y, kind = "mid") => svg("text", { class: `tick ${kind}`, x: x.toFixed(1), y: y.toFixed(1) }, words);

const path = (points) => points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

/** Round numbers from 0 to at least `most`, few of them. */
function ticks(most, count = 4) {
  if (!(most > 0)) return [0, 1];
  const rough = most / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((step) => step >= rough);
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, i) => i * step);
}

const short = (value) => (value === 0 ? "0" : value >= 1000 ? whole(value) : String(Number(value.toPrecision(3))));

/** Marks up the left side, with lines across to `right`. */
function upLeft(scale, right, format) {
  const y = upTo(scale);
  return scale.map((value) => [svg("path", { class: "grid", d: `M${EDGE.left} ${y(value).toFixed(1)}H${right}` }), tick(format(value), EDGE.left - 8, y(value) + 4, "end")]);
}

const bottomLine = (right) => svg("path", { class: "axis", d: `M${EDGE.left} ${BOTTOM}H${right}` });

/** Loss (left scale) and risk (right scale) against k, with the k that is set. */
export function curve(points, k) {
  const sorted = [...points.entries()].sort(([a], [b]) => a - b);
  if (sorted.length === 0) return h("p", { class: "faint" }, "The curve appears as figures come in.");
  const width = across(640);
  const right = width - EDGE.right;
  const [low, high] = [Math.min(2, sorted[0][0]), Math.max(sorted.at(-1)[0], k, 3)];
  const x = (k) => EDGE.left + (Math.log(k / low) / Math.log(high / low)) * (right - EDGE.left);
  const losses = ticks(Math.max(...sorted.map(([, p]) => p.loss), 1e-6));
  const risks = ticks(Math.max(...sorted.map(([, p]) => p.risk)));
  const [yLoss, yRisk] = [upTo(losses), upTo(risks)];
  const marks = [2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 20000].filter((k) => k >= low && k <= high);
  const here = points.get(k);
  const dot = (kind, y, big) => svg("circle", { class: `dot ${kind}${big ? " big" : ""}`, cx: x(k).toFixed(1), cy: y.toFixed(1), r: big ? 5 : 3 });
  const says = `Loss per cell and highest risk against k. ${sorted.map(([k, p]) => `k ${k}: loss ${loss(p.loss)}, risk ${percent(p.risk)}`).join("; ")}.`;
  return h("figure", {},
    h("figcaption", {}, h("span", { class: "key loss" }, "Loss per cell"), " (left) rises with k, the ", h("span", { class: "key risk" }, "highest risk"), " of being found again (right) falls"),
    picture(says, width,
      upLeft(losses, right, short), risks.map((value) => tick(percent(value), right + 8, yRisk(value) + 4, "")),
      marks.map((k) => tick(whole(k), x(k), BOTTOM + 18)), tick("k", (EDGE.left + right) / 2, HEIGHT - 3),
      bottomLine(right), svg("path", { class: "here", d: `M${x(k).toFixed(1)} ${EDGE.top}V${BOTTOM}` }),
      svg("path", { class: "line risk", d: path(sorted.map(([k, p]) => [x(k), yRisk(p.risk)])) }),
      svg("path", { class: "line loss", d: path(sorted.map(([k, p]) => [x(k), yLoss(p.loss)])) }),
      sorted.map(([k, p]) => svg("circle", { class: "dot loss", cx: x(k).toFixed(1), cy: yLoss(p.loss).toFixed(1), r: 3 },
        svg("title", {}, `k = ${k}: loss ${loss(p.loss)}, highest risk ${percent(p.risk)}`))),
      here ? [dot("loss", yLoss(here.loss), true), dot("risk", yRisk(here.risk), true)] : null));
}

/** What every column loses, largest first. */
export function columnLoss(columns) {
  const most = Math.max(...columns.map((column) => column.loss), 1e-9);
  const sorted = [...columns].sort((a, b) => b.loss - a.loss);
  return h("figure", {},
    h("figcaption", {}, "Loss by column: 0 keeps everything, 1 loses everything"),
    h("table", { class: "bars" }, h("caption", { class: "unseen" }, "Loss by column"),
      h("tbody", {}, sorted.map((column) => h("tr", {}, h("th", { scope: "row" }, column.column),
        h("td", { class: "bar" }, bar("loss", column.loss / most)), h("td", { class: "number" }, loss(column.loss)))))));
}

function bar(kind, share) {
  return svg("svg", { class: "strip", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "track", width: 100, height: 10 }), svg("rect", { class: kind, width: Math.max(share * 100, share > 0 ? 0.6 : 0).toFixed(2), height: 10 }));
}

/** How many look alike: alone, two to k − 1, … before and after. */
export function groupSizes(before, after, k, unit) {
  const edges = bins(k, Math.max(before.at(-1)?.[0] ?? 1, after.at(-1)?.[0] ?? 1));
  const share = (sizes) => {
    const count = (list) => list.reduce((sum, [size, classes]) => sum + size * classes, 0);
    return edges.map(([low, high]) => count(sizes.filter(([size]) => size >= low && size <= high)) / (count(sizes) || 1));
  };
  const [old, now] = [share(before), share(after)];
  const words = edges.map(([low, high]) => (low === high ? whole(low) : high === Infinity ? `${whole(low)}+` : `${whole(low)}–${whole(high)}`));
  const says = `How many look alike. ${words.map((word, i) => `${word}: before ${percent(old[i])}, after ${percent(now[i])}`).join("; ")}.`;
  return h("figure", {},
    h("figcaption", {}, `Share of ${unit} by how many look the same, `, h("span", { class: "key old" }, "before"), " and ", h("span", { class: "key now" }, "after")),
    pairs(says, across(400), words, old, now));
}

/** Two bars for every name. */
function pairs(says, width, names, old, now) {
  const scale = ticks(Math.max(...old, ...now));
  const y = upTo(scale);
  const right = width - 8;
  const slot = (right - EDGE.left) / old.length;
  const bar = (kind, i, value, at) => svg("rect", {
    class: kind, x: (EDGE.left + slot * (i + at)).toFixed(1), y: y(value).toFixed(1), width: (slot * 0.36).toFixed(1), height: (BOTTOM - y(value)).toFixed(1),
  }, svg("title", {}, `${names[i] ? `${names[i]}: ` : ""}${percent(value)}`));
  return picture(says, width, upLeft(scale, right, percent),
    old.map((_, i) => [bar("old", i, old[i], 0.12), bar("now", i, now[i], 0.52)]), bottomLine(right),
    names.map((word, i) => tick(word, EDGE.left + slot * (i + 0.5), BOTTOM + 18)));
}

/** 1, 2–4, k to 2k, … */
function bins(k, most) {
  const starts = [...new Set([1, 2, k, k + 1, 2 * k, 5 * k, 20 * k, 100 * k])].filter((start) => start <= most || start <= k).sort((a, b) => a - b);
  return starts.map((low, i) => [low, i + 1 < starts.length ? starts[i + 1] - 1 : Infinity]);
}

/** How often values of a column occur, before and after; the last bin is for missing values. */
export function distribution({ column, ordered, distance, before, after }) {
  const shown = before.at(-1) > 0 || after.at(-1) > 0 ? before.length : before.length - 1;
  const [old, now] = [before.slice(0, shown), after.slice(0, shown)];
  const names = old.map((_, i) => (i === before.length - 1 ? "none" : ""));
  const order = ordered ? "lowest to highest value" : "a pair per value";
  return h("figure", {}, h("figcaption", {}, h("strong", {}, column), ` ${order}; ${percent(distance)} differ`),
    pairs(`Distribution of ${column} before and after: ${percent(distance)} differ.`, across(340), names, old, now));
}

/** Loss and bound over time: the gap closes. */
export function gapOverTime(trail) {
  const values = trail.flatMap(([, loss, bound]) => [loss, bound]).filter((value) => value !== null);
  if (values.length === 0) return h("p", { class: "faint" }, "The plot appears as soon as a bound is proven.");
  const width = across(640);
  const right = width - 20;
  const seconds = Math.max(trail.at(-1)[0], 1e-3);
  const scale = ticks(Math.max(...values));
  const y = upTo(scale);
  const x = (second) => EDGE.left + (second / seconds) * (right - EDGE.left);
  const known = (at) => trail.filter((point) => point[at] !== null).map((point) => [x(point[0]), y(point[at]), point[at]]);
  const [upper, lower] = [known(1), known(2)];
  const last = (line) => (line.length ? loss(line.at(-1)[2]) : "not known yet");
  const both = trail.filter((point) => point[1] !== null && point[2] !== null);
  const between = [...both.map((p) => [x(p[0]), y(p[1])]), ...both.toReversed().map((p) => [x(p[0]), y(p[2])])];
  return h("figure", {},
    h("figcaption", {}, h("span", { class: "key loss" }, "Loss of the release"), " and ", h("span", { class: "key bound" }, "proven lower bound"), ": no release loses less than the bound"),
    picture(`After ${short(seconds)} seconds: loss ${last(upper)}, proven bound ${last(lower)}.`, width, upLeft(scale, right, short),
      both.length > 1 ? svg("path", { class: "gap", d: `${path(between)}Z` }) : null,
      svg("path", { class: "line loss", d: path(upper) }), svg("path", { class: "line bound", d: path(lower) }), bottomLine(right),
      ticks(seconds).filter((second) => second <= seconds).map((second) => tick(`${short(second)} s`, x(second), BOTTOM + 18))));
}
