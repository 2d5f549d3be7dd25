// What is open grows while agents write: the list, the sessions being written, a session.
import { showGrowth } from "./growth.js";
import { complain, fragment, say } from "./page.js";
import { follow } from "./stream.js";

const PAUSE = 300; // milliseconds in which changes of a list come together
const view = document.querySelector("[data-position]");

// -- the button over the page: something is new above or below

const button = document.createElement("button");
button.type = "button";
button.id = "news";
button.className = "chip";
button.hidden = true;
let go = null;
button.addEventListener("click", () => go?.());

function offer(text, action) {
  button.textContent = text;
  button.hidden = !text;
  go = action;
}

// -- lists

function listRefresher() {
  let timer = 0;
  let missed = 0;

  async function refresh() {
    timer = 0;
    const asked = location.search;
    const answer = await fetch(location.href);
    if (!answer.ok) return;
    const whole = fragment(await answer.text());
    const fresh = whole.getElementById(view.id);
    if (!fresh || location.search !== asked) return; // somebody searched meanwhile
    showMenus(whole.querySelector(".menus"));
    const focused = view.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    view.replaceChildren(...fresh.childNodes);
    if (focused) [...view.querySelectorAll("a")].find((link) => link.getAttribute("href") === focused)?.focus({ preventScroll: true });
    missed = 0;
    offer("");
  }

  // A journal that was empty had none; one that is in use stays as it is.
  function showMenus(fresh) {
    const menus = document.querySelector(".menus");
    if (!fresh || menus?.contains(document.activeElement) || menus?.querySelector("[open]")) return;
    if (menus) menus.replaceWith(fresh);
    else view.before(fresh);
  }

  function soon() {
    timer ||= setTimeout(() => refresh().catch(() => {}), PAUSE);
  }

  if (view.id === "live") setInterval(soon, 10_000); // times pass
  return (items) => {
    const asked = new URLSearchParams(location.search);
    if (asked.get("q") || asked.get("offset")) return; // hits and older pages stay as they are
    missed += items?.filter((item) => item.is_new && !item.parent_id).length ?? 0;
    if (scrollY < 80 || view.id === "live") soon();
    else if (missed) offer(`${missed} new ↑`, () => { scrollTo(0, 0); soon(); });
  };
}

// -- the state of the server

const state = document.createElement("p");
state.id = "state";
state.className = "remark";
state.setAttribute("role", "status");
state.hidden = true;

function tell(status) {
  let text = "";
  if (status.kind === "syncing") text = `Syncing: ${status.text}, ${Math.floor(100 * status.share)} %`;
  else if (status.kind === "failed" || status.kind === "away") text = status.text;
  state.textContent = text;
  state.hidden = !text;
}

// -- a sync

function addSync() {
  const sync = document.createElement("button");
  sync.type = "button";
  sync.className = "chip sync";
  sync.textContent = "Sync";
  sync.title = "Look for new sessions now";
  sync.addEventListener("click", async () => {
    sync.disabled = true;
    sync.textContent = "Syncing …";
    let word = "Sync";
    try {
      const headers = { "Content-Type": "application/json", "X-AJ": "1" };
      const answer = await fetch("/api/1/sync", { method: "POST", headers, body: "{}" });
      const report = await answer.json();
      if (answer.ok) {
        say(`Synced. New sessions: ${report.items[0].new_sessions}`);
        word = "Synced";
        tell({});
      } else {
        complain(`Not synced: ${report.error.message}`);
      }
    } catch {
      complain("The server does not answer.");
    } finally {
      sync.disabled = false;
      sync.textContent = word;
      setTimeout(() => { sync.textContent = "Sync"; }, 2000);
    }
  });
  document.querySelector(".site")?.append(sync);
}

if (document.querySelector(".site")) {
  addSync();
  if (view) {
    document.body.append(button);
    document.getElementById("main").prepend(state);
    const show = view.id === "talk" ? showGrowth(view, offer) : listRefresher();
    follow(view.dataset.position, show, tell);
  }
}
