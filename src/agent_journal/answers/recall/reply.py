"""The answer of a tool, in two forms of at most so many characters: to read, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from agent_journal.answers.answer import Answer
from agent_journal.answers.recall.cleaning import Cleaning
from agent_journal.answers.recall.quotation import quote
from agent_journal.text.plain import escaped_json

_LENGTHS = (2_000, 500, 120, 30)  # letters of the texts in an item that is too long for an answer


class Reply(NamedTuple):
    """What a tool found, not yet cut to a length.

    Texts are without secrets. There is one part for each item of the answer.
    """

    answer: Answer
    parts: Callable[[], Sequence[str]]
    head: Callable[[int], str]  # how many are shown, in our own words
    foot: str = ""

    def as_text(self, most_chars: int) -> str:
        """The answer to read: a quotation."""
        return quote(self.parts(), self.head, self.foot, most_chars).text


def as_json(answer: Answer, cleaning: Cleaning, most_chars: int) -> dict[str, Any]:
    """The object of docs/json.md, with as many items as fit."""
    envelope: dict[str, Any] = cleaning.data(answer.envelope())
    items = envelope["items"]
    envelope["items"] = []
    room = most_chars - _length(envelope)
    shown: list[Any] = []
    for item in items:
        size = _length(item) + len(", ")
        if size > room and not shown:
            item = _shortened(item, room)
            size = _length(item)
        if size > room:
            break
        shown.append(item)
        room -= size
    if len(shown) < len(items):
        envelope["page"]["state"] = "more"
    envelope["items"] = shown
    if room < 0:  # what is beside the items is too long
        envelope = {name: envelope[name] for name in ("schema", "kind", "items", "page")}
    return envelope


def quoted_json(data: Mapping[str, Any]) -> str:
    """The same object as one quoted line, for clients that only read text."""
    text = written(data)
    return quote([text], _of_json, "", len(text) + AROUND_JSON).text


def _of_json(shown: int) -> str:
    return "One object of JSON."


# Characters around an object of JSON when it is quoted
AROUND_JSON = len(quote([""], _of_json, "", 1_000).text) + len("\n ")


def written(data: Any) -> str:
    """Data as JSON on one line."""
    text = json.dumps(data, ensure_ascii=False)
    return escaped_json(text).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _length(value: Any) -> int:
    return len(written(value))


def _shortened(item: Any, room: int) -> Any:
    """An item with shorter texts."""
    for length in _LENGTHS:
        item = _cut_texts(item, length)
        if _length(item) <= room:
            break
    return item


def _cut_texts(value: Any, length: int) -> Any:
    if isinstance(value, str) and len(value) > length:
        return value[: length - 1] + "…"
    if isinstance(value, dict):
        return {name: _cut_texts(below, length) for name, below in value.items()}
    if isinstance(value, list):
        return [_cut_texts(below, length) for below in value[: max(1, length // 10)]]
    return value
