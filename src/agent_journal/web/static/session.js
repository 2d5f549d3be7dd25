// A session: its place in the address, prompts at the side, folding, and the keys that move in it.
import { fragment, say } from "./page.js";
import { barsHeight, showLeaves, topMessage, unfold } from "./leaves.js";
import { showFinding } from "./finding.js";

const get = (id) => document.getElementById(id);

export function showSession(talk) {
  const view = showLeaves(talk);
  let here = null; // the message that a key or a link went to
  let isMoving = false;
  history.scrollRestoration = "manual";

  // -- going to a message

  function put(message, top) {
    unfold(message);
    const place = () => scrollBy(0, message.getBoundingClientRect().top - top);
    place();
    requestAnimationFrame(place); // what was unfolded or fetched above it has its height now
  }

  // While a leaf is fetched, what happens to be seen is not where the reader is.
  async function find(position) {
    isMoving = true;
    const message = await view.find(position);
    isMoving = false;
    return message;
  }

  async function go(position, { isNew = true, isFocused = true, word = "target" } = {}) {
    if (isNew) remember();
    const message = await find(position);
    if (!message) return null;
    if (isNew) history.pushState({ at: position }, "", address(position));
    mark(message, word);
    put(message, barsHeight() + 12);
    if (isFocused) message.focus({ preventScroll: true });
    return message;
  }

  function mark(message, word) {
    for (const marked of talk.querySelectorAll(".target, .here")) marked.classList.remove("target", "here");
    message.classList.add(word);
    here = message;
  }

  function address(position) {
    const shown = new URL(location.href);
    shown.searchParams.set("at", position);
    shown.searchParams.delete("page");
    shown.hash = "";
    return shown;
  }

  // The address follows what is looked at, so that a reload and the way back find it again.
  function remember() {
    const seen = topMessage(talk);
    const top = seen?.getBoundingClientRect().top;
    if (!seen || isMoving || top > innerHeight) return;
    const at = Number(seen.dataset.at);
    history.replaceState({ at, top }, "", address(at));
    outlineAt(at);
  }

  let resting = 0;
  addEventListener("scroll", () => {
    clearTimeout(resting);
    resting = setTimeout(remember, 200);
  }, { passive: true });

  async function restore(state) {
    if (state?.top === undefined) return go(state?.at ?? Number(talk.dataset.at ?? 0), { isNew: false });
    const message = await find(state.at);
    if (message) put(message, state.top);
    return message;
  }
  addEventListener("popstate", (event) => restore(event.state ?? { at: new URLSearchParams(location.search).get("at") ?? 0 }));
  if (history.state?.at !== undefined) restore(history.state);
  else if (talk.dataset.at !== undefined) go(Number(talk.dataset.at), { isNew: false, isFocused: false });

  // -- links to messages of this page

  document.addEventListener("click", async (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    const more = event.target.closest("#outline .more");
    const link = event.target.closest("[data-go], #talk .by > .link");
    if (more) {
      event.preventDefault();
      await loadOutline(more.dataset.from);
      get("outline").querySelector("a")?.focus();
    } else if (link) {
      event.preventDefault();
      go(Number(link.dataset.go ?? link.closest("[data-at]").dataset.at));
    }
  });

  async function loadOutline(from) {
    const asked = new URL(`${talk.dataset.session}/outline`, location.href);
    asked.searchParams.set("from", from);
    const answer = await fetch(asked);
    if (answer.ok) get("outline").replaceChildren(fragment(await answer.text()));
  }

  function outlineAt(position) {
    let current = null;
    for (const link of document.querySelectorAll("#outline [data-go]")) {
      if (Number(link.dataset.go) <= position) current = link;
      link.removeAttribute("aria-current");
    }
    if (!current) return;
    current.setAttribute("aria-current", "true");
    const side = document.querySelector(".side-column");
    side.scrollTop = current.offsetTop - side.clientHeight / 3;
  }
  if (matchMedia("(max-width: 64rem)").matches) document.querySelector(".outline details").open = false;

  // -- keys

  const isSeen = (node) => !node.checkVisibility || node.checkVisibility();

  // The next message that is seen; where the page ends, the leaf behind it is fetched first.
  async function step(selector, by) {
    const messages = [...talk.querySelectorAll("[data-at]")];
    const from = here?.isConnected ? here : topMessage(talk);
    const place = messages.indexOf(from);
    const others = by > 0 ? messages.slice(place + (here?.isConnected ? 1 : 0)) : messages.slice(0, place).reverse();
    const next = others.find((one) => one.matches(selector) && isSeen(one));
    if (!next) return say(by > 0 ? "This is the end." : "This is the beginning.");
    return go(Number(next.dataset.at), { isNew: false, word: "here" }).then(() => {
      mark(next, "here");
      next.focus({ preventScroll: true });
    });
  }

  // Prompts may be far away: the outline knows where they are.
  async function stepPrompt(by) {
    const now = Number((here?.isConnected ? here : topMessage(talk))?.dataset.at ?? 0);
    const isAhead = (link) => (by > 0 ? Number(link.dataset.go) > now : Number(link.dataset.go) < now);
    const links = () => [...document.querySelectorAll("#outline [data-go]")].filter(isAhead);
    let next = links().at(by > 0 ? 0 : -1);
    const more = [...document.querySelectorAll("#outline .more")].at(by > 0 ? -1 : 0);
    const isLater = more && Number(more.dataset.from) > 0 && more.textContent.startsWith("↓");
    if (!next && more && isLater === by > 0) {
      await loadOutline(more.dataset.from);
      next = links().at(by > 0 ? 0 : -1);
    }
    if (!next) return say(by > 0 ? "This is the last prompt." : "This is the first prompt.");
    return go(Number(next.dataset.go), { isNew: false, word: "here" });
  }

  const fold = () => {
    const within = here?.isConnected && here.querySelector("details") ? here : talk;
    const all = [...within.querySelectorAll("details")];
    const isOpen = all.some((one) => one.open);
    for (const one of all) one.open = !isOpen;
    if (here?.isConnected) put(here, barsHeight() + 12);
    say(isOpen ? "Folded" : "Unfolded");
  };
  get("fold").addEventListener("click", fold);

  const depth = get("depth");
  depth.addEventListener("change", () => {
    const seen = here?.isConnected ? here : topMessage(talk);
    const shown = address(seen?.dataset.at ?? 0);
    shown.searchParams.set("depth", depth.value);
    history.replaceState(null, "");
    location.replace(shown);
  });
  const nextDepth = () => {
    depth.selectedIndex = (depth.selectedIndex + 1) % depth.options.length;
    depth.dispatchEvent(new Event("change"));
  };

  for (const name of ["wheel", "touchmove"]) addEventListener(name, () => { here = null; }, { passive: true });
  const finding = showFinding(talk, go);
  return {
    j: () => step("[data-at]", 1),
    k: () => step("[data-at]", -1),
    J: () => stepPrompt(1),
    K: () => stepPrompt(-1),
    f: fold,
    d: nextDepth,
    i: () => get("find").focus(),
    n: () => finding.next(1),
    N: () => finding.next(-1),
  };
}
