"""Long results are kept once: the catalog has the place, the archive the text, and nobody sees the
difference.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from agent_journal.model import ToolCall
from tests.support.journals import (
    aj,
    aj_json,
    flip_a_byte_of_the_archive,
    journal_digest,
    open_journal,
)

LONG = "".join(
    f'line {number}: «naïve» \\ "quoted" \u2028 \U0001f600 {os.urandom(8).hex()}\n'
    for number in range(400)
)
LOG = ".claude/projects/p/s1.jsonl"


def call(name: str) -> dict[str, Any]:
    content = [{"type": "tool_use", "id": name, "name": "Bash", "input": {"command": "ls"}}]
    return {
        "type": "assistant",
        "uuid": f"a-{name}",
        "sessionId": "s1",
        "message": {"id": f"m-{name}", "content": content},
    }


def result(name: str, content: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": name, "content": content}
    return {
        "type": "user",
        "uuid": f"u-{name}",
        "sessionId": "s1",
        "message": {"role": "user", "content": [block]},
    }


SHAPES: dict[str, tuple[Any, str]] = {
    "string": (LONG, LONG),
    "one block": ([{"type": "text", "text": LONG}], LONG),
    "two blocks": (
        [{"type": "text", "text": LONG}, {"type": "text", "text": "end"}],
        f"{LONG}\nend",
    ),
    "short": ("ok", "ok"),
}


def lines(ascii_only: bool) -> list[bytes]:
    records = [
        record
        for name, (content, _) in SHAPES.items()
        for record in (call(name), result(name, content))
    ]
    return [json.dumps(record, ensure_ascii=ascii_only).encode() + b"\n" for record in records]


def write(home: Path, data: bytes) -> None:
    path = home / LOG
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def calls(home: Path) -> dict[str, ToolCall]:
    with open_journal(home) as journal:
        return {
            call.id: call
            for message in journal.session("s1").messages
            for call in message.tool_calls
        }


@pytest.mark.parametrize("ascii_only", [True, False])
def test_every_shape_comes_back_whole(tmp_path: Path, ascii_only: bool) -> None:
    write(tmp_path, b"".join(lines(ascii_only)))
    assert aj(tmp_path, "sync").returncode == 0
    found = calls(tmp_path)
    assert {name: call.result for name, call in found.items()} == {
        name: text for name, (_, text) in SHAPES.items()
    }
    assert all(call.result_at is None for call in found.values())
    assert "result_at" not in aj(tmp_path, "show", "s1", "--json").stdout
    with open_journal(tmp_path) as journal:
        stored = journal.db.execute("SELECT uid, size FROM tool_calls").fetchall()
    # Joined text is nowhere in the file as such
    assert {uid for uid, size in stored if size > len(LONG)} == {"two blocks"}
    assert aj(tmp_path, "verify").returncode == 0


def test_line_by_line_equals_at_once(tmp_path: Path) -> None:
    whole, grown = tmp_path / "whole", tmp_path / "grown"
    for home in (whole, grown):
        home.mkdir()
    # The last results share a line with a record, as after a crash: these cannot be quoted, and are
    # read all the same.
    parts = lines(True)
    parts[-3:] = [parts[-3].rstrip() + parts[-2].rstrip() + parts[-1]]
    for count in range(1, len(parts) + 1):
        write(grown, b"".join(parts[:count]))
        assert aj(grown, "sync").returncode == 0
    write(whole, b"".join(parts))
    assert aj(whole, "sync").returncode == 0
    assert [call.result for call in calls(grown).values()] == [
        call.result for call in calls(whole).values()
    ]
    assert aj(grown, "verify").returncode == 0
    assert len(journal_digest(grown)) == len(journal_digest(whole))


def test_a_damaged_archive_costs_the_result_and_is_reported(tmp_path: Path) -> None:
    write(tmp_path, b"".join(lines(True)))
    assert aj(tmp_path, "sync").returncode == 0
    flip_a_byte_of_the_archive(tmp_path)
    done = aj(tmp_path, "show", "s1")
    assert done.returncode == 0, done.stderr
    assert "this result is damaged in the archive: see 'aj verify'" in done.stdout
    shown = {
        call["id"]: call
        for item in aj_json(tmp_path, "show", "s1")["items"][0]["messages"]
        for call in item["tool_calls"]
    }
    assert "result" not in shown["string"]
    assert shown["string"]["result_at"]
    assert shown["short"]["result"] == "ok"
    assert aj(tmp_path, "verify").returncode == 1
    assert aj(tmp_path, "sync", "--full").returncode == 0  # the agent's file is still there
    assert calls(tmp_path)["string"].result == LONG
