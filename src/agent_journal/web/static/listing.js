// The list: results while typing, menus, and keys to walk through it.
import { complain, fragment, say } from "./page.js";

const box = document.getElementById("q");
const list = document.getElementById("results");
let asked = null;
let resting = 0;

async function showResults(mode) {
  const address = new URL("/results", location.href);
  const shown = new URL("/", location.href);
  const sort = new URLSearchParams(location.search).get("sort");
  const words = box.value.trim();
  for (const place of [address, shown]) {
    if (words) place.searchParams.set("q", words);
    if (sort) place.searchParams.set("sort", sort);
  }
  if (mode) address.searchParams.set("mode", mode);
  if (words && !/\s$/.test(box.value)) address.searchParams.set("typing", "1");
  asked?.abort();
  asked = new AbortController();
  try {
    const answer = await fetch(address, { signal: asked.signal });
    const found = fragment(await answer.text());
    const refusal = answer.ok ? null : found.getElementById("main"); // of a page that says why
    list.replaceChildren(...(refusal ?? found).childNodes);
  } catch (error) {
    if (error.name !== "AbortError") complain("The server does not answer.");
    return;
  }
  history.replaceState(null, "", shown);
  say(document.getElementById("count")?.textContent ?? "");
}

function titles() {
  return [...document.querySelectorAll("#list a.title, #list a.row")];
}

// j and k move the focus, so Enter opens what a reader hears.
function move(step) {
  const all = titles();
  const at = all.findIndex((title) => title.parentElement.contains(document.activeElement));
  const next = all[Math.max(0, Math.min(all.length - 1, at < 0 ? 0 : at + step))];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

export function showList() {
  if (box && list) {
    let typing = 0;
    box.addEventListener("input", () => {
      clearTimeout(typing);
      clearTimeout(resting);
      typing = setTimeout(() => showResults(box.value.trim() ? "lexical" : ""), 120);
      resting = setTimeout(() => { if (box.value.trim()) showResults("hybrid"); }, 400);
    });
    box.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowDown") return;
      event.preventDefault();
      move(0);
    });
  }
  document.addEventListener("click", (event) => {
    const choice = event.target.closest('.menu a[href^="/narrow"]');
    if (choice && box) choice.href = at(choice.href, box.value.trim());
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const menu = event.target.closest("details.menu[open]");
    if (event.key === "Escape" && menu) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
    if (event.target.closest("input, select, textarea") || !titles().length) return;
    if (event.key === "j" || event.key === "k") move(event.key === "j" ? 1 : -1);
  });
}

// The address of a menu's line for what is in the box now.
function at(address, words) {
  const changed = new URL(address);
  changed.searchParams.set("q", words);
  return changed.href;
}
