// The dialogs: the keys, how to change them, the running estimate.

import { byId, make, say, visible } from "./dom.js";
import { CONTROLS, keyOf, shown } from "./keys.js";

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** Wire the dialogs up; `changed` is called when a key was given to something else. */
export function makeDialogs(keys, changed) {
  for (const name of ["help", "settings", "estimate"]) {
    byId(`${name}-close`).addEventListener("click", () => byId(name).close());
  }
  byId("settings-button").addEventListener("click", () => {
    byId("help").close();
    openSettings(keys, changed);
  });
  byId("settings-reset").addEventListener("click", () => {
    keys.reset();
    changed();
    fillSettings(keys, changed);
  });
  byId("keys-off").addEventListener("change", (event) => {
    keys.turn(event.target.checked);
    changed();
  });
}

export const isOpen = () => document.querySelector("dialog[open]") !== null;

export function openHelp(keys, timings) {
  const rows = actions(keys)
    .filter((action) => keys.of(action) !== null)
    .flatMap((action) => [make("dt", {}, make("kbd", {}, shown(keys.of(action)))), make("dd", { dir: "auto" }, visible(keys.name(action)))]);
  byId("help-keys").replaceChildren(keys.off ? make("p", {}, "Keys are turned off.") : make("dl", { class: "keys" }, ...rows));
  const measured = timings.length === 0 ? "" : `From key to next item: ${Math.round(median(timings))} ms, the middle of ${timings.length}.`;
  say(byId("timing"), measured);
  show("help");
}

// A dialog whose button is at its end would open scrolled to it.
function show(name) {
  byId(name).showModal();
  byId(name).scrollTop = 0;
}

const actions = (keys) => [...keys.classes.map((_, index) => `class:${index}`), ...CONTROLS.map(([action]) => action)];

function openSettings(keys, changed) {
  fillSettings(keys, changed);
  show("settings");
}

function fillSettings(keys, changed) {
  say(byId("settings-error"), "");
  byId("keys-off").checked = keys.off;
  const rows = actions(keys).filter((action) => action in keys.first && (keys.first[action] !== null || keys.classes.length <= 9));
  byId("settings-keys").replaceChildren(
    ...rows.map((action, index) => {
      const field = make("input", { id: `key-${index}`, type: "text", readonly: true, class: "key", autocomplete: "off" });
      field.value = shown(keys.keys[action]);
      field.addEventListener("keydown", (event) => {
        const key = ["Delete", "Backspace"].includes(event.key) ? null : keyOf(event);
        if (["Tab", "Escape", "Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
        event.preventDefault();
        say(byId("settings-error"), keys.assign(action, key) ?? "");
        field.value = shown(keys.keys[action]);
        changed();
      });
      return make("div", {}, make("label", { for: field.id, dir: "auto" }, visible(keys.name(action))), field);
    }),
  );
}

/** Show estimates as a table, with what the intervals promise. */
export function openEstimate({ rows, sentence }) {
  const home = byId("estimate-text");
  if (rows.length === 0) {
    home.replaceChildren(make("p", {}, sentence || "There are no estimates yet."));
  } else {
    const named = rows.some((row) => row.model !== undefined);
    const number = (value) => (value === null ? "-" : value.toFixed(3));
    const head = [...(named ? ["Model"] : []), "Metric", "Estimate", "Interval"].map((text) => make("th", { scope: "col" }, text));
    const body = rows.map((row) => {
      const cells = [...(named ? [row.model] : []), row.metric, number(row.estimate), `${number(row.low)} to ${number(row.high)}`];
      return make("tr", {}, ...cells.map((text) => make("td", {}, String(text))));
    });
    const promises = [...new Set(rows.map((row) => row.promise))].map((text) => make("p", { class: "promise" }, text));
    home.replaceChildren(
      make("p", {}, `From ${rows[0].labels === 1 ? "1 label" : `${rows[0].labels} labels`}.`),
      make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body)),
      ...promises,
      ...(sentence ? [make("p", {}, sentence)] : []),
    );
  }
  show("estimate");
}
