// Which key does what. Controls come first: no class can take a control's key.

const STORED = `keys ${document.querySelector('meta[name="altmas-audit"]').content}`;

/** Action, what it is called, its key at first. */
export const CONTROLS = [
  ["unsure", "Unsure", "u"],
  ["skip", "Skip", "s"],
  ["undo", "Undo (also Ctrl+z)", "z"],
  ["redo", "Redo (also Ctrl+Shift+z)", "Shift+z"],
  ["earlier", "Look at your earlier answers", "ArrowLeft"],
  ["later", "Later answers, back to the open item", "ArrowRight"],
  ["filter", "Find a class", "/"],
  ["note", "Note", "n"],
  ["guidelines", "Guidelines", "g"],
  ["help", "Help", "?"],
  ["zoomIn", "Zoom in", "+"],
  ["zoomOut", "Zoom out", "-"],
  ["zoomFit", "Whole image", "0"],
];

const FIXED = { "Ctrl+z": "undo", "Ctrl+Shift+z": "redo", "Ctrl+y": "redo" };
const RESERVED = new Set(["Enter", "Escape", "Tab", " ", "Shift", "Control", "Alt", "Meta", "AltGraph", "CapsLock"]);
const SHOWN = { ArrowLeft: "\u2190", ArrowRight: "\u2192", ArrowUp: "\u2191", ArrowDown: "\u2193" };

/** The name of a key press: "u", "Shift+z", "Ctrl+z", "ArrowLeft"; null for what is the browser's own. */
export function keyOf(event) {
  if (event.altKey || !event.key) return null;
  let key = event.key;
  // Digits where they need Shift or another layout, and letters whatever Caps Lock says.
  if (/^Digit[0-9]$/.test(event.code) && !event.shiftKey) key = event.code.slice(-1);
  if (key.length === 1) key = key.toLowerCase();
  const shift = event.shiftKey && /^\p{L}$|^Arrow/u.test(key) ? "Shift+" : "";
  return (event.ctrlKey || event.metaKey ? "Ctrl+" : "") + shift + key;
}

export const shown = (key) => (key ?? "").replace(/Arrow\w+/, (arrow) => SHOWN[arrow]);

/** Keys of classes: a class that is a digit has that digit; others take the free ones from 1 to 9, in order. */
export function classKeys(classes) {
  const own = classes.map((name) => (/^[0-9]$/.test(name) ? name : null));
  if (classes.length > 9 && !own.every(Boolean)) return classes.map(() => null);
  const free = [..."123456789"].filter((digit) => !own.includes(digit));
  return own.map((digit) => digit ?? free.shift() ?? null);
}

/** The page's keys; changes are kept in this browser. */
export class Keys {
  constructor(classes) {
    this.classes = classes;
    this.first = this.#first();
    const kept = JSON.parse(localStorage.getItem(STORED) ?? "{}");
    this.off = kept.off === true;
    const keys = { ...this.first };
    for (const [action, key] of Object.entries(kept.keys ?? {})) if (action in keys) keys[action] = key;
    const taken = Object.values(keys).filter((key) => key !== null);
    // Kept for other classes, perhaps: what does not fit here is left out as a whole.
    this.keys = new Set(taken).size === taken.length ? keys : { ...this.first };
  }

  #first() {
    const keys = Object.fromEntries(CONTROLS.map(([action, , key]) => [action, key]));
    const digits = classKeys(this.classes);
    if (digits.includes("0")) keys.zoomFit = "f";
    digits.forEach((key, index) => {
      keys[`class:${index}`] = key;
    });
    return keys;
  }

  /** The action of a key press, or undefined. */
  action(event) {
    const key = this.off ? null : keyOf(event);
    if (key === null) return undefined;
    return FIXED[key] ?? Object.keys(this.keys).find((action) => this.keys[action] === key);
  }

  of(action) {
    return this.off ? null : this.keys[action];
  }

  /** Why an action cannot have a key, or null. */
  problem(action, key) {
    if (key === null) return null;
    if (RESERVED.has(key) || key.startsWith("Ctrl+")) return `${shown(key)} belongs to the browser.`;
    const other = Object.keys(this.keys).find((one) => one !== action && this.keys[one] === key);
    return other === undefined ? null : `${shown(key)} is taken by: ${this.name(other)}.`;
  }

  assign(action, key) {
    const problem = this.problem(action, key);
    if (problem === null) {
      this.keys[action] = key;
      this.#keep();
    }
    return problem;
  }

  turn(off) {
    this.off = off;
    this.#keep();
  }

  reset() {
    this.keys = { ...this.first };
    this.off = false;
    localStorage.removeItem(STORED);
  }

  name(action) {
    if (action.startsWith("class:")) return this.classes[Number(action.slice(6))];
    return CONTROLS.find(([one]) => one === action)[1];
  }

  #keep() {
    const changed = Object.entries(this.keys).filter(([action, key]) => this.first[action] !== key);
    localStorage.setItem(STORED, JSON.stringify({ off: this.off, keys: Object.fromEntries(changed) }));
  }
}
