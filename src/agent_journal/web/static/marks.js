// Stars, tags and titles: changed here, kept in the journal.
import { complain, say } from "./page.js";

export function showMarks(head) {
  const star = document.getElementById("star");
  const dialog = document.getElementById("naming");
  const [, , agent, ...id] = new URL(head.dataset.session, location.href).pathname.split("/").map(decodeURIComponent);
  const session = `${agent}:${id.join("/")}`;

  async function send(change) {
    try {
      const answer = await fetch("/api/1/marks", {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-AJ": "1" },
        body: JSON.stringify({ session, ...change }),
      });
      const told = await answer.json();
      return answer.ok ? told.items[0] : { problem: told.error.message };
    } catch {
      return { problem: "The server does not answer." };
    }
  }

  star.addEventListener("click", async () => {
    const marks = await send({ starred: star.getAttribute("aria-pressed") !== "true" });
    if (marks.problem) return complain(marks.problem);
    const isStarred = marks.starred_at !== null;
    star.setAttribute("aria-pressed", String(isStarred));
    star.textContent = isStarred ? "★" : "☆";
    say(isStarred ? "Starred" : "The star is gone");
  });

  document.getElementById("name-it").addEventListener("click", () => dialog.showModal());
  dialog.querySelector("form").addEventListener("submit", async (event) => {
    if (event.submitter?.value === "cancel") return;
    event.preventDefault();
    const { title, tags } = event.target.elements;
    const marks = await send({ title: title.value.trim(), tags: tags.value.split(/\s+/).filter(Boolean) });
    if (marks.problem) dialog.querySelector(".failed").textContent = marks.problem;
    else location.reload();
  });
}
