// The page while it is open: results while typing, keys, and the leaves of a long session.
import { fragment, say } from "./page.js";
import { showLeaves } from "./leaves.js";
import "./live.js";

document.documentElement.classList.add("js");

// -- searching while typing

const box = document.getElementById("q");
const list = document.getElementById("results");
let asked = null;
let resting = 0;

async function showResults(mode) {
  const address = new URL("/results", location.href);
  for (const [name, value] of new URLSearchParams(location.search)) address.searchParams.set(name, value);
  address.searchParams.set("q", box.value.trim());
  address.searchParams.delete("offset");
  if (mode) address.searchParams.set("mode", mode);
  asked?.abort();
  asked = new AbortController();
  try {
    const answer = await fetch(address, { signal: asked.signal });
    list.replaceChildren(fragment(await answer.text()));
  } catch (error) {
    if (error.name !== "AbortError") say("The server does not answer.");
    return;
  }
  const shown = new URL(location.href);
  shown.searchParams.set("q", box.value.trim());
  shown.searchParams.delete("offset");
  history.replaceState(null, "", shown);
  say(document.getElementById("count")?.textContent ?? "");
}

if (box && list) {
  let typing = 0;
  box.addEventListener("input", () => {
    clearTimeout(typing);
    clearTimeout(resting);
    typing = setTimeout(() => showResults(box.value.trim() ? "lexical" : ""), 120);
    resting = setTimeout(() => { if (box.value.trim()) showResults("hybrid"); }, 400);
  });
  for (const field of document.querySelectorAll("#filters select")) {
    field.addEventListener("change", () => field.form.submit());
  }
}

// -- keys

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, select, textarea")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (event.key === "/") {
    event.preventDefault();
    box?.focus();
    box?.select();
  }
});

// -- a session

const talk = document.getElementById("talk");
if (talk) {
  showLeaves(talk);
  const depth = document.getElementById("depth");
  depth.addEventListener("change", () => {
    const address = new URL(location.href);
    address.searchParams.set("depth", depth.value);
    const seen = [...talk.querySelectorAll("[data-at]")].find((one) => one.getBoundingClientRect().bottom > 80);
    if (seen) address.searchParams.set("at", seen.dataset.at);
    location.replace(address);
  });
}

// -- copying

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button.copy, button.copy-text");
  if (!button) return;
  const code = button.closest(".code");
  const source = code ? code.querySelector("code") : button.closest(".msg")?.querySelector(":scope > .text, :scope > .note, :scope > .code code");
  await navigator.clipboard.writeText(button.dataset.text ?? (code ? source.textContent : source.innerText));
  const label = button.textContent;
  button.textContent = "Copied";
  say("Copied");
  setTimeout(() => { button.textContent = label; }, 1500);
});
