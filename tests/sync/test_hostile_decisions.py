"""What was pruned and marked, in files that were cut, or that another journal has."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import pytest

from agent_journal.store.archive import Archive, FrameHeader, pack_chunk
from agent_journal.store.marks_file import STAR, Mark, add_marks, next_time, read_marks
from agent_journal.store.pruned_file import (
    HIDDEN,
    LIFTED,
    PURGED,
    Decision,
    Pruned,
    append_decisions,
    read_decisions,
)
from agent_journal.store.seen_file import SeenFile
from tests.support.journals import aj, aj_json, texts, write_claude
from tests.support.traces import traces

ID = "5ec4e700-1111-4222-8333-944445555666"
OTHER = "0ther000-1111-4222-8333-944445555666"
SECRET = "wobbly-zeppelin-4711"


def line(value: object) -> bytes:
    """A line as the files have them."""
    text = json.dumps(value).encode()
    return b"%08x " % zlib.crc32(text) + text + b"\n"


def test_a_session_called_like_a_folder_takes_no_other_with_it(tmp_path: Path) -> None:
    folder = "-home-user-project"
    for session in (folder, ID):
        write_claude(tmp_path, session, project=folder)
    assert aj(tmp_path, "sync").returncode == 0
    done = aj(tmp_path, "prune", "--purge", "--yes", "--", folder)
    assert "1 session deleted: 1 file," in done.stderr
    assert "not deleted: the agents' own files, and copies in backups" in done.stderr
    assert [item["id"] for item in aj_json(tmp_path, "ls", "--all")["items"]] == [ID]
    assert len(texts(tmp_path, ID)) == 4


@pytest.mark.parametrize(
    ("name", "is_left_out"),
    [
        (f"projects/-app/{ID}/subagents/agent-1.jsonl", True),
        (f"todos/{ID}-agent-{OTHER}.json", True),
        (f"todos/{OTHER}-agent-{ID}.json", True),
        (f"projects/-app/{OTHER}/subagents/agent-1.jsonl", False),
        (f"projects/-app/{ID[:-1]}/subagents/agent-1.jsonl", False),
    ],
)
def test_one_more_file_of_a_pruned_session_is_told_by_its_id(name: str, is_left_out: bool) -> None:
    pruned = Pruned([Decision("claude-code", ID, HIDDEN, 1)])
    assert pruned.has_file("claude-code", f"/home/{name}", None, name) is is_left_out


def test_a_decision_is_written_after_a_line_that_was_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "pruned.jsonl"
    append_decisions(str(path), [Decision("claude-code", ID, HIDDEN, 1)])
    path.write_bytes(path.read_bytes()[:-9])
    append_decisions(str(path), [Decision("claude-code", OTHER, HIDDEN, 1)])
    assert set(read_decisions(str(path)).all) == {("claude-code", OTHER)}


def test_a_decision_counts_also_where_the_clock_was_set_back(tmp_path: Path) -> None:
    path = str(tmp_path / "pruned.jsonl")
    append_decisions(path, [Decision("claude-code", ID, LIFTED, 2_000)])
    append_decisions(path, [Decision("claude-code", ID, HIDDEN, 1_000)])
    assert read_decisions(path).all["claude-code", ID].state == HIDDEN


@pytest.mark.parametrize(
    "value",
    [
        [1, 2, 3, "x"],
        ["claude-code", ["x"], "hidden", 7],
        ["claude-code", ID, "hidden", 7, "title", None, None, 5, 5, 0],
        ["claude-code", ID, "hidden", 2**70],
        ["claude-code", ID, "hidden", 7, "\ud800"],
        {"a": 1, "b": 2, "c": 3, "d": 4},
    ],
)
def test_a_line_that_is_no_decision_is_left_out(tmp_path: Path, value: Any) -> None:
    path = tmp_path / "pruned.jsonl"
    path.write_bytes(line(value) + line(["claude-code", OTHER, "hidden", 7]))
    assert set(read_decisions(str(path)).all) == {("claude-code", OTHER)}


def test_deep_nesting_is_no_decision_and_no_mark(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    text = b"[" * 200_000
    path.write_bytes(b"%08x " % zlib.crc32(text) + text + b"\n")
    assert read_decisions(str(path)).all == {}
    assert read_marks(str(path)).damaged == [1]


@pytest.mark.parametrize("text", [b"[" * 200_000, b'["novel",1]', b"[]", b'["file",["x"],"y",1]'])
def test_what_is_no_fact_is_a_damaged_line(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "seen.jsonl"
    path.write_bytes(b"%08x " % zlib.crc32(text) + text + b"\n")
    seen = SeenFile(str(path))
    assert (seen.facts, seen.damaged) == ({}, 1)


def test_a_state_of_a_newer_version_is_listed(tmp_path: Path) -> None:
    write_claude(tmp_path)
    assert aj(tmp_path, "sync").returncode == 0
    path = tmp_path / ".agent-journal/pruned.jsonl"
    path.write_bytes(line(["claude-code", ID, "frozen", 7]))
    assert "frozen" in aj(tmp_path, "prune", "--list").stdout


def test_a_mark_with_half_a_letter_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "marks.jsonl"
    path.write_bytes(line([5, "claude-code", ID, "title", "\ud800", True]))
    assert read_marks(str(path)).damaged == [1]


def test_marks_count_after_one_of_the_latest_time(tmp_path: Path) -> None:
    path = tmp_path / "marks.jsonl"
    path.write_bytes(line([2**53 - 1, "claude-code", ID, STAR, "", True]))
    mark = Mark(0, "claude-code", ID, STAR, "", False)
    add_marks(str(path), lambda marks: [mark._replace(at=next_time(marks))])
    found = read_marks(str(path))
    assert found.damaged == []
    assert found.marks[-1].is_set is False


def test_an_import_adds_marks_after_a_cut_line_and_none_of_deleted_sessions(
    tmp_path: Path,
) -> None:
    home, other = tmp_path / "home", tmp_path / "other"
    for place in (home, other):
        write_claude(place, ID)
        write_claude(place, OTHER)
        assert aj(place, "sync").returncode == 0
    assert aj(other, "title", ID, f"about {SECRET}").returncode == 0
    assert aj(other, "title", OTHER, "from the other").returncode == 0
    assert aj(home, "prune", ID, "--purge", "--yes").returncode == 0
    marks = home / ".agent-journal/marks.jsonl"
    marks.write_bytes(b'deadbeef [123,"cut')
    item = aj_json(home, "import-journal", str(other / ".agent-journal"))["items"][0]
    assert item["marks"] == 1
    titles = [item["title"] for item in aj_json(home, "ls", "--all")["items"]]
    assert titles == ["from the other"]
    assert traces(home / ".agent-journal", SECRET) == []
    assert [
        one.state for one in read_decisions(str(marks.with_name("pruned.jsonl"))).in_force()
    ] == [PURGED]


def test_an_import_leaves_out_what_no_agent_can_have_written(tmp_path: Path) -> None:
    home, other = tmp_path / "home", tmp_path / "other"
    write_claude(home, ID)
    write_claude(other, OTHER)
    assert aj(home, "sync").returncode == 0
    assert aj(other, "sync").returncode == 0
    packed = pack_chunk(b"evil")
    header = FrameHeader(
        agent="claude-code",
        root=str(other / ".claude"),
        name="projects/a.jsonl",
        role="log",
        session=None,
        rank=0,
        version=1,
        start=0,
        size=packed.size,
        sha256=packed.sha256.hex(),
        mtime_ns=0,
    )
    archive = Archive(str(other / ".agent-journal/archive"))
    archive.append(header._replace(name="projects/a\0.jsonl"), packed.frame)
    archive.append(header._replace(agent="x\x1b[31m"), packed.frame)
    archive.append(header._replace(name="projects/b.jsonl", sha256="zz"), packed.frame)
    archive.append(header._replace(name="projects/c.jsonl", size=0), packed.frame)
    archive.flush()
    archive.close()
    done = aj(home, "import-journal", str(other / ".agent-journal"))
    assert done.returncode == 1
    assert done.stderr.count("no agent has a file of this name") == 2
    assert "\x1b" not in done.stderr
    assert aj(home, "verify").returncode == 0
    assert {item["id"] for item in aj_json(home, "ls", "--all")["items"]} == {ID, OTHER}
