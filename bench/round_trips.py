"""How much of each agent's sessions survives a conversion and back: a table for docs/convert.md.

    python bench/round_trips.py JOURNAL [--to vscode|claude-code|copilot-cli]

JOURNAL is the folder of a journal; it is only read.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime

from msgspec.structs import replace

from agent_journal.connectors import get_connector
from agent_journal.connectors.base import FoundFile
from agent_journal.connectors.vscode_chat import CONNECTOR
from agent_journal.convert.target import NewFile, NewIdentity
from agent_journal.convert.targets import get_target
from agent_journal.convert.writing import write_session
from agent_journal.errors import UsageError
from agent_journal.export.family import load_family
from agent_journal.journal import Journal
from agent_journal.model import Event, FileEdit, Plan, Session, Usage
from agent_journal.query.tree import Query
from agent_journal.testing import Assembly, BytesContent, read_root
from survival import MEASURES, Survival, added, nothing, survival

ReadBack = Callable[[str, Sequence[NewFile]], list[Session]]


def read_vscode(session_id: str, files: Sequence[NewFile]) -> list[Session]:
    """A document as the connector of VS Code reads it."""
    assembly = Assembly()
    content = BytesContent(files[0].content)
    name = f"workspaceStorage/0/chatSessions/{session_id}.json"
    assembly.read(
        CONNECTOR, FoundFile(name, name, "session", content.size, 0, 0, session_id, 2), content
    )
    return assembled(assembly)


def assembled(assembly: Assembly) -> list[Session]:
    """The sessions of what was read, with everything in them."""
    found = []
    for session in {one.id: one for one in assembly.sessions}.values():
        mine = [
            message for message in assembly.messages.values() if message.session_id == session.id
        ]
        calls = [call for call in assembly.calls.values() if call.session_id == session.id]
        messages = (
            replace(
                message, tool_calls=tuple(call for call in calls if call.message_id == message.id)
            )
            for message in mine
        )
        others = [
            piece for piece in assembly.others if getattr(piece, "session_id", None) == session.id
        ]
        found.append(
            replace(
                session,
                messages=tuple(messages),
                file_edits=tuple(piece for piece in others if isinstance(piece, FileEdit)),
                usage=tuple(piece for piece in others if isinstance(piece, Usage)),
                events=tuple(piece for piece in others if isinstance(piece, Event)),
                plans=tuple(piece for piece in others if isinstance(piece, Plan)),
            )
        )
    return found


def reader_of(agent: str) -> ReadBack:
    """What reads a folder as the connector of an agent does."""

    def read(session_id: str, files: Sequence[NewFile]) -> list[Session]:
        with tempfile.TemporaryDirectory() as folder:
            write_session(folder, files, force=False)
            return assembled(read_root(get_connector(agent), folder))

    return read


READERS: dict[str, ReadBack] = {
    "vscode": read_vscode,
    "claude-code": reader_of("claude-code"),
    "copilot-cli": reader_of("copilot-cli"),
}


def fresh(number: int) -> NewIdentity:
    """The same ids in every run."""
    count = itertools.count()

    def new_id() -> str:
        made = uuid.uuid5(uuid.NAMESPACE_OID, f"{number} {next(count)}")
        return str(uuid.UUID(bytes=made.bytes, version=4))  # as the agents make them

    return NewIdentity(new_id(), datetime(2026, 1, 1, tzinfo=UTC), new_id, "bench")


def families(journal: Journal) -> Iterator[list[Session]]:
    """All sessions of a journal, each with its sub-agents."""
    for row in journal.rows(Query()):
        yield [member.session for member in load_family(journal.db, journal.archive, row)]


def measure(journal: Journal, name: str) -> dict[str, tuple[int, Survival]]:
    """For each agent, how many sessions there are and what of them survives."""
    target, read = get_target(name), READERS[name]
    found: dict[str, tuple[int, Survival]] = {}
    for number, family in enumerate(families(journal), 1):
        try:
            converted = target.convert(family, fresh(number))
        except UsageError as error:  # there is nothing in it to go on from
            print(f"left out: {error.message}", file=sys.stderr)
            continue
        share = survival(family, read(converted.session_id, converted.files))
        count, before = found.get(family[0].agent, (0, nothing()))
        found[family[0].agent] = (count + 1, added(before, share))
    return found


def table(found: dict[str, tuple[int, Survival]]) -> Iterator[str]:
    """The figures as Markdown."""
    yield f"| from | sessions | {' | '.join(MEASURES)} |"
    yield f"|---|---:|{'---:|' * len(MEASURES)}"
    for agent, (count, shares) in sorted(found.items()):
        yield f"| {agent} | {count} | {' | '.join(str(shares[name]) for name in MEASURES)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("journal")
    parser.add_argument("--to", choices=READERS, default="vscode")
    asked = parser.parse_args()
    with Journal.open(asked.journal) as journal:
        print("\n".join(table(measure(journal, asked.to))))


if __name__ == "__main__":
    main()
