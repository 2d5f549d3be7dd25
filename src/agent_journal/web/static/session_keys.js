// The keys of a session: each is a button or a link of the page, or moves in the conversation.
const CLICKS = {
  "[": ".beside [rel=prev]",
  "]": ".beside [rel=next]",
  c: "#copy-resume",
  e: "#export",
  s: "#star",
  "?": "#help",
};

export function showKeys(moves) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target.closest("input, select, textarea, dialog[open]")) return;
    const move = Object.hasOwn(moves, event.key) ? moves[event.key] : null;
    const target = Object.hasOwn(CLICKS, event.key) ? document.querySelector(CLICKS[event.key]) : null;
    if (!move && !target) return;
    event.preventDefault();
    if (move) move();
    else target.click();
  });
  for (const button of document.querySelectorAll("[data-key]")) {
    button.addEventListener("click", () => moves[button.dataset.key]());
  }
  document.getElementById("help").addEventListener("click", () => document.getElementById("keys").showModal());
}
