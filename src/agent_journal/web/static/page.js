// What all parts of the page use.
const policy = window.trustedTypes
  ? trustedTypes.createPolicy("aj", { createHTML: (text) => text })
  : { createHTML: (text) => text };

// HTML that the server made, as nodes.
export function fragment(text) {
  const template = document.createElement("template");
  template.innerHTML = policy.createHTML(text);
  return template.content;
}

const SHOWN = 6000; // milliseconds
let hiding = 0;

// Said to those who hear the page.
export function say(text) {
  const line = document.getElementById("say");
  line.textContent = text;
  line.classList.add("unseen");
}

// What went wrong is for those who see it, too.
export function complain(text) {
  say(text);
  const line = document.getElementById("say");
  line.classList.remove("unseen");
  clearTimeout(hiding);
  hiding = setTimeout(() => line.classList.add("unseen"), SHOWN);
}
