"""`aj prune` with sessions of every agent: each is hidden, comes back, and is deleted."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_journal.demo import write_demo_home
from agent_journal.model import Session
from agent_journal.query.filters import Query
from agent_journal.text.dates import parse_bound
from tests.support.journals import aj, aj_json, journal_digest, open_journal
from tests.support.traces import catalog_has, traces


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("prune")
    write_demo_home(str(home), parse_bound("now"))
    assert aj(home, "sync").returncode == 0
    return home


def first_sessions(home: Path) -> list[Session]:
    """The first session of each agent."""
    with open_journal(home) as journal:
        found = {row.agent: row for row in journal.rows(Query())}
        return [journal.session(f"{row.agent}:{row.id}") for row in found.values()]


def words_of(session: Session) -> str:
    """What the agent said, as far as it is on one line of plain characters."""
    lines = [
        line
        for message in session.messages
        if message.role == "assistant"
        for line in message.text.splitlines()
        if line.isascii() and line.isprintable() and '"' not in line and "\\" not in line
    ]
    return max(lines, key=len)


def test_every_agent(home: Path) -> None:
    """One after the other, in the same journal; the others are what they were each time."""
    sessions = first_sessions(home)
    assert len({session.agent for session in sessions}) == 10
    for session in sessions:
        name = f"{session.agent}:{session.id}"
        words = words_of(session)
        before = journal_digest(home)
        assert catalog_has(home / ".agent-journal", words), name
        done = aj(home, "prune", name, "--yes")
        assert done.returncode == 0, (name, done.stderr)
        assert name not in journal_digest(home)
        assert not catalog_has(home / ".agent-journal", words), name
        verified = aj(home, "verify")
        assert verified.returncode == 0, (name, verified.stdout)
        aj(home, "prune", "--undo", name)
        assert journal_digest(home) == before, name
        answer = aj_json(home, "prune", name, "--purge", "--yes")
        assert name not in journal_digest(home)
        left = traces(home / ".agent-journal", words)
        if not answer["shared_files"]:
            assert left == [], name
        assert all(path.startswith("archive/") for path in left), name
        verified = aj(home, "verify")
        assert verified.returncode == 0, (name, verified.stdout)
    assert aj(home, "sync", "--full").returncode == 0
    left = {f"{row['agent']}:{row['id']}" for row in aj_json(home, "ls", "--all")["items"]}
    assert not left & {f"{session.agent}:{session.id}" for session in sessions}
    verified = aj(home, "verify")
    assert verified.returncode == 0, verified.stdout
