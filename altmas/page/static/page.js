// The labelling page: one item after the other, each answer on disk before the next item is shown.

import { makeChoices } from "./choices.js";
import { isOpen, makeDialogs, openEstimate, openHelp } from "./dialogs.js";
import { byId, painted, say } from "./dom.js";
import { ItemView } from "./item.js";
import { Keys, shown } from "./keys.js";
import { get, leftOver, newId, post, postSurely, Refused } from "./server.js";
import { foldGuidelines, openGuidelines, readAnew } from "./guidelines.js";
import { showDone, showStanding } from "./standing.js";

const UNREACHABLE = "The server cannot be reached; trying again.";
const NOT_SAVED = "Not saved, retrying. Leave this page open; keys wait until the answer is saved.";

/** Milliseconds from a key press to the next item on the screen. */
window.altmasTimings = [];

const view = new ItemView(byId("item"));
let keys;
let choices;
let query = null; // the item on the page
let reviewed = null; // which of one's own answers it is, when looking back
let turned = false; // it was just taken back; an earlier answer may stand again
let wish = { again: false, beyond: false };
let busy = true; // something is under way: keys and buttons wait
let shownAt = 0;
let changed = 0; // the last change of the audit that this page knows of

async function start() {
  const state = await untilReached(() => get("/api/state"));
  keys = new Keys(state.classes);
  view.images = state.images;
  changed = state.standing.changed;
  openGuidelines();
  choices = makeChoices(byId("choices"), state.classes, keys, (index, event) => answer(index, event));
  makeDialogs(keys, relabel);
  relabel();
  wire();
  const unsent = leftOver();
  if (unsent !== null) await send(unsent).catch(refused);
  await during(next);
}

/** Ask until the server answers: it may be starting again. */
async function untilReached(ask) {
  for (;;) {
    try {
      const reply = await ask();
      say(byId("trouble"), "");
      return reply;
    } catch (error) {
      if (error instanceof Refused) throw error;
      say(byId("trouble"), UNREACHABLE);
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
}

/** Do one thing at a time; what comes meanwhile is left out, for nobody has seen yet what it would be about. */
async function during(work) {
  busy = true;
  document.body.classList.add("busy");
  try {
    await work();
  } catch (error) {
    refused(error);
  } finally {
    busy = false;
    document.body.classList.remove("busy");
  }
}

function refused(error) {
  if (!(error instanceof Refused)) throw error;
  say(byId("trouble"), error.message);
}

async function next() {
  await show(await untilReached(() => post("/api/next", wish)));
}

async function send(body) {
  const reply = await postSurely(body, () => say(byId("trouble"), NOT_SAVED));
  say(byId("trouble"), "");
  return reply;
}

/** Show what the server sent: an item, or why there is none. */
async function show(reply, remark = "") {
  reviewed = null;
  if (reply.standing) showStanding(reply.standing, reply.saved);
  if (reply.standing && reply.standing.changed !== changed) {
    changed = reply.standing.changed;
    await readAnew().catch(() => say(byId("trouble"), "Title or guidelines were changed: reload this page to see them."));
  }
  await put(reply.query, "", null);
  say(byId("notice"), remark);
  showDone(reply, wish);
  if (reply.upcoming) view.prepare(reply.upcoming);
  if (reply.why === "held" || reply.why === "read") setTimeout(() => busy || query || during(next), 3000);
}

async function put(item, note, label) {
  query = item;
  turned = false;
  if (item !== null) await view.show(item);
  for (const place of document.querySelectorAll("[data-item]")) place.hidden = item === null;
  byId("prediction").textContent = "";
  byId("note").value = note;
  byId("later-button").hidden = reviewed === null;
  byId("redo-button").hidden = true;
  openNote(note !== "", false);
  choices.mark(label);
  choices.clear();
  shownAt = performance.now();
}

async function answer(label, event) {
  if (busy || query === null) return;
  const pressed = event.timeStamp;
  const looking = reviewed !== null;
  const body = {
    client: newId(),
    item: query.item,
    label,
    note: byId("note").value,
    took_ms: Math.round(Math.max(pressed - shownAt, 0)),
    replace: looking || turned || wish.again,
    ...wish,
  };
  await during(async () => {
    try {
      await show(await send(body), looking ? "Your answer was changed." : "");
    } catch (error) {
      if (error.status === 409) await next(); // answered elsewhere meanwhile: the sentence says so, and on we go
      throw error;
    }
    painted().then(() => window.altmasTimings.push(performance.now() - pressed));
  });
}

/** Take back, or give again; the server knows what, also after it was started anew. */
const turn = (path) =>
  during(async () => {
    const body = { client: newId(), ...wish };
    const reply = await untilReached(() => post(path, body));
    const said = (label) => (typeof label === "number" ? keys.classes[label] : label);
    await show(reply, reply.undone ? `Taken back: ${said(reply.undone.label)}.` : `Given again: ${said(reply.redone.label)}.`);
    turned = reply.undone !== undefined;
    byId("redo-button").hidden = !turned;
  });

/** Look at one's own answers, earlier or later; past the last one comes the open item again. */
const look = (step) =>
  during(async () => {
    if (reviewed === null && step > 0) return;
    if (reviewed !== null && step > 0 && reviewed.at === reviewed.of - 1) {
      await next();
      return;
    }
    const at = reviewed === null ? "" : `?at=${Math.max(reviewed.at + step, 0)}`;
    const reply = await untilReached(() => get(`/api/review${at}`));
    reviewed = reply;
    const { label, note } = reply.answer;
    byId("done").hidden = true;
    await put(reply.query, note, label);
    const name = typeof label === "number" ? keys.classes[label] : label;
    say(byId("notice"), `Your answer ${reply.at + 1} of ${reply.of}: ${name}. Answer again to change it.`);
  });

const reveal = (what) =>
  during(async () => {
    const body = { client: newId(), what, ...(what === "prediction" ? { item: query.item } : {}) };
    const reply = await post("/api/reveal", body).catch((error) => {
      throw error instanceof Refused ? error : new Refused(0, "This could not be shown; try again.");
    });
    say(byId("trouble"), "");
    if (what === "estimate") openEstimate(reply.estimates);
    else byId("prediction").textContent = reply.predictions.map(({ model, prediction }) => `${model}: ${prediction}`).join("; ");
  });

function openNote(open, focus = true) {
  byId("note-panel").hidden = !open;
  byId("note-button").setAttribute("aria-expanded", String(open));
  if (open && focus) byId("note").focus();
}

function relabel() {
  choices.relabel();
  for (const place of document.querySelectorAll("[data-key]")) {
    place.textContent = shown(keys.of(place.dataset.key));
    place.hidden = keys.of(place.dataset.key) === null;
  }
}

/** What goes through the server, and so one at a time. */
const ASKING = {
  unsure: (event) => answer("unsure", event),
  skip: (event) => answer("skip", event),
  undo: () => turn("/api/undo"),
  redo: () => turn("/api/redo"),
  earlier: () => look(-1),
  later: () => look(1),
};

/** What the page does by itself. */
const LOCAL = {
  filter: () => choices.focus(),
  note: () => openNote(byId("note-panel").hidden),
  guidelines: () => foldGuidelines(!byId("guidelines").hidden, true),
  help: () => openHelp(keys, window.altmasTimings),
  zoomIn: () => view.zoom(1.5),
  zoomOut: () => view.zoom(1 / 1.5),
  zoomFit: () => view.zoom(0),
};

function act(action, event) {
  if (action in LOCAL) LOCAL[action]();
  else if (busy) return;
  else if (action in ASKING) ASKING[action](event);
  else answer(Number(action.slice("class:".length)), event);
}

const typing = (element) => element.matches("input, textarea, select, [contenteditable]");

function pressed(event) {
  if (event.repeat || event.isComposing || isOpen()) return;
  if (typing(event.target)) {
    if (event.key === "Escape") {
      event.target.blur();
      if (event.target === byId("note")) openNote(false);
    }
    return;
  }
  if (view.moved(event)) {
    event.preventDefault();
    return;
  }
  const action = keys.action(event);
  if (action === undefined) return;
  event.preventDefault();
  act(action, event);
}

function wire() {
  document.addEventListener("keydown", pressed);
  for (const button of document.querySelectorAll("[data-action]")) {
    button.addEventListener("click", (event) => act(button.dataset.action, event));
  }
  const on = (id, work) => byId(id).addEventListener("click", () => busy || work());
  on("prediction-button", () => query && reveal("prediction"));
  on("estimate-button", () => reveal("estimate"));
  const want = (change) => {
    wish = { ...wish, ...change };
    during(next);
  };
  on("beyond-button", () => want({ beyond: true }));
  on("again-button", () => want({ again: true }));
  on("back-button", () => want({ again: false }));
}

start().catch(refused);
