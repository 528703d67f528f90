// Elements, numbers and sentences: what all steps share.

/** An element: attributes by name, `on…` for listeners, then its children. */
export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same for pictures. */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...present(children));
  return element;
}

const present = (children) => children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);

/** Puts these children in the place of what an element holds. */
export function put(element, ...children) {
  element.replaceChildren(...present(children));
}

/** A list of choices: [value, words] each. */
export function select(attributes, choices, chosen) {
  const options = choices.map(([value, words]) => h("option", { value, selected: value === chosen }, words));
  return h("select", attributes, options);
}

/** Tells people who listen instead of looking. */
export function announce(words) {
  const live = document.getElementById("live");
  if (live.textContent !== words) live.textContent = words;
}

/** What went wrong, and what to try. */
export function trouble(error) {
  const mistakes = (error.mistakes ?? []).map((mistake) =>
    h("li", {}, mistake.line ? h("span", { class: "line" }, `line ${mistake.line} `) : null, mistake.what,
      mistake.hint ? h("span", { class: "hint" }, ` ${sentence(mistake.hint)}`) : null));
  return h("div", { class: "trouble", role: "alert" },
    h("p", {}, h("strong", {}, sentence(error.what))),
    mistakes.length > 1 ? h("ul", {}, mistakes) : null,
    error.hint && mistakes.length <= 1 ? h("p", {}, sentence(error.hint)) : null);
}

function sentence(words) {
  const text = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

const WHOLE = new Intl.NumberFormat("en");
export const whole = (number) => WHOLE.format(number);

/** A share: 0.3 %, 12 %. */
export function percent(share) {
  if (share === 0) return "0\u00a0%";
  const value = share * 100;
  if (value < 0.1) return "<\u00a00.1\u00a0%";
  return `${value < 10 ? value.toFixed(1) : value.toFixed(0)}\u00a0%`;
}

/** A loss per cell. */
export const loss = (value) => (value === 0 ? "0" : value < 0.0001 ? "< 0.0001" : value.toFixed(4));

/** A chance as people say it. */
export const oneIn = (people) => (people ? `1 in ${whole(people)}` : "–");

export function bytes(count) {
  const units = ["bytes", "KB", "MB", "GB"];
  let unit = 0;
  while (count >= 1000 && unit < 3) { count /= 1000; unit += 1; }
  return `${unit && count < 10 ? count.toFixed(1) : Math.round(count)} ${units[unit]}`;
}

/** 4, or 4 to 7. */
export const span = (low, high) => (low === high ? whole(low) : `${whole(low)} to ${whole(high)}`);

export const plural = (count, one, more) => `${whole(count)} ${count === 1 ? one : more}`;

/** Calls `work` once nothing has happened for a while. */
export function later(milliseconds, work) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...given), milliseconds);
  };
}
