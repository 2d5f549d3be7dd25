"""A session with its sub-agents, as it is exported."""

from __future__ import annotations

from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from agent_journal.model import Message, Session, ToolCall
from agent_journal.model.arguments import parse_arguments, split_arguments
from agent_journal.store.archive import Archive
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import Files
from agent_journal.store.catalog.listing import SessionRow, descendants_of
from agent_journal.store.catalog.loading import load_session
from agent_journal.store.catalog.marks import marks_of
from agent_journal.store.marks_file import TAG, Mark
from agent_journal.store.quotes import Quotes
from agent_journal.text.redaction.redact import redact, redact_all, redact_printed

_CUT = 199  # letters of a title that connectors have cut
_PLAIN = "".join(map(chr, range(0x21, 0x7F)))  # what a token can be made of


class Member(NamedTuple):
    """A session with everything in it, its row, which has the sums, and a person's marks."""

    row: SessionRow
    session: Session
    marks: tuple[Mark, ...] = ()

    @property
    def tags(self) -> list[str]:
        """The tags that a person gave it."""
        return [mark.value for mark in self.marks if mark.kind == TAG]


def load_family(
    db: Connection, archive: Archive, row: SessionRow, *, with_spills: bool = True
) -> list[Member]:
    """The session, its sub-agents, and theirs; see `load_session`."""
    quotes = Quotes(Files(db), archive)
    return [
        Member(
            member,
            load_session(db, member, quotes, with_spills=with_spills),
            marks_of(db, member.agent, member.id),
        )
        for member in (row, *descendants_of(db, row))
    ]


def unreadable_results(family: list[Member]) -> int:
    """How many results of tool calls the archive has lost."""
    return sum(
        call.result is None and call.result_at is not None
        for member in family
        for message in member.session.messages
        for call in message.tool_calls
    )


def as_recorded(member: Member) -> Member:
    """A session with its agent's title: its own is among its marks."""
    row = member.row.without_marks()
    session = replace(member.session, title=row.title, title_source=row.title_source)
    return member._replace(session=session)


def without_member_secrets(member: Member, home: str) -> Member:
    """A session and its marks without secrets."""
    marks = (mark._replace(value=redact(mark.value, home)) for mark in member.marks)
    return member._replace(session=without_secrets(member.session, home), marks=tuple(marks))


def without_calls(session: Session) -> Session:
    """The session without tool calls and their results, and without the edits that calls made."""
    messages = (
        replace(message, tool_calls=())
        for message in session.messages
        if not _is_only_calls(message)
    )
    edits = tuple(edit for edit in session.file_edits if edit.call_id is None)
    return replace(session, messages=tuple(messages), file_edits=edits)


def _is_only_calls(message: Message) -> bool:
    return bool(message.tool_calls) and not (message.text or message.reasoning or message.usage)


def without_secrets(session: Session, home: str) -> Session:
    """The session with secrets replaced by remarks, and home folders by `~`."""
    from datetime import datetime

    if session.title is not None:
        session = replace(session, title=without_cut_word(session.title))
    session = replace(session, messages=tuple(map(_without_printed_secrets, session.messages)))
    plain = msgspec.to_builtins(session, builtin_types=(datetime,))
    return msgspec.convert(redact_all(plain, lambda text: redact(text, home)), Session)


def without_cut_word(title: str) -> str:
    """A title without its last word, where a connector may have cut it.

    It cuts long first prompts, perhaps in a token, which is then no longer recognised.
    """
    if len(title) < _CUT:
        return title
    return title.rstrip(_PLAIN).rstrip() + "…"


def _without_printed_secrets(message: Message) -> Message:
    """A message without the secrets in results that only the commands show to be some."""
    if not any(call.kind == "shell" and call.result for call in message.tool_calls):
        return message
    return replace(message, tool_calls=tuple(map(_without_printed_secret, message.tool_calls)))


def _without_printed_secret(call: ToolCall) -> ToolCall:
    if call.kind != "shell" or not call.result:
        return call
    command = split_arguments(call.kind, parse_arguments(call.arguments) or {}).main
    return replace(call, result=redact_printed(call.result, command))
