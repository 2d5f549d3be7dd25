"""What Codex and editors add to the words of a person, and cutting it off from them.

`<environment_context>…</environment_context>`, `# AGENTS.md instructions…`, and the files that
editors name before `## My request for Codex:`. Only the text tells them from what a person typed.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from agent_journal.connectors.codex.contents import Content
from agent_journal.model import MessageKind

_FOLDER = re.compile(
    r"<environment_context>\s*"
    r"(?:<cwd>([^<\n]{1,4096})</cwd>|Current working directory: ([^\n]{1,4096}))"
)
_STARTS = (
    "# AGENTS.md instructions",
    "<environment_context>",
    "<user_instructions>",
    "<turn_aborted>",
    "<permissions instructions>",
    "<INSTRUCTIONS>",
    "<skill>",
)
_WRAPPED = re.compile(r"<([a-z]+_[a-z_]+)(?: [^>]*)?>.*</[\w -]+>", re.DOTALL)
_KINDS: dict[str, MessageKind] = {
    "hook_prompt": "hook",
    "skill": "skill",
    "subagent_notification": "notification",
    "user_shell_command": "shell",
}
# Blocks that a person's words may precede or follow
_TAGS = (
    "environment_context",
    "user_instructions",
    "permissions instructions",
    "INSTRUCTIONS",
    "turn_aborted",
    "skill",
    "skills_instructions",
    "apps_instructions",
    "plugins_instructions",
    "collaboration_mode",
    "personality_spec",
    "model_switch",
)
_FIRST_BLOCK = re.compile(
    r"\s*(?:# AGENTS\.md instructions[^\n]*\n\s*(?=<INSTRUCTIONS>))?"
    rf"<({'|'.join(_TAGS)})>.*?</\1>",
    re.DOTALL,
)
# Editors and the desktop app put headings with open files, selections and others before it
_REQUEST = "\n## My request for Codex:"
# What one agent writes to another, in the role of the user
_AGENT_MESSAGE = re.compile(r"Message Type: [A-Z_]+\nTask name: ")


class Parts(NamedTuple):
    """A text of the role user: what was added to it, and the words of the person."""

    context: str
    words: str


def kind_of(text: str) -> MessageKind:
    """Return what a text of the role user is: a prompt, or context that Codex added."""
    text = text.strip()
    if text.startswith("Message Type: ") and _AGENT_MESSAGE.match(text):
        return "notification"
    if not text.startswith(("<", "# AGENTS")):
        return "prompt"
    wrapped = _WRAPPED.fullmatch(text)
    if wrapped is not None:
        return _KINDS.get(wrapped[1], "injected")
    if text.startswith("<skill>"):
        return "skill"
    if text.startswith(_STARTS):
        return "injected"
    return "prompt"


def cut(content: Content) -> Parts:
    """Cut the context off a text of the role user; either part may be empty."""
    context: list[str] = []
    words: list[str] = []
    for part in content.parts or (content.text,):
        found = _cut(part)
        if found.context:
            context.append(found.context)
        if found.words:
            words.append(found.words)
    return Parts("\n\n".join(context), "\n\n".join(words))


def _cut(text: str) -> Parts:
    start = 0
    end = len(text)
    if "<" in text:
        while block := _FIRST_BLOCK.match(text, start):
            start = block.end()
        end = _end_of_words(text, start)
    words = text[start:end]
    if kind_of(words) != "prompt":
        return Parts(text, "")
    heading = f"\n{words}".rfind(_REQUEST)
    if heading >= 0 and words.lstrip().startswith("#"):
        start += heading + len(_REQUEST) - 1
        words = text[start:end]
    context = (text[:start] + text[end:]).strip()
    if not words.strip():
        return Parts(text, "")
    if not context:
        return Parts("", text)
    return Parts(context, words.strip())


def _end_of_words(text: str, start: int) -> int:
    """Return where the blocks at the end of a text begin; its length without any."""
    end = len(text)
    for _ in _TAGS:  # as many as there can be
        rest = text[start:end].rstrip()
        tag = next((tag for tag in _TAGS if rest.endswith(f"</{tag}>")), None)
        begin = rest.rfind(f"<{tag}>") if tag else -1
        if begin < 0:
            break
        end = start + begin
    return end


def folder_in(context: str) -> str | None:
    """Return the working folder in a context; some versions recorded it nowhere else."""
    folder = _FOLDER.search(context)
    if folder is None:
        return None
    return folder[1] or folder[2]
