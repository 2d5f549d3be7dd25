// A long session: only the leaves near what is looked at are in the page, the others are empty space.
import { fragment, say } from "./page.js";

const MOST = 40; // leaves in the page
const AHEAD = "1500px";
const STEP = 4; // leaves that are asked for at once

export function showLeaves(talk) {
  let total = Number(talk.dataset.total);
  const heights = new Map(); // of leaves that are not in the page, as they were
  let first = Number(talk.dataset.first);
  let last = first + talk.children.length; // behind the last one
  const above = spacer(talk, "afterbegin");
  const below = spacer(talk, "beforeend");
  let isBusy = false;

  function size() {
    const known = [...heights.values()];
    const usual = known.length ? known.reduce((sum, height) => sum + height, 0) / known.length : 600;
    const room = (from, to) => {
      let sum = 0;
      for (let leaf = from; leaf < to; leaf += 1) sum += heights.get(leaf) ?? usual;
      return `${Math.round(sum)}px`;
    };
    above.style.height = room(0, first);
    below.style.height = room(last, total);
  }

  function leaves() {
    return [...talk.querySelectorAll(":scope > .leaf")];
  }

  function remember() {
    for (const leaf of leaves()) heights.set(Number(leaf.dataset.leaf), leaf.offsetHeight);
  }

  async function load(from, count) {
    const address = new URL(`${talk.dataset.session}/part`, location.href);
    address.searchParams.set("from", from);
    address.searchParams.set("count", count);
    address.searchParams.set("depth", document.getElementById("depth").value);
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(answer.statusText);
    return fragment(await answer.text());
  }

  async function grow(isUp) {
    if (isBusy) return;
    const from = isUp ? Math.max(0, first - STEP) : last;
    const count = isUp ? first - from : Math.min(STEP, total - last);
    if (count <= 0) return;
    isBusy = true;
    try {
      const part = await load(from, count);
      remember();
      if (isUp) {
        above.after(part);
        first = from;
      } else {
        below.before(part);
        last += count;
      }
      trim(isUp);
      size();
    } catch {
      say("The server does not answer.");
    } finally {
      isBusy = false;
    }
  }

  // Leaves far away leave the page; their place keeps its height.
  function trim(isUp) {
    remember();
    const shown = leaves();
    const many = Math.max(0, shown.length - MOST);
    const gone = isUp ? shown.slice(shown.length - many) : shown.slice(0, many);
    for (const leaf of gone) leaf.remove();
    if (isUp) last -= many;
    else first += many;
  }

  // Far from every leaf: begin again at the place that is looked at.
  async function jump() {
    if (isBusy) return;
    remember();
    const share = (scrollY - talk.offsetTop) / Math.max(1, talk.offsetHeight);
    const from = Math.max(0, Math.min(total - STEP, Math.floor(share * total)));
    isBusy = true;
    try {
      const part = await load(from, Math.min(STEP, total - from));
      for (const leaf of leaves()) leaf.remove();
      above.after(part);
      first = from;
      last = Math.min(total, from + STEP);
      size();
    } catch {
      say("The server does not answer.");
    } finally {
      isBusy = false;
    }
  }

  const watcher = new IntersectionObserver(look, { rootMargin: AHEAD });
  function look() {
    const view = innerHeight;
    const top = above.getBoundingClientRect().bottom;
    const bottom = below.getBoundingClientRect().top;
    if (top > view || bottom < 0) jump();
    else if (top > -1500 && first > 0) grow(true);
    else if (bottom < view + 1500 && last < total) grow(false);
  }
  watcher.observe(above);
  watcher.observe(below);
  addEventListener("scroll", look, { passive: true });
  // The end of the session grew (growth.js); its new leaves are in the page when the end was.
  talk.addEventListener("grown", ({ detail }) => {
    total = detail.total;
    last += detail.added;
    if (detail.added) trim(false);
    size();
  });
  size();

  if (talk.dataset.at !== undefined) {
    const target = nearest(talk, Number(talk.dataset.at));
    if (target) reveal(target);
  }
}

// The message at a position, or the next one after it.
export function nearest(talk, position) {
  for (const message of talk.querySelectorAll("[data-at]")) {
    if (Number(message.dataset.at) >= position) return message;
  }
  return null;
}

export function reveal(message) {
  for (let at = message.parentElement; at; at = at.parentElement) {
    if (at.tagName === "DETAILS") at.open = true;
  }
  message.classList.add("target");
  message.scrollIntoView({ block: "center" });
  requestAnimationFrame(() => message.scrollIntoView({ block: "center" }));
}

function spacer(talk, place) {
  const space = document.createElement("div");
  space.className = "spacer";
  talk.insertAdjacentElement(place, space);
  return space;
}
