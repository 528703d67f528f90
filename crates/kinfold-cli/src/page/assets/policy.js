// The policy as text, beside the menus: what is typed here changes the menus, and the other way round.

import { announce, h, later, plural, put } from "./dom.js";
import { app, lost, setPolicy } from "./page.js";

/** The text with its mistakes. `changed` is called when the server has read what was typed. */
export function policyEditor(changed) {
  const area = h("textarea", { id: "toml", spellcheck: "false", autocomplete: "off", autocapitalize: "off", wrap: "off", "aria-describedby": "mistakes" });
  const mistakes = h("div", { id: "mistakes", class: "mistakes" });
  const send = later(350, async () => {
    try {
      await setPolicy(area.value);
      draw({ text: false });
      changed();
    } catch (error) {
      lost(error);
    }
  });
  area.addEventListener("input", send);

  const select = (line) => {
    const lines = area.value.split("\n");
    const from = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
    area.focus();
    area.setSelectionRange(from, from + lines[line - 1].length);
    area.scrollTop = (line - 4) * parseFloat(getComputedStyle(area).lineHeight);
  };

  function draw({ text = true } = {}) {
    if (text && area.value !== app.policy.toml) {
      const top = area.scrollTop;
      area.value = app.policy.toml;
      area.scrollTop = top;
    }
    const found = app.policy.mistakes;
    area.setAttribute("aria-invalid", found.length > 0);
    put(mistakes, ...(found.length === 0 ? [h("p", { class: "good" }, "The policy is complete.")] : [
      h("p", { class: "bad" }, `${plural(found.length, "mistake", "mistakes")}:`),
      h("ul", {}, found.map((mistake) => h("li", {},
        mistake.line ? h("button", { type: "button", class: "link", onclick: () => select(mistake.line) }, `line ${mistake.line}`) : null,
        mistake.line ? " " : null, mistake.what, mistake.hint ? h("span", { class: "hint" }, ` – ${mistake.hint}`) : null)))]));
    announce(found.length ? `${plural(found.length, "mistake", "mistakes")} in the policy` : "the policy is complete");
  }
  draw();
  const root = h("section", { class: "policy", "aria-label": "Policy as text" },
    h("div", { class: "heading" }, h("h2", {}, h("label", { for: "toml" }, "Policy as TOML")), h("span", { class: "faint" }, "both ways")),
    area, mistakes);
  return { root, draw };
}
