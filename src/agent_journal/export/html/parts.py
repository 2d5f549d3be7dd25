"""The small parts of a page: text in its place, code with its button, names for links."""

from __future__ import annotations

import hashlib
import html
import re

from agent_journal.export.prose import clean

_PLAIN = re.compile(r"[A-Za-z0-9_.-]{1,80}\Z")
_OTHER = re.compile(r"[^A-Za-z0-9_.-]+")


def escaped(text: str) -> str:
    """Text of several lines for an element or an attribute: no markup, no control characters."""
    return html.escape(clean(text))


def copy_button(what: str) -> str:
    """A button that copies what is around it; the script knows how."""
    return f'<button type="button" class="copy" aria-label="Copy {what}">Copy</button>'


def code_box(inside: str, kind: str = "", label: str = "") -> str:
    """Preformatted text (HTML) in a box that scrolls and can be copied."""
    name = f'<span class="lang">{label}</span>' if label else ""
    text = f'<pre tabindex="0"><code>{inside}</code></pre>'
    return f'<div class="code {kind}">{name}{copy_button("code")}{text}</div>\n'


def block(text: str, kind: str = "") -> str:
    """Text of a session, unchanged."""
    return code_box(escaped(text), kind)


def tag(name: str, text: str, kind: str) -> str:
    """An element of ours with text (HTML) in it."""
    return f'<{name} class="{kind}">{text}</{name}>'


class Anchors:
    """Names for places, made of the ids of the agents: the same in every later export."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._taken: set[str] = set()

    def name(self, kind: str, session_id: str, own_id: str) -> str:
        """An anchor for a message or call; ids of sub-agents get the hash of their session."""
        stem = own_id
        if not _PLAIN.match(own_id):
            stem = f"{_OTHER.sub('-', own_id)[:40]}-{_mark(own_id)}"
        if session_id != self._root:
            stem = f"{_mark(session_id)}-{stem}"
        name = f"{kind}-{stem}"
        number = 1
        while name in self._taken:
            number += 1
            name = f"{kind}-{stem}.{number}"
        self._taken.add(name)
        return name


def _mark(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]
