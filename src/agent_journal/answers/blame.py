"""`blame`: the lines of a file, and which session wrote each of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypedDict

from agent_journal.answers.answer import Answer, whole_answer
from agent_journal.answers.attributed_line import OtherItem, PromptItem, Teller
from agent_journal.answers.line_index import line_index
from agent_journal.journal import Journal
from agent_journal.provenance.blame import FileBlame, Range, blame_file
from agent_journal.provenance.candidates import Asked, Candidate
from agent_journal.provenance.verdicts import CLASSES, NONE, LineClass, Verdict

# `class` is a keyword of Python: this shape has to be made by a call
BlameItem = TypedDict(
    "BlameItem",
    {
        "path": str,
        "line": int,
        "text": str,
        "commit": str | None,
        "class": str,
        "session": str | None,
        "agent": str | None,
        "edit": int | None,
        "timestamp": str | None,
        "prompt": PromptItem | None,
        "sub_agent": str | None,
        "others": list[OtherItem],
        "hint": str | None,
        "hint_session": str | None,
        "words": str | None,
    },
)


class BlameWishes(NamedTuple):
    """What a person wants to see of each line."""

    least: LineClass = "several"  # weaker classes count as none
    with_words: bool = False  # what the agent said before the edit
    with_all: bool = False  # every session that could have written the line


def find_blame(
    journal: Journal, path: str, lines: Range | None = None, *, may_be_gone: bool = False
) -> FileBlame:
    """Find out who wrote the lines of a file; the path is from the working folder.

    One that `may_be_gone` has no lines where only an earlier commit had it.
    """

    def find() -> FileBlame:
        index = line_index(journal)
        return blame_file(journal.db, index, path, lines, may_be_gone=may_be_gone)

    return journal.with_indexes(find)


def blame_answer(found: FileBlame, wishes: BlameWishes | None = None) -> Answer:
    """Return the lines of a file with who wrote them."""
    wishes = wishes or BlameWishes()
    teller = Teller(found.finder.sessions, found.prompts)
    items = [
        _item(found, teller, asked, verdict, wishes)
        for asked, verdict in zip(found.asked, found.verdicts, strict=True)
    ]
    return whole_answer("blame", items)


def shown_verdict(verdict: Verdict, least: LineClass) -> Verdict:
    """A verdict, or none when it is of a weaker class than is wanted."""
    if CLASSES.index(verdict.line_class) > CLASSES.index(least):
        return Verdict(verdict.line)
    return verdict


def _item(
    found: FileBlame, teller: Teller, asked: Asked, verdict: Verdict, wishes: BlameWishes
) -> BlameItem:
    verdict = shown_verdict(verdict, wishes.least)
    line = verdict.line
    edit = hint = None
    if verdict.candidate is not None:
        edit = teller.edit(verdict.candidate)
    if verdict.line_class == NONE:
        hint = found.hints.get(line.commit)
    return {
        "path": found.file.path,
        "line": line.number,
        "text": line.text,
        "commit": line.commit or None,
        "class": verdict.line_class,
        "session": edit.session if edit else None,
        "agent": edit.agent if edit else None,
        "edit": edit.edit if edit else None,
        "timestamp": edit.timestamp if edit else None,
        "prompt": edit.prompt if edit else None,
        "sub_agent": edit.sub_agent if edit else None,
        "others": [teller.other(one) for one in _others(asked, verdict, wishes)],
        "hint": hint.text if hint else None,
        "hint_session": teller.session_id(hint.session) if hint else None,
        "words": teller.words(verdict.candidate) if wishes.with_words else None,
    }


def _others(asked: Asked, verdict: Verdict, wishes: BlameWishes) -> Iterable[Candidate]:
    """The other sessions that could have written a line, the newest edit of each."""
    if not wishes.with_all:
        return verdict.others
    newest: dict[int, Candidate] = {}
    for one in sorted(asked.candidates, key=lambda c: (c.time, c.edit)):
        if one.session != verdict.session:
            newest[one.session] = one
    return reversed(newest.values())
