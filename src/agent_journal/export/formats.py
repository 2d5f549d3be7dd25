"""The formats of an export."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from agent_journal.export.family import (
    Member,
    as_recorded,
    unreadable_results,
    without_calls,
    without_member_secrets,
)
from agent_journal.model import Usage

if TYPE_CHECKING:
    from agent_journal.export.html.page import PageOptions

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
    """How sessions are exported."""

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
    """What is shown beside the model: pictures by hash in HTML, and costs in micro-dollars."""

    pictures: Mapping[str, bytes] = {}
    cost: Callable[[Usage], int | None] = lambda usage: usage.cost_micro_usd


def written(
    family: list[Member], options: ExportOptions, extras: Extras, path: str
) -> Iterator[tuple[str, Iterator[bytes]]]:
    """The files for a session and its sub-agents, the first one at `path`.

    The content of each must be read before the next file is asked for.
    """
    if options.form in ("json", "jsonl"):
        family = [as_recorded(member) for member in family]
    if not options.has_calls:
        family = [member._replace(session=without_calls(member.session)) for member in family]
    if options.is_redacted:
        family = [without_member_secrets(member, options.home) for member in family]
    if options.form == "html":
        yield from _html(family, options, extras, path)
    elif options.form == "md":
        from agent_journal.export.markdown import page

        lines = page(family, options.is_redacted, options.made_by, options.has_calls, extras.cost)
        yield path, _encoded(f"{line}\n" for line in lines)
    else:
        yield path, _records(family, options)


def page_path(path: str, number: int) -> str:
    """The file of a page, from 1.

    A dot, which no name made of a title has: `talk-2.html` may be another session's.
    """
    if number == 1:
        return path
    stem, suffix = os.path.splitext(path)
    return f"{stem}.{number}{suffix}"


def _html(
    family: list[Member], options: ExportOptions, extras: Extras, path: str
) -> Iterator[tuple[str, Iterator[bytes]]]:
    from agent_journal.export.html.page import PageSet

    def name(number: int) -> str:
        return os.path.basename(page_path(path, number))

    page_set = PageSet(family, page_options(options), extras.pictures, extras.cost, name)
    for number, parts in enumerate(page_set.rendered(), 1):
        yield page_path(path, number), _encoded(parts)


def page_options(options: ExportOptions) -> PageOptions:
    """The options that pages of HTML need."""
    from agent_journal.export.html.page import PageOptions

    return PageOptions(
        options.theme,
        options.made_by,
        options.is_redacted,
        options.has_calls,
        options.split,
        options.index_name,
    )


def _encoded(parts: Iterable[str]) -> Iterator[bytes]:
    return (part.encode("utf-8", "replace") for part in parts)


def _records(family: list[Member], options: ExportOptions) -> Iterator[bytes]:
    from agent_journal.export.records import as_document, as_lines, exported_mark
    from agent_journal.model.exchange import FORMAT, VERSION, Head

    head = Head(
        format=FORMAT,
        version=VERSION,
        made_by=options.made_by,
        is_redacted=options.is_redacted,
        left_out=() if options.has_calls else ("tool_calls",),
        unreadable_results=unreadable_results(family),
    )
    sessions = [member.session for member in family]
    marks = [exported_mark(mark) for member in family for mark in member.marks]
    if options.form == "json":
        return as_document(sessions, head, marks)
    return as_lines(sessions, head, marks)
