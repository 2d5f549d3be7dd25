// A session that grows while it is open. The view follows only at its end.
import { fetchPart } from "./leaves.js";
import { complain, say } from "./page.js";

const MOST = 20; // leaves that are asked for at once
const NEAR = 60; // pixels from the end that count as the end

export function showGrowth(talk, offer) {
  let total = Number(talk.dataset.total);
  let messages = Number(talk.dataset.messages);
  let missed = 0;
  let work = Promise.resolve();

  const shown = () => [...talk.querySelectorAll(":scope > .leaf")];
  const isEndShown = () => total === 0 || Number(shown().at(-1)?.dataset.leaf) === total - 1;
  const isAtEnd = () => isEndShown() && innerHeight + scrollY >= document.documentElement.scrollHeight - NEAR;

  async function newLeaves() {
    const from = Math.max(0, total - 1);
    const found = [];
    for (;;) {
      const part = await fetchPart(talk, { from: from + found.length, count: MOST });
      const leaves = [...part.querySelectorAll(".leaf")];
      found.push(...leaves);
      if (leaves.length < MOST) return { from, found };
    }
  }

  async function grow() {
    const { from, found } = await newLeaves();
    let added = 0;
    if (isEndShown()) {
      added = Math.max(0, from + found.length - total);
      if (total) patch(shown().at(-1), found[0]);
      for (const leaf of found.slice(found.length - added)) talk.lastElementChild.before(leaf);
    }
    total = Math.max(total, from + found.length);
    talk.dispatchEvent(new CustomEvent("grown", { detail: { total, added } }));
  }

  // Leaves that are not in the page yet come while it scrolls.
  function toEnd(tries = 60) {
    scrollTo(0, document.documentElement.scrollHeight);
    if (tries && !isAtEnd()) setTimeout(toEnd, 50, tries - 1);
  }

  async function update(count) {
    if (count < messages) { // it was rewritten: nothing in the page is sure to be in it
      location.reload();
      return;
    }
    const wasAtEnd = isAtEnd();
    await grow();
    const added = Math.max(0, count - messages);
    messages = Math.max(messages, count);
    if (wasAtEnd) {
      scrollTo(0, document.documentElement.scrollHeight);
    } else if (added) {
      missed += added;
      offer(`${missed} new ↓`, () => toEnd());
    }
    if (added) say(`${added} new`);
  }

  addEventListener("scroll", () => {
    if (!missed || !isAtEnd()) return;
    missed = 0;
    offer("");
  }, { passive: true });

  // One after the other: each begins where the last one ended.
  return (items) => {
    const own = decodeURIComponent(talk.dataset.session);
    const changed = items?.find((item) => `/s/${item.agent}/${item.id}` === own);
    if (items && !changed) return;
    work = work.then(() => update(changed?.message_count ?? messages)).catch(() => complain("The server does not answer."));
  };
}

// Only what differs is replaced, so that what was opened stays open.
function patch(old, fresh) {
  if (!fresh) return;
  const plain = (node) => node.outerHTML.replaceAll(' open=""', "");
  const before = [...old.children];
  const after = [...fresh.children];
  for (const node of before.slice(after.length)) node.remove();
  after.forEach((node, index) => {
    const same = before[index];
    if (!same) old.append(node);
    else if (plain(same) !== plain(node)) {
      node.open = same.open;
      same.replaceWith(node);
    }
  });
}
