// A long session: only the leaves near what is looked at are in the page, the others are empty space.
import { complain, fragment } from "./page.js";

const MOST = 20; // leaves in the page: at most 600 articles
const NEAR = 1500; // pixels beyond the window that have leaves
const STEP = 4; // leaves that are asked for at once
const USUAL = 600; // pixels of a leaf while none was measured
const AGAIN = 1000; // milliseconds until the next try, when the server did not answer

// Some leaves of a session from the server.
export async function fetchPart(talk, asked) {
  const address = new URL(`${talk.dataset.session}/part`, location.href);
  for (const [name, value] of Object.entries(asked)) address.searchParams.set(name, value);
  address.searchParams.set("depth", document.getElementById("depth").value);
  const answer = await fetch(address);
  if (answer.status === 404) location.reload(); // the session is gone, and the server says why
  if (!answer.ok) throw new Error(answer.statusText);
  return fragment(await answer.text());
}

export function showLeaves(talk) {
  let total = Number(talk.dataset.total);
  const heights = new Map(); // of all leaves that were in the page once
  let first = Number(talk.dataset.first);
  let last = first + talk.children.length; // behind the last one
  const above = spacer(talk, "afterbegin");
  const below = spacer(talk, "beforeend");
  let queue = Promise.resolve();
  let waiting = 0;
  let isAway = false;

  const leaves = () => [...talk.querySelectorAll(":scope > .leaf")];

  function usual() {
    let sum = 0;
    for (const height of heights.values()) sum += height;
    return heights.size ? sum / heights.size : USUAL;
  }

  function size() {
    for (const leaf of leaves()) heights.set(Number(leaf.dataset.leaf), leaf.offsetHeight);
    const each = usual();
    const room = (from, to) => {
      let sum = 0;
      for (let leaf = from; leaf < to; leaf += 1) sum += heights.get(leaf) ?? each;
      return `${Math.round(sum)}px`;
    };
    above.style.height = room(0, first);
    below.style.height = room(last, total);
  }

  // What is looked at stays where it is, whatever changes above it.
  function keep(change) {
    const seen = topMessage(talk);
    const before = seen?.getBoundingClientRect().top;
    change();
    size();
    if (!seen?.isConnected) return;
    const moved = seen.getBoundingClientRect().top - before;
    if (moved) scrollBy(0, moved);
  }

  // One thing after the other: what is shown would not be what was counted.
  function alone(work) {
    waiting += 1;
    queue = queue.then(work).then(() => { isAway = false; }, fail).then(() => {
      setTimeout(() => {
        waiting -= 1;
        requestAnimationFrame(look);
      }, isAway ? AGAIN : 0);
    });
    return queue;
  }

  function fail() {
    if (!isAway) complain("The server does not answer.");
    isAway = true;
  }

  const grow = (isUp) => alone(async () => {
    const from = isUp ? Math.max(0, first - STEP) : last;
    const count = isUp ? first - from : Math.min(STEP, total - last);
    const part = await fetchPart(talk, { from, count });
    keep(() => {
      if (isUp) {
        above.after(part);
        first = from;
      } else {
        below.before(part);
        last += count;
      }
      size();
      trim(isUp);
    });
  });

  // Leaves far away leave the page; their place keeps its height.
  function trim(isUp) {
    const shown = leaves();
    const many = Math.max(0, shown.length - MOST);
    const gone = isUp ? shown.slice(shown.length - many) : shown.slice(0, many);
    for (const leaf of gone) leaf.remove();
    if (isUp) last -= many;
    else first += many;
  }

  function replace(part) {
    const shown = [...part.querySelectorAll(".leaf")].map((leaf) => Number(leaf.dataset.leaf));
    for (const leaf of leaves()) leaf.remove();
    above.after(part);
    if (shown.length) first = shown[0];
    last = first + shown.length;
    size();
  }

  // Far from every leaf: begin again at the place that is looked at.
  const jump = () => alone(async () => {
    const each = usual();
    let room = scrollY - talk.offsetTop;
    let from = 0;
    while (from < total - STEP && room > (heights.get(from) ?? each)) {
      room -= heights.get(from) ?? each;
      from += 1;
    }
    replace(await fetchPart(talk, { from: Math.max(0, from - 1), count: STEP + 1 }));
  });

  function look() {
    if (waiting) return;
    const top = above.getBoundingClientRect().bottom;
    const bottom = below.getBoundingClientRect().top;
    if ((top > innerHeight && first > 0) || (bottom < 0 && last < total)) jump();
    else if (top > -NEAR && first > 0) grow(true);
    else if (bottom < innerHeight + NEAR && last < total) grow(false);
  }

  // The message at a position, or the next one; its leaf is fetched when it is not in the page.
  async function find(position) {
    const inside = talk.querySelector(`[data-at="${position}"]`);
    if (inside) return inside;
    await alone(async () => replace(await fetchPart(talk, { at: position })));
    return nearest(talk, position);
  }

  // The end of the session grew (growth.js); its new leaves are in the page when the end was.
  talk.addEventListener("grown", ({ detail }) => {
    total = detail.total;
    last += detail.added;
    if (detail.added) trim(false);
    size();
  });
  addEventListener("scroll", look, { passive: true });
  addEventListener("resize", () => keep(() => {}));
  talk.addEventListener("toggle", () => size(), true);
  size();
  requestAnimationFrame(look);
  return { find };
}

// The message at a position, or the next one after it; else the last one.
export function nearest(talk, position) {
  const messages = [...talk.querySelectorAll("[data-at]")];
  return messages.find((message) => Number(message.dataset.at) >= position) ?? messages.at(-1) ?? null;
}

// The first message below the bars at the top of the window.
export function topMessage(talk) {
  const edge = barsHeight();
  for (const message of talk.querySelectorAll("[data-at]")) {
    if (message.offsetParent && message.getBoundingClientRect().bottom > edge) return message;
  }
  return null;
}

export function barsHeight() {
  let edge = 0;
  for (const bar of document.querySelectorAll(".site, .tabs, .tools")) {
    if (getComputedStyle(bar).position === "sticky") edge += bar.offsetHeight;
  }
  return edge;
}

export function unfold(node) {
  for (let at = node.parentElement; at; at = at.parentElement) {
    if (at.tagName === "DETAILS") at.open = true;
  }
}

function spacer(talk, place) {
  const space = document.createElement("div");
  space.className = "spacer";
  talk.insertAdjacentElement(place, space);
  return space;
}
