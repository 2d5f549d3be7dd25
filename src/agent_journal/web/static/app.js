// The page while it is open: the list, keys, and the leaves of a long session.
import { showList } from "./listing.js";
import { say } from "./page.js";
import { showLeaves } from "./leaves.js";

document.documentElement.classList.add("js");

const box = document.getElementById("q");
showList();

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
