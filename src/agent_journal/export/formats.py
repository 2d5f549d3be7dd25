"""The formats of an export."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from agent_journal.export.family import Member, without_calls, without_secrets

Format = Literal["md", "json", "jsonl"]
FORMATS: tuple[Format, ...] = ("md", "json", "jsonl")
BY_SUFFIX: dict[str, Format] = {".md": "md", ".markdown": "md", ".json": "json", ".jsonl": "jsonl"}
SETTING_NAMES: dict[str, Format] = {"markdown": "md", "json": "json", "jsonl": "jsonl"}  # of export.default_format


class Wishes(NamedTuple):
    """How sessions are to be written."""

    form: Format
    is_redacted: bool
    has_calls: bool
    made_by: str
    home: str  # the user's home folder, which a redacted export does not name


def written(family: list[Member], wishes: Wishes) -> Iterator[bytes]:
    """The bytes of a file with a session and its sub-agents."""
    if not wishes.has_calls:
        family = [member._replace(session=without_calls(member.session)) for member in family]
    if wishes.is_redacted:
        family = [member._replace(session=without_secrets(member.session, wishes.home)) for member in family]
    if wishes.form == "md":
        from agent_journal.export.markdown import page

        yield from (f"{line}\n".encode("utf-8", "replace") for line in page(family, wishes.is_redacted, wishes.made_by))
        return
    from agent_journal.exchange import FORMAT, VERSION, Head
    from agent_journal.export.records import as_document, as_lines

    head = Head(
        format=FORMAT, version=VERSION, made_by=wishes.made_by, is_redacted=wishes.is_redacted,
        left_out=() if wishes.has_calls else ("tool_calls",),
    )  # fmt: skip
    sessions = [member.session for member in family]
    yield from (as_document if wishes.form == "json" else as_lines)(sessions, head)
