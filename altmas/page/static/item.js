// The item in the middle: an image that can be zoomed, a text, or the columns of a row.

import { byId, make, visible } from "./dom.js";

const MOST = 32;
const STEP = 1.5;
const MOVE = 60;
const SMALL = 96;
const LONG = 80; // a value of more letters is set as a text, below its name

/** Shows items in `home`; images are fetched ahead with `prepare`. */
export class ItemView {
  constructor(home) {
    this.home = home;
    this.images = false; // whether items of this audit have images
    this.ready = new Map();
    this.frame = null;
  }

  /** Fetch an image that will be wanted next. */
  prepare(address) {
    if (address === null || this.ready.has(address)) return;
    const image = make("img", { class: "image", alt: "The item to label", draggable: "false" });
    image.src = address;
    this.ready.set(address, image);
  }

  /** Put an item on the page; resolves when it can be seen. */
  async show(query) {
    this.frame = null;
    const parts = [];
    let image = null;
    if (query.media !== null) {
      this.prepare(query.media);
      image = this.ready.get(query.media);
      this.ready = new Map();
      parts.push(this.#framed(image));
    }
    if (query.media === null && this.images) parts.push(make("p", { class: "empty" }, "This item has no image."));
    if (query.content.length > 0) parts.push(words(query.content));
    // All there is: whoever labels knows the item by its id.
    else if (query.media === null) parts.push(make("p", { class: "text only-id", dir: "auto" }, visible(query.id)));
    try {
      await image?.decode();
    } catch {
      parts[0] = make("p", { class: "empty" }, await whyNot(query.media));
      this.frame = null;
    }
    if (image?.naturalWidth > 0 && Math.max(image.naturalWidth, image.naturalHeight) <= SMALL) image.classList.add("small");
    byId("item-id").querySelector("bdi").textContent = visible(query.id);
    this.home.replaceChildren(...parts);
    this.home.scrollTop = 0;
  }

  #framed(image) {
    const view = { scale: 1, x: 0, y: 0, image };
    const button = (text, name, factor) => {
      const one = make("button", { type: "button", "aria-label": name, title: name }, text);
      one.addEventListener("click", () => this.zoom(factor));
      return one;
    };
    const tools = make("div", { class: "zoom", role: "group", "aria-label": "Zoom" });
    tools.append(button("+", "Zoom in", STEP), button("\u2212", "Zoom out", 1 / STEP), button("Fit", "Fit the whole image", 0));
    const frame = make("div", { class: "frame" }, image);
    frame.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(event.deltaY < 0 ? STEP : 1 / STEP, event);
    }, { passive: false });
    image.addEventListener("pointerdown", (event) => {
      if (view.scale > 1) image.setPointerCapture(event.pointerId);
    });
    image.addEventListener("pointermove", (event) => {
      if (image.hasPointerCapture(event.pointerId)) this.move(event.movementX, event.movementY);
    });
    this.frame = frame;
    this.view = view;
    this.#place();
    return make("div", { class: "picture" }, frame, tools);
  }

  /** Zoom by a factor about the pointer, or the middle; 0 shows the whole image. */
  zoom(factor, pointer = null) {
    if (this.frame === null) return;
    const { view } = this;
    const scale = factor === 0 ? 1 : Math.min(Math.max(view.scale * factor, 1), MOST);
    const box = this.frame.getBoundingClientRect();
    const x = pointer === null ? 0 : pointer.clientX - box.left - box.width / 2;
    const y = pointer === null ? 0 : pointer.clientY - box.top - box.height / 2;
    const grown = scale / view.scale;
    view.x = x - (x - view.x) * grown;
    view.y = y - (y - view.y) * grown;
    view.scale = scale;
    this.move(0, 0);
  }

  move(x, y) {
    if (this.frame === null) return;
    const { view } = this;
    const room = (length) => (length * (view.scale - 1)) / 2;
    const within = (value, most) => Math.min(Math.max(value, -most), most);
    view.x = within(view.x + x, room(this.frame.clientWidth));
    view.y = within(view.y + y, room(this.frame.clientHeight));
    this.#place();
  }

  /** Shift and an arrow move a zoomed image; says whether it did. */
  moved(event) {
    if (this.frame === null || this.view.scale === 1 || !event.shiftKey) return false;
    const [x, y] = { ArrowLeft: [MOVE, 0], ArrowRight: [-MOVE, 0], ArrowUp: [0, MOVE], ArrowDown: [0, -MOVE] }[event.key] ?? [];
    if (x === undefined) return false;
    this.move(x, y);
    return true;
  }

  #place() {
    const { image, scale, x, y } = this.view;
    image.style.transform = `translate(${x}px, ${y}px) scale(${scale})`;
    image.classList.toggle("zoomed", scale > 1);
  }
}

/** A single text, or the columns of a row by their names. */
function words(content) {
  if (content.length === 1) return make("p", { class: "text", dir: "auto" }, content[0][1]);
  const list = make("dl", { class: "columns" });
  for (const [name, value] of content) {
    const long = value.length > LONG || value.includes("\n") ? "long" : "short";
    list.append(make("dt", { dir: "auto", class: long }, name), make("dd", { dir: "auto", class: long }, value));
  }
  return list;
}

async function whyNot(address) {
  try {
    const response = await fetch(address);
    if (!response.ok) return (await response.json()).error;
  } catch {
    return "The server cannot be reached, so the image is missing.";
  }
  return "The image of this item is damaged and cannot be shown.";
}
