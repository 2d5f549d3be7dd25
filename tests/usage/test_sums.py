"""The sums that the catalog keeps are those of its rows."""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agent_journal.demo import write_demo_home
from agent_journal.store.catalog.sums import SUMS
from agent_journal.text.dates import parse_bound
from tests.support.journals import aj, aj_json, open_journal, write_claude


def test_sums_are_those_of_all_rows_after_any_change(tmp_path: Path) -> None:
    write_demo_home(str(tmp_path), parse_bound("now"))
    with open_journal(tmp_path) as journal:
        journal.sync(index=False)
        write_claude(tmp_path, "s1", 6)
        journal.sync(index=False)
        path = write_claude(tmp_path, "s1", 4, start=6)
        path.write_text(path.read_text().replace("text 1", "other"))
        journal.sync(index=False)
        assert journal.db is not None
        for table, query in SUMS.items():
            kept = journal.db.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3, 4").fetchall()
            made = journal.db.execute(f"{query.query('1')} ORDER BY 1, 2, 3, 4").fetchall()
            assert kept == made, table
            assert kept, table


@pytest.mark.parametrize("table", ["usage_sums", "message_sums", "tool_sums", "edit_sums"])
def test_verify_adds_up_again(tmp_path: Path, table: str) -> None:
    write_demo_home(str(tmp_path), datetime(2026, 11, 2, tzinfo=UTC))
    aj(tmp_path, "sync", "--no-index")
    assert aj(tmp_path, "verify").returncode == 0
    with sqlite3.connect(tmp_path / ".agent-journal/index/journal.db") as db:
        db.execute(f"DELETE FROM {table}")
    db.close()
    done = aj(tmp_path, "verify")
    assert (done.returncode, f"the sums in {table}" in done.stdout) == (1, True)


def test_absurd_numbers_cost_only_themselves(tmp_path: Path) -> None:
    """Sums of them would not fit into 64 bits, and no sync would end."""
    folder = tmp_path / ".gemini/tmp/p/chats"
    folder.mkdir(parents=True)
    head = {
        "sessionId": "abcdabcd-0",
        "projectHash": "x",
        "startTime": "2026-01-01T00:00:00Z",
        "kind": "main",
    }
    said = {
        "timestamp": "2026-01-01T00:00:00Z",
        "type": "gemini",
        "content": "x",
        "model": "model-a",
    }
    lines = [said | {"id": f"m{n}", "tokens": {"input": 2**48, "output": 1}} for n in range(33_000)]
    text = "".join(json.dumps(line) + "\n" for line in (head, *lines))
    (folder / "session-2026-01-01T00-00-abcdabcd.jsonl").write_text(text)
    assert aj(tmp_path, "sync", "--no-index").returncode == 0
    (line,) = aj_json(tmp_path, "usage", "agent")["items"]
    assert (line["input_tokens"], line["output_tokens"]) == (None, 33_000)
