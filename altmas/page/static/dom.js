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

/** Show a sentence in an element, or hide the element if there is none. */
export function say(element, sentence) {
  if (element.textContent !== sentence) element.textContent = sentence;
  element.hidden = sentence === "";
}

/** When what was changed is on the screen. */
export function painted() {
  return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
}
