"""How much of each agent's sessions survives a conversion and back: a table for docs/convert.md.

    python bench/survival.py JOURNAL [--to vscode|claude-code|codex|copilot-cli|gemini]

JOURNAL is the folder of a journal; it is only read. Every converted session also goes through the
validator of its target, whose complaints are printed.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sys
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from agent_journal.convert.target import NewFile, NewIdentity
from agent_journal.convert.targets import get_target
from agent_journal.convert.writing import write_session
from agent_journal.errors import UsageError
from agent_journal.export.family import load_family
from agent_journal.journal import Journal
from agent_journal.model import Session
from agent_journal.query.tree import Query

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tests.support import (
    valid_claude_code,
    valid_codex,
    valid_copilot_cli,
    valid_gemini,
    vscode_validator,
)
from tests.support.read_back import ReadBack, read_vscode, reader_of
from tests.support.survival import MEASURES, Survival, added, nothing, survival

NOW = datetime(2026, 11, 15, 18, tzinfo=UTC)  # the time that the validators expect
READERS: dict[str, ReadBack] = {
    "vscode": read_vscode,
    "claude-code": reader_of("claude-code"),
    "codex": reader_of("codex"),
    "copilot-cli": reader_of("copilot-cli"),
    "gemini": reader_of("gemini"),
}
VALIDATORS = {
    "claude-code": valid_claude_code,
    "codex": valid_codex,
    "copilot-cli": valid_copilot_cli,
    "gemini": valid_gemini,
}


def faults(name: str, files: Sequence[NewFile]) -> list[str]:
    """What the validator of a target finds wrong with the files of a session."""
    if name == "vscode":
        return vscode_validator.problems(json.loads(files[0].content))
    with tempfile.TemporaryDirectory() as folder:
        write_session(folder, files, force=False)
        found: list[str] = VALIDATORS[name].faults(Path(folder))
    return found


def fresh(number: int) -> NewIdentity:
    """The same ids in every run."""
    count = itertools.count()

    def new_id() -> str:
        made = uuid.uuid5(uuid.NAMESPACE_OID, f"{number} {next(count)}")
        return str(uuid.UUID(bytes=made.bytes, version=4))  # as the agents make them

    return NewIdentity(new_id(), NOW, new_id, "bench")


def families(journal: Journal) -> Iterator[list[Session]]:
    """All sessions of a journal, each with its sub-agents."""
    for row in journal.rows(Query()):
        yield [member.session for member in load_family(journal.db, journal.archive, row)]


def measure(journal: Journal, name: str) -> dict[str, tuple[int, Survival]]:
    """For each agent, how many sessions there are and what of them survives."""
    target = get_target(name)
    read = READERS[name]
    found: dict[str, tuple[int, Survival]] = {}
    for number, family in enumerate(families(journal), 1):
        try:
            converted = target.convert(family, fresh(number))
        except UsageError as error:  # it has no message to continue from
            print(f"left out: {error.message}", file=sys.stderr)
            continue
        for fault in faults(name, converted.files):
            print(f"fault: {family[0].agent}:{family[0].id}: {fault}", file=sys.stderr)
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
