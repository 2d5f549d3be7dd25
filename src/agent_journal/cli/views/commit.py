"""How `aj commit` shows the sessions of a commit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agent_journal.answers.answer import Answer
from agent_journal.cli.output import agent_colour, echo, note, style, use_colour
from agent_journal.cli.table import Cell, Column, Table
from agent_journal.cli.views.blame import short_day, short_names
from agent_journal.provenance.shares import Share
from agent_journal.text.human import plural
from agent_journal.text.plain import one_line, quoted_path, safe

_COLUMNS = (Column("", least=12), Column("", is_number=True), Column("", least=20))
_COUNTED = ("written", "beside", "likely")  # classes that a trailer may name a session for
_LONGEST = 40  # letters of a prompt
_MOST_FILES = 3
_NOTE = "agent-journal lines, version 1"


def print_commit(answer: Answer) -> None:
    """Print a commit and how many of its lines each session wrote."""
    extra = answer.extra
    name = (extra["commit"] or "staged")[:7]
    lines = plural(extra["lines"], "line")
    head = style(name, "bold", on=use_colour())
    day = short_day(extra["timestamp"])
    echo(f"{head} {one_line(extra['subject'], 100)} · {day} · {lines} added")
    names = short_names(answer.items)
    others_printed = any(item["has_printed"] for item in answer.items)
    table = Table(_COLUMNS, indent="  ")
    for item in answer.items:
        count = plural(item["lines"], "line")
        table.add(_who(item, names), count, _what(item, others_printed))
    table.print()
    for one in extra["evidence"]:
        note(f"{one['kind']} {one['name']}: {one_line(one['value'], 100)}".rstrip(": "))


def trailers(answer: Answer) -> Iterator[str]:
    """Return the trailers that name the sessions of a commit."""
    for item in answer.items:
        if item["session"] is not None and _counted(item):
            yield f"Agent-Session: {one_line(item['agent'])}:{one_line(item['session'])}"


def note_lines(answer: Answer, shares: Sequence[Share]) -> Iterator[str]:
    """Return a note: each session with its classes, and its lines in each file.

    Names of files are quoted as git does it, so that none looks like another line.
    """
    yield _NOTE
    by_lines = [share for share in shares if share.session is not None]
    items = [item for item in answer.items if item["session"] is not None and item["lines"]]
    for item, share in zip(items, by_lines, strict=True):
        classes = " ".join(f"{name}={count}" for name, count in item["classes"].items())
        yield f"{one_line(item['agent'])}:{one_line(item['session'])} {classes}"
        by_file: dict[str, list[str]] = {}
        for lines in share.ranges:
            text = str(lines.first)
            if lines.last > lines.first:
                text += f"-{lines.last}"
            by_file.setdefault(lines.path, []).append(text)
        for path, texts in by_file.items():
            yield f"  {quoted_path(path)} {','.join(texts)}"


def _counted(item: Mapping[str, Any]) -> int:
    return sum(item["classes"].get(name, 0) for name in _COUNTED)


def _who(item: Mapping[str, Any], names: Mapping[str, str]) -> Cell:
    if item["session"] is not None:
        text = f"{safe(item['agent'])} {names[item['session']]}"
        return Cell(text, (agent_colour(item["agent"]),))
    if "several" in item["classes"]:
        return Cell("one of several sessions")
    return Cell("no recorded session", ("dim",))


def _what(item: Mapping[str, Any], others_printed: bool) -> str:
    """Return what a session has to do with a commit, its prompts, or the files of its lines."""
    if item["session"] is None:
        files = item["files"]
        shown = ", ".join(f"{safe(file['path'])} {file['lines']:,}" for file in files[:_MOST_FILES])
        if len(files) > _MOST_FILES:
            shown += f" and {plural(len(files) - _MOST_FILES, 'file')} more"
        return shown
    parts = []
    if item["has_printed"]:
        parts.append("printed this commit")
    elif others_printed and item["lines"]:
        parts.append("uncommitted work of another session")
    prompts = item["prompts"]
    if prompts:
        text = f"{plural(len(prompts), 'prompt')}: “{one_line(prompts[0]['text'], _LONGEST)}”"
        parts.append(text + (" …" if len(prompts) > 1 else ""))
    return "; ".join(parts)
