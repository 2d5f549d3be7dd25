"""The parts of an answer as VS Code writes them: Markdown, thinking, quotes, fenced diffs."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from agent_journal.export.prose import clean, fenced, inline
from agent_journal.model import Attachment, FileEdit, Todo
from agent_journal.model.diffs import Differ
from agent_journal.text.plain import one_line

Part = dict[str, Any]
MAX_TEXT = 1_000_000  # characters of one text that nothing else in the file holds
_LINE_END = re.compile(r"\r\n|\r|\n")
_DONE = ("completed", "complete", "done")
_WORDS = {
    "injected": "Text the harness put in",
    "command_output": "Output of the command",
    "compaction": "Summary of what came before",
    "error": "Error",
    "interrupt": "Interrupted",
    "hook": "Text of a hook",
    "skill": "Skill",
    "notification": "Notification",
    "notice": "Notice",
    "prompt": "Prompt",
    "command": "Command",
    "shell": "Command",
    "answer": "Answer",
}


class Parts:
    """The parts of one answer, in order."""

    def __init__(self) -> None:
        self.all: list[Part] = []
        self._thoughts = 0

    def say(self, text: str) -> None:
        """Adds Markdown as a paragraph: VS Code joins adjacent parts."""
        is_joined = bool(self.all) and "kind" not in self.all[-1]
        if is_joined:
            text = f"\n\n{text}"
        self.all.append({"value": text})

    def think(self, text: str) -> None:
        """Adds reasoning; versions before 1.104 show it as text."""
        self._thoughts += 1
        # Without a title, newer versions ask a model for one when the chat is opened
        title = one_line(clean(text[:1_000]), 80) or "Thinking"
        self.all.append(
            {
                "kind": "thinking",
                "value": text,
                "id": f"thinking-{self._thoughts}",
                "generatedTitle": title,
            }
        )

    def quote(self, label: str, text: str) -> None:
        """Adds text that is neither a prompt nor an answer, under a label."""
        lines = [f"> **{label}**"]
        if text.strip():
            lines.append(">")
            lines += [f"> {line}" for line in text.strip("\n").split("\n")]
        self.say("\n".join(lines))

    def add(self, part: Part) -> None:
        """Adds any other part."""
        self.all.append(part)


def label_of(kind: str) -> str:
    """What a message is, for people."""
    return _WORDS.get(kind, kind)


def milliseconds(time: datetime) -> int:
    """A time as VS Code writes it."""
    return round(time.timestamp() * 1000)


def units(text: str) -> int:
    """The length in UTF-16 units, in which VS Code counts."""
    return len(text) + sum(letter > "\uffff" for letter in text)


def message_of(text: str) -> dict[str, Any]:
    """A prompt: one text part over all of it."""
    if not text:
        return {"text": "", "parts": []}
    lines = _LINE_END.split(text)
    place = {
        "startLineNumber": 1,
        "startColumn": 1,
        "endLineNumber": len(lines),
        "endColumn": units(lines[-1]) + 1,
    }
    part = {
        "kind": "text",
        "range": {"start": 0, "endExclusive": units(text)},
        "editorRange": place,
        "text": text,
    }
    return {"text": text, "parts": [part]}


def variable_of(attachment: Attachment, number: int) -> dict[str, Any]:
    """Something attached to a prompt; before 1.107 only values that are text can be imported."""
    path = attachment.path or ""
    name = attachment.name or _last(path) or attachment.kind
    value = attachment.text
    if value is None:
        value = f"file://{_quoted(path)}" if path.startswith("/") else path or name
    return {
        "id": f"attachment-{number}",
        "name": clean(name)[:200],
        "kind": "generic",
        "value": value,
        "modelDescription": described(attachment),
    }


def described(attachment: Attachment) -> str:
    """What is known of an attachment, on one line."""
    facts = [attachment.kind, attachment.name, attachment.path, attachment.mime_type]
    if attachment.size is not None:
        facts.append(f"{attachment.size:,} bytes")
    if attachment.sha256 is not None:
        facts.append(f"sha256 {attachment.sha256}")
    facts.append(attachment.note)
    return " ".join(clean(", ".join(filter(None, facts))).split())


def _last(path: str) -> str:
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1]


def _quoted(path: str) -> str:
    from urllib.parse import quote

    return quote(path, errors="replace")


def diff_of(edit: FileEdit, differ: Differ) -> str | None:
    """The diff of an edit, made of its texts where it has none."""
    if edit.diff or (edit.before is None and edit.after is None):
        return edit.diff
    if edit.before is None and edit.kind != "create":
        return None  # the state before is not known
    return differ.diff(edit.path, edit.path, edit.before, edit.after).text


def edit_text(edit: FileEdit, diff: str | None) -> str:
    """An edit as Markdown: which file, how much, and the diff in a fence."""
    head = f"**{edit.kind}** {inline(edit.path, 1_000)}"
    if edit.lines_added is not None:
        head += f" +{edit.lines_added}"
    if edit.lines_removed is not None:
        head += f" −{edit.lines_removed}"
    if edit.state:
        head += f" ({edit.state})"
    if diff:
        return "\n".join([head, "", *fenced(diff, "diff")])
    if edit.after is None:
        return head
    return "\n".join([f"{head}, afterwards:", "", *fenced(edit.after[:MAX_TEXT])])


def todos_text(todos: tuple[Todo, ...]) -> str:
    """A todo list as Markdown."""
    lines = []
    for todo in todos:
        box = "[x]" if todo.status in _DONE else "[ ]"
        line = f"- {box} {inline(todo.content, 2_000)}"
        if todo.status in ("in_progress", "in-progress"):
            line += " (in progress)"
        lines.append(line)
    return "\n".join(lines)
