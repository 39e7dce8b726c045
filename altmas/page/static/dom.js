// Elements. Text goes in as text, never as markup.

export const byId = (id) => document.getElementById(id);

/** An element with attributes and children; strings become text nodes. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

const CONTROLS = /[\u0000-\u001f\u007f]/g;

/** A name or an id as it can be seen: control characters as the pictures that stand for them. */
export const visible = (text, kept = "") =>
  text.replace(CONTROLS, (one) => (kept.includes(one) ? one : String.fromCodePoint(one === "\u007f" ? 0x2421 : 0x2400 + one.codePointAt(0))));

/** Show a sentence in an element, or hide the element if there is none. */
export function say(element, sentence) {
  if (element.textContent !== sentence) element.textContent = sentence;
  element.hidden = sentence === "";
}

/** When what was changed is on the screen. */
export function painted() {
  return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
}
