"""What a person typed, out of what Cursor puts around it.

<open_and_recently_viewed_files>…</open_and_recently_viewed_files>
<agent_skills>…</agent_skills>
[Image]
<user_query>
make it faster
</user_query>
"""

from __future__ import annotations

import re
from typing import NamedTuple

from agent_journal.model import Attachment, MessageKind

_QUERY = re.compile(r"<user_query>\s*(.*?)\s*</user_query>", re.DOTALL)
_OPENING = re.compile(r"\s*<([a-z][a-z0-9_-]*)(?:\s[^<>]*)?>")
_IMAGE = "[Image]"
_SUMMARY = "[Previous conversation summary]"
# Cursor's tags have several words (`agent_skills`), which those of HTML never have; except these
_SHORT_TAGS = frozenset(("rules", "timestamp"))


class UserText(NamedTuple):
    """A text of the role user, without what Cursor put around it."""

    kind: MessageKind
    text: str
    attachments: list[Attachment]


class _Context(NamedTuple):
    """The tags at the beginning of a text with what is in them, and the text after them."""

    attachments: list[Attachment]
    rest: str


def unwrapped(text: str) -> UserText:
    """Return what a person typed; a text that only has Cursor's context was not typed."""
    queries = _QUERY.findall(text)
    if queries:
        around = [_around_query(part) for part in _QUERY.split(text)[::2]]
        attachments = [attachment for part in around for attachment in part]
        return UserText("prompt", "\n\n".join(queries), attachments)
    if text.lstrip().startswith(_SUMMARY):
        return UserText("compaction", text, [])
    context = _context(text, may_be_typed=True)
    if not context.attachments:
        return UserText("prompt", text, [])
    if not context.rest:
        return UserText("injected", text, [])
    return UserText("prompt", context.rest, context.attachments)


def _context(text: str, may_be_typed: bool) -> _Context:
    """Take the tags off the beginning; those that a person may have typed stay."""
    attachments: list[Attachment] = []
    at = 0
    while opening := _OPENING.match(text, at):
        tag = opening[1]
        is_of_cursor = "_" in tag or tag in _SHORT_TAGS
        if may_be_typed and not is_of_cursor:
            break
        closing = f"</{tag}>"
        end = text.find(closing, opening.end())
        if end < 0:
            if is_of_cursor:  # the text was cut
                attachments.append(Attachment(kind=tag, text=text[opening.end() :].strip()))
                at = len(text)
            break
        attachments.append(Attachment(kind=tag, text=text[opening.end() : end].strip()))
        at = end + len(closing)
    return _Context(attachments, text[at:].strip())


def _around_query(text: str) -> list[Attachment]:
    """Return what stands before, between or after the words of a person."""
    lines = text.split("\n")
    images = [Attachment(kind="image") for line in lines if line.strip() == _IMAGE]
    others = "\n".join(line for line in lines if line.strip() != _IMAGE)
    attachments, rest = _context(others, may_be_typed=False)
    if rest:
        attachments.append(Attachment(kind="context", text=rest))
    return [*attachments, *images]
