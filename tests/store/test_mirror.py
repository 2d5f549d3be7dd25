"""The mirror has the rows of the catalog, however it was made and whatever happened to it."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import duckdb
import pytest

from agent_journal.demo import write_demo_home
from agent_journal.store.catalog.store import write_lock
from agent_journal.store.mirror import checking
from agent_journal.store.mirror import mirror as mirror_module
from agent_journal.store.mirror.parquet import Column
from agent_journal.store.mirror.parts import read_manifest
from agent_journal.store.mirror.tables import TABLES
from agent_journal.sync.indexes import mirror
from agent_journal.text.dates import parse_bound
from tests.support.journals import aj, aj_json, claude_line, open_journal, variables, write_claude


def sync(home: Path, **options: Any) -> None:
    """A sync of somebody who uses the mirror."""
    folder(home).mkdir(mode=0o700, parents=True, exist_ok=True)
    with open_journal(home) as journal:
        journal.sync(**options)


def folder(home: Path) -> Path:
    return home / ".agent-journal/parquet"


def content(home: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables as another tool would read them, without their ids."""
    found = {}
    connection = duckdb.connect()
    for table, columns in TABLES.items():
        names = ", ".join(selected(column) for column in columns if column.name != "id")
        if list(folder(home).glob(f"{table}/*.parquet")):
            # Also when nothing is gone
            without = f" ANTI JOIN '{folder(home)}/gone/*.parquet' USING (id)"
            query = f"SELECT {names} FROM '{folder(home)}/{table}/*.parquet'{without} ORDER BY ALL"
            found[table] = connection.execute(query).fetchall()
    return {table: rows for table, rows in found.items() if rows}


def selected(column: Column) -> str:
    if column.kind == "time":
        return f'epoch_us("{column.name}")'
    return f'"{column.name}"'


def rebuilt(home: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of a mirror that is made from the beginning, of the same catalog."""
    shutil.rmtree(folder(home))
    with open_journal(home) as journal:
        journal.catch_up_mirror(60.0)
    return content(home)


def test_it_has_every_row_of_the_catalog(tmp_path: Path) -> None:
    write_demo_home(str(tmp_path), parse_bound("now"))
    sync(tmp_path)
    rows = content(tmp_path)
    with open_journal(tmp_path) as journal:
        for table in ("messages", "tool_calls", "events", "file_edits", "plans", "history"):
            (count,) = journal.db.execute(f"SELECT count(*) FROM {table}").fetchone()
            assert len(rows[table]) == count, table
        counted = "SELECT count(*), sum(input_tokens), sum(output_tokens) FROM usage WHERE counted"
        place = [column.name for column in TABLES["usage"]].index
        usage = (
            len(rows["usage"]),
            sum(row[place("input_tokens") - 1] or 0 for row in rows["usage"]),
            sum(row[place("output_tokens") - 1] or 0 for row in rows["usage"]),
        )
        assert usage == journal.db.execute(counted).fetchone()
        known = journal.db.execute("SELECT count(*) FROM sessions WHERE is_known").fetchone()[0]
        assert len(rows["sessions"]) == known


@pytest.mark.parametrize(
    "damage", ["no manifest", "empty manifest", "other version", "short part", "no part"]
)
def test_a_query_rebuilds_a_damaged_mirror(tmp_path: Path, damage: str) -> None:
    write_claude(tmp_path)
    sync(tmp_path)
    before = content(tmp_path)
    manifest, part = (
        folder(tmp_path) / "manifest.json",
        next(folder(tmp_path).glob("messages/*.parquet")),
    )
    if damage == "no manifest":
        manifest.unlink()
    elif damage == "empty manifest":
        manifest.write_text("")
    elif damage == "other version":
        manifest.write_text(manifest.read_text().replace('"version":', '"version":9'))
    elif damage == "short part":
        os.truncate(part, 100)
    else:
        part.unlink()
    assert aj_json(tmp_path, "sql", "--no-sync", "SELECT count(*) AS n FROM messages")["items"] == [
        {"n": 4}
    ]
    assert content(tmp_path) == before


def test_verify_looks_at_the_mirror(tmp_path: Path) -> None:
    write_claude(tmp_path)
    sync(tmp_path)
    assert aj(tmp_path, "verify").returncode == 0
    part = next(folder(tmp_path).glob("messages/*.parquet"))
    data = bytearray(part.read_bytes())
    data[len(data) // 2] ^= 1
    part.write_bytes(data)
    done = aj(tmp_path, "verify")
    assert (done.returncode, f"{part} is damaged" in done.stdout) == (1, True)


def test_a_part_that_goes_away_meanwhile_is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_claude(tmp_path)
    sync(tmp_path)
    part = next(folder(tmp_path).glob("messages/*.parquet"))
    monkeypatch.setattr(checking, "damaged_files", lambda *_: [part.unlink()][1:])
    with open_journal(tmp_path) as journal:
        found = list(checking.faults(mirror(journal.config), journal.db))
    assert found == [f"{part} cannot be read"]


def test_verify_finds_rows_that_are_missing(tmp_path: Path) -> None:
    write_claude(tmp_path)
    sync(tmp_path)
    with sqlite3.connect(tmp_path / ".agent-journal/index/journal.db") as db:
        db.execute("DELETE FROM messages WHERE id = (SELECT max(id) FROM messages)")
    db.close()
    assert (
        "the rows of messages in part 1 are not those of the catalog"
        in aj(tmp_path, "verify").stdout
    )


def test_long_results_are_read_from_the_archive(tmp_path: Path) -> None:
    result = "a long line of output\n" * 500
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}
    lines = [
        claude_line("user", 0, "go"),
        claude_line("assistant", 1, "ok"),
        claude_line("user", 2, ""),
    ]
    lines[1]["message"]["content"] = [call]
    lines[2]["message"]["content"] = [
        {"type": "tool_result", "tool_use_id": "t1", "content": result}
    ]
    path = tmp_path / ".claude/projects/-work-app/s1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    sync(tmp_path)
    (row,) = content(tmp_path)["tool_calls"]
    assert result in row


def test_updates_give_the_same_rows_as_a_rebuild(tmp_path: Path) -> None:
    for step in range(6):
        write_claude(tmp_path, "s1", 3, start=3 * step)
        write_claude(tmp_path, f"t{step}", 2)
        if step == 4:  # rewritten: all of its items are replaced
            path = tmp_path / ".claude/projects/-work-app/t0.jsonl"
            path.write_text(path.read_text().replace("text 0", "another text"))
        sync(tmp_path)
    stepwise = content(tmp_path)
    manifest = read_manifest(str(folder(tmp_path)))
    assert manifest is not None
    assert len(manifest.parts) < 6  # small parts became larger ones
    assert stepwise == rebuilt(tmp_path)


def test_deleted_items_of_large_parts_are_listed_then_rewritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mirror_module, "_MOST_MERGED", 0)  # as if every part were large
    write_claude(tmp_path, "s1", 40)
    write_claude(tmp_path, "s2", 40)
    sync(tmp_path)
    path = tmp_path / ".claude/projects/-work-app/s1.jsonl"
    path.write_text(path.read_text().replace("text 0", "another text"))
    sync(tmp_path)
    manifest = read_manifest(str(folder(tmp_path)))
    assert manifest is not None
    assert manifest.gone
    listed = duckdb.sql(
        f"SELECT id FROM '{folder(tmp_path)}/gone/*.parquet' ORDER BY id"
    ).fetchall()
    assert tuple(row[0] for row in listed) == manifest.gone
    before = content(tmp_path)
    with open_journal(tmp_path) as journal:
        assert journal.database().ask("SELECT count(*) FROM messages").rows == [(80,)]
    monkeypatch.setattr(mirror_module, "_MOST_GONE", 0)
    write_claude(tmp_path, "s3", 1)
    sync(tmp_path)
    manifest = read_manifest(str(folder(tmp_path)))
    assert manifest is not None
    assert not any(manifest.gone_in(part) for part in manifest.parts[:1])
    assert len(content(tmp_path)["messages"]) == len(before["messages"]) + 1
    assert content(tmp_path) == rebuilt(tmp_path)


def test_counting_for_another_session_moves_the_tokens(tmp_path: Path) -> None:
    """A fork that turns out to be the earlier session: from then on the tokens count only there."""
    write_claude(tmp_path, "s2", 4, start=2)
    sync(tmp_path)
    path = tmp_path / ".claude/projects/-work-app/s1.jsonl"
    copied = (
        (tmp_path / ".claude/projects/-work-app/s2.jsonl")
        .read_text()
        .replace('"sessionId": "s2"', '"sessionId": "s1"')
    )
    path.write_text(json.dumps(claude_line("user", 0, "earlier", "s1")) + "\n" + copied)
    sync(tmp_path)
    query = "SELECT session_id, sum(output_tokens) FROM {} GROUP BY 1 HAVING sum(output_tokens) > 0"
    with open_journal(tmp_path) as journal:
        database = journal.database()
        assert database.ask(query.format("usage")).rows == [("s1", 10)]
        assert database.ask(query.format("messages")).rows == [("s1", 10)]
        assert database.ask(query.format("conversations")).rows == [("s1", 10)]
    assert content(tmp_path) == rebuilt(tmp_path)


@pytest.mark.parametrize(
    "damage", ["no manifest", "torn manifest", "a part is missing", "old manifest", "left-overs"]
)
def test_the_next_sync_repairs_damage(tmp_path: Path, damage: str) -> None:
    write_claude(tmp_path, "s1", 6)
    sync(tmp_path)
    manifest = folder(tmp_path) / "manifest.json"
    old = manifest.read_bytes()
    write_claude(tmp_path, "s2", 6)
    sync(tmp_path)
    if damage == "no manifest":
        manifest.unlink()
    elif damage == "torn manifest":
        manifest.write_bytes(manifest.read_bytes()[:40])
    elif damage == "a part is missing":
        next((folder(tmp_path) / "messages").glob("*.parquet")).unlink()
    elif damage == "old manifest":
        manifest.write_bytes(old)
    else:
        (folder(tmp_path) / "messages/000999.parquet").write_bytes(b"torn")
        (folder(tmp_path) / "messages/000998.parquet.part").write_bytes(b"torn")
    write_claude(tmp_path, "s3", 2)
    sync(tmp_path)
    assert content(tmp_path) == rebuilt(tmp_path)


def test_a_crash_before_the_watermark_moves_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_claude(tmp_path, "s1", 6)
    sync(tmp_path)
    write_claude(tmp_path, "s2", 6)
    real = mirror_module.Mirror.catch_up

    def crash(self: Any, *args: Any) -> int:
        real(self, *args)
        raise KeyboardInterrupt

    monkeypatch.setattr(mirror_module.Mirror, "catch_up", crash)
    with pytest.raises(KeyboardInterrupt):
        sync(tmp_path)
    monkeypatch.undo()
    write_claude(tmp_path, "s3", 2)
    sync(tmp_path)
    assert content(tmp_path) == rebuilt(tmp_path)


def test_only_the_owner_can_read_its_files(tmp_path: Path) -> None:
    write_claude(tmp_path)
    sync(tmp_path)
    for base, folders, names in os.walk(folder(tmp_path)):
        assert all(os.stat(os.path.join(base, name)).st_mode & 0o777 == 0o600 for name in names)
        assert all(os.stat(os.path.join(base, name)).st_mode & 0o777 == 0o700 for name in folders)


def test_it_is_made_by_the_first_query_and_updated_from_then_on(tmp_path: Path) -> None:
    write_claude(tmp_path)
    assert aj(tmp_path, "sync").returncode == 0
    assert not folder(tmp_path).exists()
    assert aj(tmp_path, "sql", "SELECT count(*) FROM messages").returncode == 0
    assert folder(tmp_path).stat().st_mode & 0o777 == 0o700
    write_claude(tmp_path, "s2")
    assert aj(tmp_path, "sync").returncode == 0
    assert content(tmp_path) == rebuilt(tmp_path)


def test_a_sync_imports_no_library_for_it(tmp_path: Path) -> None:
    write_claude(tmp_path)
    sync(tmp_path)
    write_claude(tmp_path, "s2")
    code = (
        "import sys; from agent_journal.cli.main import run; run(['sync']); "
        "assert not {'duckdb', 'pyarrow', 'genai_prices'} & set(sys.modules)"
    )
    subprocess.run(
        [sys.executable, "-c", code], env=variables(tmp_path), check=True, capture_output=True
    )
    before = (
        folder(tmp_path).stat().st_mtime_ns,
        (folder(tmp_path) / "manifest.json").stat().st_mtime_ns,
    )
    aj(tmp_path, "sync")
    assert before == (
        folder(tmp_path).stat().st_mtime_ns,
        (folder(tmp_path) / "manifest.json").stat().st_mtime_ns,
    )


def test_a_sync_that_waited_while_it_was_made_updates_it(tmp_path: Path) -> None:
    write_claude(tmp_path)
    with open_journal(tmp_path) as journal:
        journal.sync()
    write_claude(tmp_path, start=100)
    with ExitStack() as lock, open_journal(tmp_path) as journal:
        lock.enter_context(write_lock(journal.config.home, 0.0))

        def make_mirror(_: str) -> None:
            lock.close()
            with open_journal(tmp_path) as other:
                other.catch_up_mirror()

        journal.sync(waiting=make_mirror)
        assert list(checking.faults(mirror(journal.config), journal.db)) == []
    assert content(tmp_path) == rebuilt(tmp_path)
