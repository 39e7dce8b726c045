// The classes to choose from: buttons with their keys, or, beyond those, a list that narrows as one types.

import { make, visible } from "./dom.js";
import { classKeys, shown } from "./keys.js";

const AT_ONCE = 100;

const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** Indices of the classes that match, best first: equal, beginning so, a word beginning so, anywhere. */
export function matches(classes, typed) {
  const wanted = plain(typed.trim());
  if (wanted === "") return classes.map((_, index) => index);
  const rank = (name) => {
    if (name === wanted) return 0;
    if (name.startsWith(wanted)) return 1;
    const at = name.indexOf(wanted);
    if (at < 0) return 4;
    return /[^\p{L}\p{N}]/u.test(name[at - 1]) ? 2 : 3;
  };
  return classes
    .map((name, index) => [rank(plain(name)), index])
    .filter(([found]) => found < 4)
    .sort(([a, i], [b, j]) => a - b || i - j)
    .map(([, index]) => index);
}

/** Fill `home` with the choices; `choose(index, event)` is called with what is taken. */
export function makeChoices(home, classes, keys, choose) {
  const few = classKeys(classes).every((key) => key !== null);
  return few ? new Buttons(home, classes, keys, choose) : new Filter(home, classes, choose);
}

const GAP = 8;
const LEAST = [[3, 76], [14, 150], [40, 230], [Infinity, 320]]; // letters of the longest name, pixels of a button
const NARROW = 480;
const IN_TWO_LINES = 24; // so many letters fit into half of a narrow screen

/** How many columns make even rows of so many choices, where at most some fit: 5 are 3 and 2, never 4 and 1. */
export function evenColumns(count, fitting) {
  const rows = Math.ceil(count / Math.max(Math.min(fitting, count), 1));
  return Math.ceil(count / rows);
}

class Buttons {
  constructor(home, classes, keys, choose) {
    this.keys = keys;
    this.buttons = classes.map((name, index) => {
      const button = make("button", { type: "button", class: "choice", "aria-pressed": "false" });
      button.append(make("kbd"), make("span", { class: "name", dir: "auto" }, visible(name, "\n")));
      button.addEventListener("click", (event) => choose(index, event));
      return button;
    });
    this.longest = Math.max(...classes.map((name) => name.length));
    const wordy = this.longest > LEAST[2][0] ? " wordy" : "";
    this.row = make("div", { class: `choices${wordy}`, role: "group", "aria-label": "Classes" }, ...this.buttons);
    home.replaceChildren(this.row);
    new ResizeObserver(() => this.#lay()).observe(home);
    this.relabel();
  }

  #lay() {
    const width = this.row.clientWidth;
    const least = LEAST.find(([letters]) => this.longest <= letters)[1];
    const half = width < NARROW && this.longest <= IN_TWO_LINES ? (width - GAP) / 2 : Infinity;
    const columns = evenColumns(this.buttons.length, Math.floor((width + GAP) / (Math.min(least, half) + GAP)));
    this.row.style.setProperty("--columns", columns);
    // One that is left over takes the whole of the last row.
    this.row.classList.toggle("odd", columns > 1 && this.buttons.length % columns === 1);
  }

  relabel() {
    this.buttons.forEach((button, index) => {
      const key = this.keys.of(`class:${index}`);
      button.firstChild.textContent = shown(key);
      button.firstChild.hidden = key === null;
    });
  }

  mark(chosen) {
    this.buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(index === chosen)));
  }

  focus() {
    this.buttons[0]?.focus();
  }

  clear() {}
}

class Filter {
  constructor(home, classes, choose) {
    this.classes = classes;
    this.choose = choose;
    this.chosen = null;
    this.input = make("input", {
      id: "filter", type: "text", role: "combobox", autocomplete: "off", spellcheck: "false",
      "aria-expanded": "true", "aria-controls": "filter-list", "aria-autocomplete": "list",
    });
    this.list = make("ul", { id: "filter-list", role: "listbox", "aria-label": "Classes" });
    this.count = make("p", { class: "count", role: "status" });
    const label = make("label", { for: "filter" }, `Class, one of ${classes.length}: type a part of it, Enter takes the marked one `);
    label.append(make("kbd", { "data-key": "filter" }));
    home.replaceChildren(make("div", { class: "filter" }, label, this.input, this.list, this.count));
    this.input.addEventListener("input", () => this.narrow());
    this.input.addEventListener("keydown", (event) => this.pressed(event));
    this.narrow();
  }

  narrow() {
    const found = matches(this.classes, this.input.value);
    this.shown = found.slice(0, AT_ONCE);
    this.options = this.shown.map((index) => {
      const option = make("li", { id: `option-${index}`, role: "option", "aria-selected": "false" });
      option.append(make("span", { class: "tick", "aria-hidden": "true" }), make("span", { class: "name", dir: "auto" }, visible(this.classes[index], "\n")));
      option.addEventListener("click", (event) => this.choose(index, event));
      return option;
    });
    this.list.replaceChildren(...this.options);
    const more = found.length - this.shown.length;
    this.count.textContent = found.length === 0 ? "No class has this in its name." : more > 0 ? `${more} more: type to narrow.` : "";
    // Nothing is marked before something is typed: a second Enter must not label the next item.
    this.select(this.input.value.trim() === "" ? -1 : 0);
    this.mark(this.chosen);
  }

  select(place) {
    this.place = Math.min(place, this.options.length - 1);
    this.options.forEach((option, index) => option.setAttribute("aria-selected", String(index === this.place)));
    const marked = this.options[this.place];
    if (marked) {
      this.input.setAttribute("aria-activedescendant", marked.id);
      // Within the list alone: the page itself must not move.
      const { offsetTop, offsetHeight } = marked;
      const { scrollTop, clientHeight } = this.list;
      if (offsetTop < scrollTop) this.list.scrollTop = offsetTop;
      else if (offsetTop + offsetHeight > scrollTop + clientHeight) this.list.scrollTop = offsetTop + offsetHeight - clientHeight;
    } else this.input.removeAttribute("aria-activedescendant");
  }

  pressed(event) {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 5, PageUp: -5 }[event.key];
    if (step) {
      event.preventDefault();
      this.select(Math.max(this.place + step, 0));
    } else if (event.key === "Enter" && !event.repeat && !event.isComposing) {
      event.preventDefault();
      if (this.place >= 0) this.choose(this.shown[this.place], event);
    } else if (event.key === "Escape") {
      this.input.blur();
    }
  }

  relabel() {}

  /** Tick the class that was given before. */
  mark(chosen) {
    this.chosen = chosen;
    this.options.forEach((option, at) => {
      option.firstChild.textContent = this.shown[at] === chosen ? "\u2713" : "";
    });
  }

  focus() {
    this.input.focus();
    this.input.select();
  }

  clear() {
    if (this.input.value !== "") {
      this.input.value = "";
      this.narrow();
    }
  }
}
