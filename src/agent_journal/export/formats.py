"""The formats of an export."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from agent_journal.export.family import Member, without_calls, without_secrets
from agent_journal.model import Usage

if TYPE_CHECKING:
    from agent_journal.export.html.page import Look

Format = Literal["html", "md", "json", "jsonl"]
FORMATS: tuple[Format, ...] = ("html", "md", "json", "jsonl")
BY_SUFFIX: dict[str, Format] = {
    ".html": "html",
    ".htm": "html",
    ".md": "md",
    ".markdown": "md",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
# The values of export.default_format.
SETTING_NAMES: dict[str, Format] = {
    "html": "html",
    "markdown": "md",
    "md": "md",
    "json": "json",
    "jsonl": "jsonl",
}
# Unless one says otherwise: they are made to be shared
REDACTED: tuple[Format, ...] = ("html", "md")


class ExportOptions(NamedTuple):
    """How sessions are to be written."""

    form: Format
    is_redacted: bool
    has_calls: bool
    made_by: str
    home: str  # the user's home folder, which a redacted export does not name
    theme: str = "auto"  # of HTML
    split: int | None = None  # messages for a page of HTML
    index_name: str | None = None  # the page of HTML that leads to all sessions
    query: str = ""  # what found them


class Extras(NamedTuple):
    """What HTML shows beside the model: pictures by their hash, and what a response costs in
    micro-dollars.
    """

    pictures: Mapping[str, bytes] = {}
    cost: Callable[[Usage], int | None] = lambda usage: usage.cost_micro_usd


def written(
    family: list[Member], wishes: ExportOptions, extras: Extras, path: str
) -> Iterator[tuple[str, Iterator[bytes]]]:
    """The files for a session and its sub-agents, the first one at `path`; each must be read before
    the next one.
    """
    if not wishes.has_calls:
        family = [member._replace(session=without_calls(member.session)) for member in family]
    if wishes.is_redacted:
        family = [
            member._replace(session=without_secrets(member.session, wishes.home))
            for member in family
        ]
    if wishes.form == "html":
        yield from _html(family, wishes, extras, path)
    elif wishes.form == "md":
        from agent_journal.export.markdown import page

        yield (
            path,
            _encoded(
                f"{line}\n"
                for line in page(family, wishes.is_redacted, wishes.made_by, wishes.has_calls)
            ),
        )
    else:
        yield path, _records(family, wishes)


def page_path(path: str, number: int) -> str:
    """The file of a page, from 1."""
    stem, suffix = os.path.splitext(path)
    return path if number == 1 else f"{stem}-{number}{suffix}"


def _html(
    family: list[Member], wishes: ExportOptions, extras: Extras, path: str
) -> Iterator[tuple[str, Iterator[bytes]]]:
    from agent_journal.export.html.page import Booklet

    def name(number: int) -> str:
        return os.path.basename(page_path(path, number))

    booklet = Booklet(family, look_of(wishes), extras.pictures, extras.cost, name)
    for number, parts in enumerate(booklet.pages(), 1):
        yield page_path(path, number), _encoded(parts)


def look_of(wishes: ExportOptions) -> Look:
    """How pages of HTML are to look."""
    from agent_journal.export.html.page import Look

    return Look(
        wishes.theme,
        wishes.made_by,
        wishes.is_redacted,
        wishes.has_calls,
        wishes.split,
        wishes.index_name,
    )


def _encoded(parts: Iterable[str]) -> Iterator[bytes]:
    return (part.encode("utf-8", "replace") for part in parts)


def _records(family: list[Member], wishes: ExportOptions) -> Iterator[bytes]:
    from agent_journal.export.records import as_document, as_lines
    from agent_journal.model.exchange import FORMAT, VERSION, Head

    head = Head(
        format=FORMAT,
        version=VERSION,
        made_by=wishes.made_by,
        is_redacted=wishes.is_redacted,
        left_out=() if wishes.has_calls else ("tool_calls",),
    )
    sessions = [member.session for member in family]
    return (as_document if wishes.form == "json" else as_lines)(sessions, head)
