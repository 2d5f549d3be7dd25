"""The words by which pages name the parts of a conversation."""

from __future__ import annotations

PEOPLE = ("prompt", "command", "shell")
SPOKEN = ("answer", "error", "interrupt")
NOT_SHOWN = ("system_prompt",)
WORDS = {
    "injected": "text the harness put in",
    "command_output": "output of the command",
    "compaction": "summary of what came before",
    "error": "error",
    "interrupt": "interrupted",
    "hook": "text of a hook",
    "skill": "skill",
    "notification": "notification",
    "notice": "notice",
}
MARKS = {
    "ok": "✓",
    "error": "✗",
    "failed": "✗",
    "denied": "denied",
    "interrupted": "interrupted",
    "running": "…",
}
NO_RESULT = "no result"
DONE = ("completed", "complete", "done")
DOING = ("in_progress", "in-progress", "active")
REWOUND = "left behind by a rewind"
DAMAGED = "This result is damaged in the archive."
