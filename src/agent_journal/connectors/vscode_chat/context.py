"""The texts of what was attached to a prompt, as the extension showed them to the model.

<attachments>
<attachment id="file:b.py" filePath="/w/b.py">
x = 1
</attachment>
</attachments>

They are in `renderedUserMessage` of the metadata; the variables of the prompt only name the files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from msgspec.structs import replace

from agent_journal.connectors.values import items, string
from agent_journal.model import Attachment

_SECTION = "<attachments>"
_HEAD = re.compile(r'<attachment((?: [A-Za-z]{1,40}="[^"\n]*"){1,8})>\n?')
_ATTRIBUTE = re.compile(r'([A-Za-z]+)="([^"]*)"')
_END = "</attachment>"


class AttachedText(NamedTuple):
    """A text that the model got with a prompt: what it is of, by name or by path."""

    name: str | None
    path: str | None
    text: str


def attached_texts(metadata: dict[str, Any]) -> list[AttachedText]:
    """The texts of the attachments of a turn, in order."""
    found: list[AttachedText] = []
    for part in items(metadata.get("renderedUserMessage")):
        text = string(part.get("text")) or ""
        start = text.find(_SECTION)
        if start >= 0:
            found += _in_section(text, start)
    return found


def _in_section(text: str, at: int) -> Iterator[AttachedText]:
    while True:
        head = _HEAD.search(text, at)
        if head is None:
            return
        end = text.find(_END, head.end())
        if end < 0:
            return
        attributes = dict(_ATTRIBUTE.findall(head[1]))
        content = text[head.end() : end].strip("\n")
        if content:
            yield AttachedText(attributes.get("id"), attributes.get("filePath"), content)
        at = end


def with_texts(attachments: list[Attachment], texts: list[AttachedText]) -> list[Attachment]:
    """The attachments with their texts; texts of something else are attachments as well."""
    completed = list(attachments)
    with_own_text = {attachment.name for attachment in attachments if attachment.text}
    waiting: dict[str, int] = {}  # the place of an attachment without a text, by name and path
    for place, attachment in enumerate(attachments):
        if attachment.text is None:
            for name in filter(None, (attachment.name, attachment.path)):
                waiting.setdefault(name, place)
    for text in texts:
        if text.name is not None and text.name in with_own_text:
            continue
        place = waiting.pop(text.name or "", -1)
        if place < 0:
            place = waiting.pop(text.path or "", -1)
        if place >= 0 and completed[place].text is None:
            completed[place] = replace(completed[place], text=text.text)
        else:
            context = Attachment(kind="context", name=text.name, path=text.path, text=text.text)
            completed.append(context)
    return completed
