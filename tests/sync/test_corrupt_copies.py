"""Damaged copies of a session, newer than the clean one: the clean one is read, tokens stay."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_journal.health.verify import verify
from agent_journal.sync.importing import import_files
from tests.support.arrivals import build, sync
from tests.support.journals import open_journal
from tests.support.paths import CASES

# The transcript of a case, of each agent
TRANSCRIPTS = {
    "claude_code/forks": ".claude/projects/*/origin.jsonl",
    "codex/conversation": ".codex/sessions/**/*.jsonl",
    "copilot_cli/stopped": ".copilot/session-state/*/events.jsonl",
    "gemini/checkpoint": ".gemini/tmp/*/chats/*.jsonl",
}
DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "only its beginning": lambda data: b"".join(data.splitlines(True)[: data.count(b"\n") // 2]),
    "cut off": lambda data: data[: len(data) * 2 // 3],
    "a hole": lambda data: (
        data[: len(data) // 2] + bytes(len(data) // 3) + data[len(data) // 2 + len(data) // 3 :]
    ),
}
_COUNTS = (
    "SELECT uid, message_count, tool_count, edit_count, input_tokens, output_tokens "
    "FROM sessions WHERE is_known = 1 ORDER BY 1"
)


def counts(home: Path) -> list[tuple[object, ...]]:
    with open_journal(home) as journal:
        return list(journal.db.execute(_COUNTS))


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("case", TRANSCRIPTS)
def test_a_damaged_copy_takes_nothing_from_the_clean_one(
    tmp_path: Path, case: str, damage: str
) -> None:
    home = tmp_path / "home"
    build(CASES / case, home)
    sync(home)
    before = counts(home)
    clean = next(home.glob(TRANSCRIPTS[case]))
    copy = tmp_path / "elsewhere" / clean.parent.name / clean.name
    copy.parent.mkdir(parents=True)
    copy.write_bytes(DAMAGES[damage](clean.read_bytes()))
    newer = clean.stat().st_mtime + 10_000
    os.utime(copy, (newer, newer))
    with open_journal(home) as journal:
        import_files(journal.config, [str(copy)], indexes=())
        assert not verify(journal.db, journal.archive).differences
    assert counts(home) == before
