// Talks to the server. An answer is sent, with the same id, until the server has acknowledged it.

const csrf = document.querySelector('meta[name="altmas-csrf"]').content;
const annotator = document.querySelector('meta[name="altmas-annotator"]').content;
const audit = document.querySelector('meta[name="altmas-audit"]').content;
const PENDING = `pending ${audit} ${annotator}`; // another audit may be served at the same address one day
const FIRST_PAUSE = 400;
const LONGEST_PAUSE = 5000;

/** The server understood and said no: trying again would not help. */
export class Refused extends Error {
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

/** An id made here, so that sending twice writes once. */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function request(path, options = {}) {
  const response = await fetch(path, { redirect: "error", ...options });
  if (response.ok) return response.json();
  if (response.status >= 500) throw new Error(`status ${response.status}`);
  const said = await response.json().catch(() => ({}));
  throw new Refused(response.status, said.error ?? `The server refused this (${response.status}).`);
}

export const get = (path) => request(path);

export const post = (path, body) =>
  request(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Altmas-Csrf": csrf },
    body: JSON.stringify(body),
  });

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Keep an answer in the browser and send it until it is acknowledged; `onTrouble` is told of each failure. */
export async function postSurely(body, onTrouble) {
  localStorage.setItem(PENDING, JSON.stringify(body));
  for (let wait = FIRST_PAUSE; ; wait = Math.min(2 * wait, LONGEST_PAUSE)) {
    try {
      const reply = await post("/api/answer", body);
      localStorage.removeItem(PENDING);
      return reply;
    } catch (error) {
      if (error instanceof Refused) {
        // When the session is over the answer stays here, and is sent after the next login.
        if (error.status !== 401) localStorage.removeItem(PENDING);
        throw error;
      }
      onTrouble();
      await pause(wait);
    }
  }
}

/** The answer that was not acknowledged before the page was closed, if any. */
export function leftOver() {
  return JSON.parse(localStorage.getItem(PENDING) ?? "null");
}
