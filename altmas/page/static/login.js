// Exchanges the login token for a session. The token is taken from the address, which then forgets it.

const form = document.getElementById("login");
const field = document.getElementById("token");
const trouble = document.getElementById("trouble");

/** The token in a pasted link, or the text itself. */
function tokenIn(text) {
  const match = /[?&]token=([^&#\s]+)/.exec(text);
  return match ? decodeURIComponent(match[1]) : text.trim();
}

function say(sentence) {
  trouble.textContent = sentence;
  trouble.hidden = false;
  field.focus();
}

async function enter(token) {
  let response;
  try {
    response = await fetch("/login", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token }),
    });
  } catch {
    say("The server cannot be reached. Is altmas label still running?");
    return;
  }
  if (response.ok) location.replace("/");
  else say((await response.json()).error);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  enter(tokenIn(field.value));
});

const given = new URLSearchParams(location.search).get("token");
history.replaceState(null, "", "/login");
if (given) enter(given);
