"""A journal and a home that were copied to another place: nothing is doubled, nothing is lost."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from agent_journal.connectors.aider.state import run_id
from agent_journal.health.verify import verify
from tests.support.aider_histories import CHAT, RUN, history
from tests.support.arrivals import all_cases, build, sync
from tests.support.journals import aj, append, open_journal

START = "2026-11-02 09:15:00"
TOKENS = "> Tokens: 100 sent, 20 received.\n"
FIRST = RUN + "#### first  \n\nDone.\n\n" + TOKENS
_COUNTS = (
    "SELECT agent, uid, message_count, prompt_count, tool_count, edit_count, input_tokens, "
    "output_tokens, cost_micro_usd FROM sessions WHERE is_known = 1 ORDER BY 1, 2"
)

_SIDE_ROWS = "SELECT {columns} FROM {table} t JOIN files f ON f.id = t.file_id ORDER BY 1, 2, 3"


def counts(home: Path) -> list[tuple[object, ...]]:
    with open_journal(home) as journal:
        return list(journal.db.execute(_COUNTS))


def side_rows(home: Path) -> list[list[tuple[object, ...]]]:
    """Prompts, todo lists and plans, without what is a path."""
    tables = {
        "history": "f.agent, t.position, t.timestamp",
        "todo_lists": "f.agent, t.origin, t.body",
        "plans": "f.agent, t.kind, t.name",
    }
    with open_journal(home) as journal:
        return [
            list(journal.db.execute(_SIDE_ROWS.format(columns=columns, table=table)))
            for table, columns in tables.items()
        ]


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: f"{case.parent.name}-{case.name}")
def test_a_home_that_is_copied_with_its_journal_is_not_doubled(tmp_path: Path, case: Path) -> None:
    home = tmp_path / "home"
    build(case, home)
    sync(home)
    copied = shutil.copytree(home, tmp_path / "else/where")
    sync(copied)
    assert counts(copied) == counts(home)
    assert side_rows(copied) == side_rows(home)
    with open_journal(copied) as journal:
        assert verify(journal.db, journal.archive).differences == []


def test_histories_that_went_on_in_both_places_keep_all_runs(tmp_path: Path) -> None:
    for folder in ("a/app", "b/app"):
        history(tmp_path / folder, FIRST)
    sync(tmp_path)
    assert [row[2:4] for row in counts(tmp_path)] == [(2, 1)]
    for hour, folder in enumerate(("a/app", "b/app"), start=10):
        run = FIRST.replace("09:15", f"{hour}:15")
        append(tmp_path / folder / CHAT, run)
        sync(tmp_path)
        assert len(counts(tmp_path)) == hour - 8
    with open_journal(tmp_path) as journal:
        query = "SELECT sum(input_tokens) FROM sessions WHERE is_known = 1"
        assert journal.db.execute(query).fetchone() == (300,)
    assert aj(tmp_path, "verify").returncode == 0


def test_runs_that_began_at_once_in_two_projects_are_two_sessions(tmp_path: Path) -> None:
    for folder in ("a/app", "b/app"):
        history(tmp_path / folder, FIRST.replace("first", folder))
    sync(tmp_path)
    assert len(counts(tmp_path)) == 2


def test_a_history_of_an_earlier_version_is_known_by_its_new_id(tmp_path: Path) -> None:
    history(tmp_path / "a/app", FIRST)
    sync(tmp_path)
    before = counts(tmp_path)
    with closing(sqlite3.connect(tmp_path / ".agent-journal/index/journal.db")) as db, db:
        db.execute("UPDATE files SET session = 'made of the path', reader_version = 1")
        db.execute("UPDATE meta SET value = 1 WHERE key LIKE '%aider%'")
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    sync(tmp_path)
    assert counts(tmp_path) == before
    assert aj(tmp_path, "verify").returncode == 0


def test_ids_that_were_made_from_paths_are_still_found(tmp_path: Path) -> None:
    path = tmp_path / "a/app" / CHAT
    history(path.parent, FIRST + FIRST.replace("first", "second"))
    sync(tmp_path)
    moved = (tmp_path / "a").rename(tmp_path / "b")
    sync(tmp_path)
    for number, text in enumerate(("first", "second")):
        for there in (path, moved / "app" / CHAT):
            former = run_id(str(there), START, number)
            with open_journal(tmp_path) as journal:
                assert journal.session(former).messages[0].text == text
                assert journal.session(former[:12]).messages[0].text == text
