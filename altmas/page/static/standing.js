// How things stand, in plain sentences: progress, how fresh the ranking is, and what to do when nothing is left.

import { byId, say } from "./dom.js";

const clock = (iso) => new Date(iso).toLocaleTimeString([], { hour12: false });
const counted = (number, one, many) => `${number} ${number === 1 ? one : many}`;

let saved = "";

/** What annotators may look at, if they want to. */
function showHidden({ reveal }) {
  byId("hidden-things").hidden = !reveal;
  if (!reveal) byId("prediction").textContent = "";
}

/** "37 of 200 answered, saved 14:02:11", and what the ranking knows. */
export function showStanding(standing, acknowledged) {
  if (acknowledged) saved = `, saved ${clock(acknowledged.at)}`;
  showHidden(standing);
  byId("ranking").textContent = standing.expert ? READS : ranking(standing);
  if (standing.expert) {
    const read = standing.to_read ? `${standing.read} of ${standing.to_read} read` : "none yet";
    say(byId("progress"), `Second readings: ${read}${saved}`);
    byId("bar").max = Math.max(standing.to_read, 1);
    byId("bar").value = standing.read;
    return;
  }
  const beyond = standing.answered > standing.budget;
  const plan = standing.budget === null || beyond ? "" : ` of ${standing.budget}`;
  const others = standing.annotators > 1 || standing.yours > standing.answered;
  const yours = others ? ` (${standing.yours} by you)` : "";
  const planned = beyond && standing.budget !== null ? ` (${standing.budget} planned)` : "";
  say(byId("progress"), `${standing.answered}${plan} answered${planned}${yours}${saved}`);
  byId("bar").max = standing.budget ?? standing.pool;
  byId("bar").value = standing.answered;
}

const READS = "You read answers of others again, without seeing them; what you say is taken as the truth.";

function ranking({ labels, ranked, refitting, refit_failed: failed }) {
  const known = ranked === 0 ? "Items come in random order for now." : `The order of items rests on ${ranked} of ${counted(labels, "label", "labels")}.`;
  if (refitting) return `${known} A new order is being made.`;
  return failed ? `${known} Making a new one failed; tell whoever runs this audit to look into refit.log in its folder.` : known;
}

const TITLES = {
  planned: "That is the plan, done",
  all: "Every item of the pool is answered",
  seen: "You have been through them all",
  held: "Nothing for you at the moment",
  read: "No answer waits to be read again",
  trouble: "Your answer is saved",
};

/** The panel for when there is no item, with ways to go on. */
export function showDone({ query, why, standing }, wish) {
  byId("done").hidden = query !== null;
  if (query !== null) return;
  byId("done-title").textContent = TITLES[why];
  byId("done-text").textContent = sentence(why, standing);
  const open = standing ? standing.unsure + standing.skipped + standing.disputed : 0;
  byId("again-button").hidden = open === 0 || why === "seen" || why === "read";
  byId("again-button").textContent = `Look again at ${counted(open, "item", "items")} without a label`;
  byId("beyond-button").hidden = why !== "planned";
  byId("back-button").hidden = !wish.again && why !== "trouble";
  byId("done-title").focus();
}

function sentence(why, standing) {
  if (why === "trouble") return "The next item could not be found, though. Go back to the open items to try again.";
  if (why === "held") return "Others are at the items that are left, or have to answer them too. This page looks again every few seconds.";
  if (why === "read") return "More come as others answer. This page looks again every few seconds.";
  const { unsure, skipped, disputed } = standing;
  const rest = Object.entries({ unsure, skipped, disputed }).filter(([, number]) => number > 0);
  const parts = [counted(standing.labels, "label", "labels"), ...rest.map(([word, number]) => `${number} ${word}`)];
  return `${parts.join(", ")}. Every answer is saved; you may close this page, or look at earlier ones to change them.`;
}
