// Finding in a session: the server knows where, the page marks what it has.
import { complain, say } from "./page.js";

const OWN = "button, .by, .own, .mark, .side, .lang, .link"; // what the page says, not the session
const MOST_MARKS = 500;

export function showFinding(talk, go) {
  const box = document.getElementById("find");
  const told = document.getElementById("found");
  let hits = [];
  let words = [];
  let isAll = true;
  let at = -1;
  let asked = null;

  const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

  function tell() {
    told.textContent = "";
    if (!box.value.trim()) return;
    told.textContent = hits.length ? `${at + 1}/${hits.length.toLocaleString("en")}${isAll ? "" : "+"}` : "not found";
  }

  async function ask() {
    asked?.abort();
    asked = new AbortController();
    const address = new URL(box.form.action);
    address.searchParams.set("q", box.value.trim());
    address.searchParams.set("as", "positions");
    try {
      const answer = await fetch(address, { signal: asked.signal });
      if (!answer.ok) throw new Error(answer.statusText);
      const found = await answer.json();
      hits = found.positions;
      words = found.words;
      isAll = found.is_all;
    } catch (error) {
      if (error.name !== "AbortError") complain("The server does not answer.");
      return;
    }
    const seen = Number(new URLSearchParams(location.search).get("at") ?? 0);
    at = hits.findIndex((position) => position >= seen) - 1;
    if (at < -1) at = -1;
    if (hits.length) await next(1, false);
    else mark();
    tell();
  }

  async function next(by, isFocused = true) {
    if (!hits.length) return;
    at = (at + by + hits.length) % hits.length;
    tell();
    const message = await go(hits[at], { isNew: false, isFocused, word: "target" });
    if (!message) return;
    open(message);
    mark();
    say(told.textContent);
  }

  // A word may be in a call or in reasoning that is folded.
  function open(message) {
    for (const article of talk.querySelectorAll(`[data-at="${message.dataset.at}"]`)) {
      if (!has(article)) continue;
      const steps = article.closest("details.steps");
      if (steps) steps.open = true;
      for (const part of article.querySelectorAll("details")) if (has(part)) part.open = true;
    }
  }

  const has = (node) => words.some((word) => plain(node.textContent).includes(word));

  // Marks without changing the page: the browser paints them.
  function mark() {
    if (!window.Highlight) return;
    CSS.highlights.delete("found");
    if (!words.length) return;
    const ranges = [];
    const walker = document.createTreeWalker(talk, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node && ranges.length < MOST_MARKS; node = walker.nextNode()) {
      const text = plain(node.data);
      if (text.length !== node.data.length || node.parentElement.closest(OWN)) continue;
      for (const word of words) {
        for (let from = text.indexOf(word); from >= 0; from = text.indexOf(word, from + word.length)) {
          const range = new Range();
          range.setStart(node, from);
          range.setEnd(node, from + word.length);
          ranges.push(range);
        }
      }
    }
    CSS.highlights.set("found", new Highlight(...ranges));
  }
  new MutationObserver(mark).observe(talk, { childList: true });

  let typing = 0;
  box.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(ask, 150);
  });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    next(event.shiftKey ? -1 : 1, false);
  });
  box.form.addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("find-prev").addEventListener("click", () => next(-1));
  document.getElementById("find-next").addEventListener("click", () => next(1));
  return { next };
}
