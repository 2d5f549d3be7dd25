"""Sums and counts that follow from what was added and removed are those of all rows."""

from __future__ import annotations

import os
import random
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from agent_journal.store.catalog import connection, gone_rows, sum_changes
from agent_journal.store.catalog.checks import wrong_sums
from agent_journal.store.catalog.store import open_writer
from agent_journal.sync import batches
from tests.support.arrivals import all_cases, build, sync
from tests.support.journals import open_journal, write_claude

_SEEDS = 60 if os.environ.get("AJ_ALL_CUTS") else 6
_STEPS = 8
_COUNTS = (
    "SELECT s.agent, s.uid, s.message_count, s.prompt_count, s.tool_count, s.edit_count, "
    "s.input_tokens, s.cache_read_tokens, s.cache_write_tokens, s.output_tokens, s.cost_micro_usd "
    "FROM sessions s ORDER BY 1, 2"
)
_COUNTED_AGAIN = (
    "SELECT s.agent, s.uid, "
    "(SELECT count(*) FROM messages m WHERE m.session_id = s.id "
    "AND m.kind IN ('prompt', 'answer') AND m.state IS NOT 'hidden'), "
    "(SELECT count(*) FROM messages m WHERE m.session_id = s.id AND m.kind = 'prompt' "
    "AND m.state IS NOT 'hidden'), "
    "(SELECT count(*) FROM tool_calls t WHERE t.session_id = s.id), "
    "(SELECT count(*) FROM file_edits e WHERE e.session_id = s.id AND e.kind <> 'backup' "
    "AND (e.origin <> 'response' OR NOT EXISTS (SELECT 1 FROM file_edits r "
    "WHERE r.session_id = s.id AND r.origin = 'editing-session'))), "
    "(SELECT sum(input_tokens) FROM usage u WHERE u.session_id = s.id AND counted), "
    "(SELECT sum(cache_read_tokens) FROM usage u WHERE u.session_id = s.id AND counted), "
    "(SELECT sum(cache_write_tokens) FROM usage u WHERE u.session_id = s.id AND counted), "
    "(SELECT sum(output_tokens) FROM usage u WHERE u.session_id = s.id AND counted), "
    "(SELECT sum(cost_micro_usd) FROM usage u WHERE u.session_id = s.id AND counted) "
    "FROM sessions s ORDER BY 1, 2"
)


class _Writer:
    """Writes the files of several cases as agents might: they come, grow, change and go."""

    def __init__(self, source: Path, home: Path, rng: random.Random) -> None:
        self._source = source
        self._home = home
        self._rng = rng
        self._written: dict[str, list[bytes]] = {}

    def change(self, name: str) -> None:
        """Do something with a file."""
        lines = (self._source / name).read_bytes().splitlines(keepends=True)
        old = self._written.get(name, [])
        rest = len(lines) - len(old)
        action = self._rng.choice(["nothing", "grow", "grow", "grow", "rewrite", "remove"])
        if not name.endswith(".jsonl"):
            self._write(name, lines)
        elif action == "grow" and old == lines[: len(old)]:
            self._append(name, old, lines[len(old) :][: self._rng.randint(0, rest)])
        elif action == "rewrite":
            self._write(name, [line for line in lines if self._rng.random() < 0.8])
        elif action == "remove" and self._rng.random() < 0.3:
            (self._home / name).unlink(missing_ok=True)
            self._written.pop(name, None)

    def _append(self, name: str, old: list[bytes], new: list[bytes]) -> None:
        path = self._home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            file.writelines(new)
        self._written[name] = old + new

    def _write(self, name: str, lines: list[bytes]) -> None:
        path = self._home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(lines))
        self._written[name] = lines


def _is_text(path: Path) -> bool:
    return path.is_file() and path.suffix in (".jsonl", ".json", ".md", ".yaml", ".txt")


def _check(home: Path) -> None:
    with open_journal(home) as journal:
        assert journal.db is not None
        assert wrong_sums(journal.db) == {}
        kept = journal.db.execute(_COUNTS).fetchall()
        assert kept == journal.db.execute(_COUNTED_AGAIN).fetchall()


@pytest.mark.parametrize("seed", range(_SEEDS))
def test_sums_by_difference_are_those_of_all_rows(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    cases = [case for case in all_cases() if case.parent.name != "cursor"]
    for number, case in enumerate(rng.sample(cases, 6)):
        build(case, tmp_path / f"case-{number}")
        shutil.copytree(tmp_path / f"case-{number}", tmp_path / "source", dirs_exist_ok=True)
    files = [path for path in sorted((tmp_path / "source").rglob("*")) if _is_text(path)]
    names = [path.relative_to(tmp_path / "source").as_posix() for path in files]
    home = tmp_path / "home"
    home.mkdir()
    writer = _Writer(tmp_path / "source", home, rng)
    for _ in range(_STEPS):
        for name in names:
            writer.change(name)
        sync(home)
        _check(home)


def test_a_message_that_gets_another_piece_counts_once(tmp_path: Path) -> None:
    """Its row is replaced, and so is that of its tokens."""
    path = write_claude(tmp_path, "s1", 4)
    sync(tmp_path)
    last = path.read_text().splitlines(keepends=True)[-1]
    with path.open("a") as file:
        file.write(
            last.replace("s1-u3", "s1-u3b").replace('"output_tokens": 5', '"output_tokens": 7')
        )
    sync(tmp_path)
    _check(tmp_path)


def test_tokens_that_an_earlier_session_has_count_there(tmp_path: Path) -> None:
    """No line of the session that they counted for has changed."""
    path = write_claude(tmp_path, "s1", 4)
    sync(tmp_path)
    text = path.read_text().replace('"sessionId": "s1"', '"sessionId": "s2"')
    path.with_name("s2.jsonl").write_text(text.replace("2026-11", "2026-10"))
    sync(tmp_path)
    _check(tmp_path)


class _Tables:
    """Writes rows of two sessions at random, in transactions of which some are undone."""

    def __init__(self, db: connection.Connection, rng: random.Random) -> None:
        self._db = db
        self._rng = rng
        self._last = 0
        for number in (1, 2):
            insert = "INSERT INTO sessions (id, agent, uid, started_at) VALUES (?, 'a', ?, 0)"
            db.execute(insert, (number, f"s{number}"))

    def transaction(self) -> None:
        """Add, change and remove rows, and bring the sums up to date."""
        gone_rows.watch_removals(self._db)
        connection.begin(self._db)
        new_from = self._last + 1
        for _ in range(self._rng.randint(1, 6)):
            connection.set_savepoint(self._db)
            self._rng.choice((self._add, self._add, self._renew, self._remove))()
            if self._rng.random() < 0.2:
                connection.revert_to_savepoint(self._db)
            else:
                connection.release_savepoint(self._db)
        sum_changes.update_counts(self._db, {1, 2}, set(), new_from)
        sum_changes.update_sums(self._db, {1, 2}, set(), new_from)
        if self._rng.random() < 0.2:
            connection.rollback(self._db)
        else:
            connection.commit(self._db)

    def _next(self) -> int:
        self._last += 1
        return self._last

    def _add(self) -> None:
        pick = self._rng.choice
        session = pick((1, 2))
        number = self._next()
        amount = pick((None, 0, 3))
        table = pick(tuple(_INSERT))
        values: dict[str, tuple[object, ...]] = {
            "messages": (pick(("prompt", "answer", "note")), pick((None, "hidden")), pick("xy")),
            "tool_calls": (pick("rs"), pick((None, "ok", "failed")), pick((None, 0, 5, 9))),
            "file_edits": (pick("pq"), pick(("editing-session", "response", "tool")), amount),
            # A key that comes again replaces the row
            "usage": (f"k{self._rng.randint(1, 4)}", amount, pick((None, None, 0.1)), pick((0, 1))),
        }
        self._db.execute(_INSERT[table], (number, session, *values[table]))

    def _renew(self) -> None:
        table = self._rng.choice(tuple(_INSERT))
        update = f"UPDATE {table} SET id = ? WHERE id = (SELECT min(id) FROM {table})"
        self._db.execute(update, (self._next(),))

    def _remove(self) -> None:
        table = self._rng.choice(tuple(_INSERT))
        ids = [row_id for (row_id,) in self._db.execute(f"SELECT id FROM {table}")]
        if ids:
            self._db.execute(f"DELETE FROM {table} WHERE id = ?", (self._rng.choice(ids),))


_INSERT = {
    "messages": "INSERT INTO messages (id, session_id, kind, state, model, uid, seq, role, "
    "file_id, block, start, size) VALUES (?1, ?2, ?3, ?4, ?5, ?1, 0, 'user', 1, 1, 0, 0)",
    "tool_calls": "INSERT INTO tool_calls (id, session_id, name, status, duration_ms, uid, seq, "
    "kind, file_id, block, start, size) VALUES (?1, ?2, ?3, ?4, ?5, ?1, 0, 'run', 1, 1, 0, 0)",
    "file_edits": "INSERT INTO file_edits (id, session_id, path, origin, lines_added, seq, kind, "
    "file_id, block, start, size) VALUES (?1, ?2, ?3, ?4, ?5, 0, 'edit', 1, 1, 0, 0)",
    "usage": "INSERT OR REPLACE INTO usage (id, session_id, key, input_tokens, premium_requests, "
    "counted, requests, origin, rank, is_sidechain, file_id) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, 'x', 0, 0, 1)",
}


@pytest.mark.parametrize("seed", range(4 * _SEEDS))
def test_any_change_of_rows_changes_sums_as_a_recount_does(tmp_path: Path, seed: int) -> None:
    with closing(open_writer(str(tmp_path))) as db:
        tables = _Tables(db, random.Random(seed))
        for _ in range(60):
            tables.transaction()
            assert wrong_sums(db) == {}
            counts = [row[2:6] for row in db.execute(_COUNTS)]
            assert counts == [row[2:6] for row in db.execute(_COUNTED_AGAIN)]


def _steps_of_an_append(home: Path, count: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many steps of SQLite it takes to store one more exchange after so many messages."""
    write_claude(home, "s1", count)
    sync(home)
    steps = 0

    def step() -> int:
        nonlocal steps
        steps += 1
        return 0

    def commit(db: connection.Connection, *rest: object) -> None:
        db.set_progress_handler(step, 100)
        update(db, *rest)  # type: ignore[arg-type]
        db.set_progress_handler(None, 0)

    update = batches.update_sessions
    with monkeypatch.context() as patch:
        patch.setattr(batches, "update_sessions", commit)
        write_claude(home, "s1", 2, start=count)
        sync(home)
    return steps


def test_an_append_costs_what_was_appended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short = _steps_of_an_append(tmp_path / "short", 20, monkeypatch)
    long = _steps_of_an_append(tmp_path / "long", 2_000, monkeypatch)
    assert long < 5 * short  # the quarters of an hour are added up
