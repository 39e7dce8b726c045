// The guidelines: open beside the item where there is room, folded on small screens; read anew when they change.

import { byId } from "./dom.js";

const FOLDED = `guidelines folded ${document.querySelector('meta[name="altmas-audit"]').content}`;
const ROOM = "(min-width: 72rem)";

/** Fold them, or open them; what an annotator chose is kept in this browser. */
export function foldGuidelines(folded, chosen = false) {
  byId("guidelines").hidden = folded;
  byId("guidelines-button").setAttribute("aria-expanded", String(!folded));
  if (chosen && matchMedia(ROOM).matches) localStorage.setItem(FOLDED, folded ? "yes" : "no");
}

/** Open them at first, where there are some and there is room for them. */
export function openGuidelines() {
  const there = byId("guidelines").dataset.there !== undefined;
  foldGuidelines(!(there && matchMedia(ROOM).matches && localStorage.getItem(FOLDED) !== "yes"));
}

/** Put title and guidelines on the page as the server has them now: it has made both safe. */
export async function readAnew() {
  const response = await fetch("/", { redirect: "error" });
  if (!response.ok) throw new Error(`status ${response.status}`);
  const now = new DOMParser().parseFromString(await response.text(), "text/html");
  document.title = now.title;
  document.querySelector("h1").textContent = now.querySelector("h1").textContent;
  const [old, fresh] = [byId("guidelines"), now.getElementById("guidelines")];
  const [before, after] = [old, fresh].map((one) => [...one.childNodes]);
  if (before.length === after.length && before.every((node, at) => node.isEqualNode(after[at]))) return;
  old.replaceChildren(...after);
  old.toggleAttribute("data-there", fresh.hasAttribute("data-there"));
  foldGuidelines(!old.hasAttribute("data-there")); // whoever labels should see that they are others now
}
