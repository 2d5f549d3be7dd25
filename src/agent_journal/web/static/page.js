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

export function say(text) {
  document.getElementById("say").textContent = text;
}
