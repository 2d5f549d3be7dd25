"""A command that a person can copy; the page runs nothing."""

from __future__ import annotations

from html import escape

from agent_journal.text.plain import one_line


def command(text: str) -> str:
    """A command with a button that copies it."""
    shown = escape(one_line(text, 500))
    return (
        f'<span class="command"><code>{shown}</code> <button type="button" class="chip copy-text" '
        f'data-text="{shown}" aria-label="Copy the command {shown}">Copy</button></span>'
    )
