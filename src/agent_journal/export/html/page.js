"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("js");

  // The reader's choice of colours holds for all pages; where nothing can be remembered it holds for this one.
  const remembered = () => { try { return localStorage.getItem("aj-theme"); } catch { return null; } };
  const remember = (theme) => { try { localStorage.setItem("aj-theme", theme); } catch { /* private window */ } };
  if (["dark", "light"].includes(remembered())) root.dataset.theme = remembered();
  const isDark = () => root.dataset.theme === "dark" ||
    (root.dataset.theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);

  document.addEventListener("DOMContentLoaded", () => {
    const get = (id) => document.getElementById(id);
    const all = (selector) => document.querySelectorAll(selector);
    const say = (text) => { get("say").textContent = text; };

    get("theme").addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      remember(root.dataset.theme);
      say(`${root.dataset.theme} colours`);
    });
    if (matchMedia("(max-width: 64rem)").matches) all(".outline details").forEach((one) => { one.open = false; });

    // -- folding and links ----------------------------------------------------------------------------------------

    const unfoldTo = (node) => {
      for (let at = node; at; at = at.parentElement) {
        if (at.tagName === "DETAILS") at.open = true;
        at.classList.remove("off");
      }
    };
    // What is not yet laid out has a size that was guessed: what comes into view may push the target away again.
    const goTo = (node, block, times = 8) => {
      node.scrollIntoView({ block });
      if (times) requestAnimationFrame(() => goTo(node, block, times - 1));
    };
    const follow = () => {
      let name = location.hash.slice(1);
      try { name = decodeURIComponent(name); } catch { return; }
      const target = name && get(name);
      if (!target) return;
      unfoldTo(target);
      goTo(target, "start");
    };
    addEventListener("hashchange", follow);
    follow();

    get("fold")?.addEventListener("click", (event) => {
      const button = event.currentTarget;
      const open = button.getAttribute("aria-pressed") === "false";
      all("main details").forEach((one) => { one.open = open; });
      button.setAttribute("aria-pressed", String(open));
      button.textContent = open ? "Fold all" : "Unfold all";
    });

    // -- copying --------------------------------------------------------------------------------------------------

    const write = async (text) => {
      try {
        await navigator.clipboard.writeText(text);
      } catch {
        const area = document.createElement("textarea");
        area.value = text;
        document.body.append(area);
        area.select();
        document.execCommand("copy");
        area.remove();
      }
    };
    document.addEventListener("click", async (event) => {
      const button = event.target.closest("button.copy");
      if (!button) return;
      const code = button.closest(".code");
      const source = code ? code.querySelector("code") : button.closest(".msg").querySelector(":scope > .text, :scope > .note, :scope > .code code");
      await write(code ? source.textContent : source.innerText);
      button.textContent = "Copied";
      say("Copied");
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });

    // -- filters --------------------------------------------------------------------------------------------------

    const chips = [...all("[data-filter]")];
    const filter = () => {
      const on = new Set();
      for (const chip of chips) {
        const isOn = chip.getAttribute("aria-pressed") === "true";
        if (isOn) on.add(chip.dataset.filter);
        document.body.classList.toggle(`no-${chip.dataset.filter}`, !isOn);
      }
      const kind = get("kind")?.value;
      all(".call").forEach((call) => call.classList.toggle("off", Boolean(kind) && call.dataset.kind !== kind && !call.querySelector(`.call[data-kind="${kind}"]`)));
      all(".calls").forEach((one) => one.classList.toggle("off", !one.querySelector(":scope > .call:not(.off)")));
      for (const message of all(".msg")) {
        const parts = message.dataset.has.split(" ");
        const calls = parts.includes("tool") && on.has("tool") && (!kind || message.querySelector(".call:not(.off)"));
        message.classList.toggle("off", !calls && !parts.some((part) => part !== "tool" && on.has(part)));
      }
    };
    for (const chip of chips) {
      chip.addEventListener("click", () => {
        chip.setAttribute("aria-pressed", String(chip.getAttribute("aria-pressed") !== "true"));
        filter();
      });
    }
    get("kind")?.addEventListener("change", filter);

    // -- finding: in what is folded, too, and across the elements of coloured code ---------------------------------

    const input = get("find");
    const MOST = 2000;
    const OWN = "button, .by, .own, .mark, .side, .lang, .link, .turning";  // what the page says, not the session
    let found = [];
    let at = -1;

    const rangesIn = (block, pattern) => {
      const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
      const nodes = [];
      let text = "";
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (node.parentElement.closest(OWN)) continue;
        nodes.push([text.length, node]);
        text += node.data;
      }
      const place = (offset) => {
        let low = 0;
        let high = nodes.length - 1;
        while (low < high) {
          const middle = (low + high + 1) >> 1;
          if (nodes[middle][0] <= offset) low = middle; else high = middle - 1;
        }
        return [nodes[low][1], offset - nodes[low][0]];
      };
      const ranges = [];
      for (const match of text.matchAll(pattern)) {
        const range = document.createRange();
        range.setStart(...place(match.index));
        const [node, offset] = place(match.index + match[0].length - 1);
        range.setEnd(node, Math.min(node.data.length, offset + 1));
        ranges.push(range);
        if (found.length + ranges.length >= MOST) break;
      }
      return ranges;
    };

    const show = (number) => {
      all(".here").forEach((one) => one.classList.remove("here"));
      CSS.highlights?.delete("here");
      if (!found.length) return;
      at = (number + found.length) % found.length;
      const range = found[at];
      const element = range.startContainer.parentElement;
      unfoldTo(element);
      if (element.checkVisibility && !element.checkVisibility()) {  // a filter hides it
        chips.forEach((chip) => chip.setAttribute("aria-pressed", "true"));
        if (get("kind")) get("kind").value = "";
        filter();
      }
      if (CSS.highlights) CSS.highlights.set("here", new Highlight(range));
      else element.closest(".msg, li")?.classList.add("here");
      goTo(element, "center");
      get("hits").textContent = `${at + 1} of ${found.length}${found.length === MOST ? "+" : ""}`;
    };

    const find = () => {
      found = [];
      at = -1;
      CSS.highlights?.clear();
      const words = input.value.trim();
      get("hits").textContent = "";
      if (!words) return show(0);
      const pattern = new RegExp(words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "giu");
      for (const block of all("main > *")) {
        if (found.length < MOST) found.push(...rangesIn(block, pattern));
      }
      CSS.highlights?.set("found", new Highlight(...found));
      if (found.length) show(0); else get("hits").textContent = "not found";
    };

    const narrow = () => {
      const words = input.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
      let count = 0;
      for (const item of all(".list li")) {
        const text = item.textContent.toLowerCase();
        const hit = words.every((word) => text.includes(word));
        item.classList.toggle("off", !hit);
        count += hit;
      }
      const none = words.length > 1 ? "no session has all these words" : "no session has this word";
      get("hits").textContent = !words.length ? "" : count ? `${count} found` : none;
    };

    const isIndex = Boolean(document.querySelector(".list"));
    let timer = 0;
    input.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(isIndex ? narrow : find, 150); });
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !isIndex) show(at + (event.shiftKey ? -1 : 1));
      if (event.key === "Escape") { input.value = ""; (isIndex ? narrow : find)(); }
    });
    get("prev")?.addEventListener("click", () => show(at - 1));
    get("next")?.addEventListener("click", () => show(at + 1));

    // -- keys: from the message that was gone to last, or else the one at the top of the window -------------------

    const KEYS = { j: [".msg", 1], k: [".msg", -1], J: ["main > .leaf > .prompt", 1], K: ["main > .leaf > .prompt", -1] };
    let here = null;
    ["wheel", "touchmove", "pointerdown", "hashchange"].forEach((name) => addEventListener(name, () => { here = null; }, { passive: true }));
    const isSeen = (node) => !node.checkVisibility || node.checkVisibility();
    const step = (selector, by) => {
      if (isIndex) selector = ".list a";
      const top = get("talk") ? get("talk").getBoundingClientRect() : { left: 0 };
      const from = here || document.elementFromPoint(top.left + 20, 90)?.closest(".msg, .list a");
      const order = (node) => (from ? from.compareDocumentPosition(node) : Node.DOCUMENT_POSITION_FOLLOWING);
      const wanted = by > 0 ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING;
      const nodes = [...all(selector)].filter((node) => order(node) & wanted);
      const next = by > 0 ? nodes.find(isSeen) : nodes.reverse().find(isSeen);
      if (!next) return;
      here = next;
      if (!isIndex) next.tabIndex = -1;
      next.focus({ preventScroll: true });
      goTo(next, isIndex ? "nearest" : "start");
    };
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
      if (event.key === "/") {
        event.preventDefault();
        input.focus();
      } else if (event.key in KEYS) step(...KEYS[event.key]);
    });
  });
})();
