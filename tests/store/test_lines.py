"""The index of lines: it follows the catalog, and heals after damage and after a crash."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path
from random import Random
from zlib import crc32

import pytest

from agent_journal.health.derived_data import line_faults
from agent_journal.journal import Journal
from agent_journal.model.written_lines import commit_hash, hash_of
from agent_journal.store.catalog.items import save_watermark, watermark
from agent_journal.store.catalog.store import open_writer
from agent_journal.store.lines import lines as module
from agent_journal.store.lines.lines import NAME
from agent_journal.store.lines.manifest import read_manifest, write_manifest
from agent_journal.store.lines.saved import part_path
from agent_journal.sync.indexes import lines
from tests.support.journals import aj, open_journal
from tests.support.repositories import ClaudeSession

FOLDER = f".agent-journal/index/{NAME}"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path


def session(home: Path, name: str, *texts: str) -> ClaudeSession:
    """A session that writes a file with each text."""
    made = ClaudeSession(home, name, "/work/app")
    made.prompt("write")
    for number, text in enumerate(texts):
        made.write(f"f{number}.py", text)
    return made


def sync(home: Path) -> None:
    with open_journal(home) as journal:
        journal.sync()


def writers(home: Path, text: str) -> list[str]:
    """The paths of the edits that wrote a line."""
    with open_journal(home) as journal:
        return _writers(journal, text)


def _writers(journal: Journal, text: str) -> list[str]:
    from agent_journal.store.catalog.line_rows import writings_by_id

    number = hash_of(text)
    assert number is not None
    places = lines(journal.config).find([number]).get(number, [])
    found = writings_by_id(journal.db, [place.edit for place in places])
    return sorted(str(writing.path) for writing in found.values())


def faults(home: Path) -> list[str]:
    with open_journal(home) as journal:
        return list(line_faults(journal.db, lines(journal.config)))


def part_count(home: Path) -> int:
    manifest = read_manifest(str(home / FOLDER))
    assert manifest is not None
    return len(manifest.parts)


def test_lines_are_found_whatever_their_white_space(home: Path) -> None:
    session(home, "s1", "def merge(lines):\n\treturn  lines\n", "    def merge(lines):\n}\n")
    sync(home)
    assert writers(home, "def   merge(lines):\r") == ["/work/app/f0.py", "/work/app/f1.py"]
    assert writers(home, "return lines") == ["/work/app/f0.py"]
    assert writers(home, "return nothing") == []
    assert faults(home) == []


def test_lines_that_say_little_are_left_out() -> None:
    assert hash_of("    }") is None
    assert hash_of("else:") is None
    assert hash_of("if a: b") is None
    assert hash_of("if a: bc") is not None
    assert hash_of("x = 1234") == hash_of("  x  =  1234 ")


def test_new_sessions_are_added_and_small_files_are_merged(home: Path) -> None:
    for number in range(5):
        session(home, f"s{number}", f"the line number {number} of all\n")
        sync(home)
    assert part_count(home) < 5
    for number in range(5):
        assert writers(home, f"the line number {number} of all") == ["/work/app/f0.py"]
    assert faults(home) == []
    names = {file.name for file in (home / FOLDER).iterdir()}
    manifest = read_manifest(str(home / FOLDER))
    assert manifest is not None
    assert names == {"manifest", *(f"{part.number:06d}.lines" for part in manifest.parts)}


def test_what_a_rewritten_file_no_longer_says_is_gone(home: Path) -> None:
    session(home, "s1", "first version of this\n")
    sync(home)
    path = next((home / ".claude/projects/-work-app").iterdir())
    path.write_text(path.read_text().replace("first version", "second version"))
    sync(home)
    assert writers(home, "first version of this") == []
    assert writers(home, "second version of this") == ["/work/app/f0.py"]
    assert faults(home) == []


def test_a_pruned_session_is_gone(home: Path) -> None:
    session(home, "s1", "the secret recipe\n")
    session(home, "s2", "another recipe here\n")
    sync(home)
    assert aj(home, "prune", "s1", "--yes").returncode == 0
    sync(home)
    assert writers(home, "the secret recipe") == []
    assert writers(home, "another recipe here") == ["/work/app/f0.py"]
    assert faults(home) == []


def test_a_sync_that_was_killed_before_the_watermark_moved(home: Path) -> None:
    session(home, "s1", "line of the first\n")
    sync(home)
    session(home, "s2", "line of the second\n")
    with open_journal(home) as journal:
        before = watermark(journal.db, NAME)
    sync(home)
    db = open_writer(str(home / ".agent-journal/index"))
    save_watermark(db, NAME, before)
    db.close()
    (home / FOLDER / "999999.lines").write_bytes(b"left over")
    (home / FOLDER / ".aj-1.part").write_bytes(b"left over")
    session(home, "s3", "line of the third\n")
    sync(home)
    for name in ("first", "second", "third"):
        assert writers(home, f"line of the {name}") == ["/work/app/f0.py"]
    assert faults(home) == []
    assert {file.suffix for file in (home / FOLDER).iterdir()} == {"", ".lines"}
    assert not (home / FOLDER / "999999.lines").exists()


def _sync_killed_at(home: Path, step: int) -> bool:
    """Syncs in a process that is killed at a change of the index's files; whether it was."""
    pid = os.fork()
    if pid == 0:
        seen = 0

        def count(event: str, args: tuple[object, ...]) -> None:
            nonlocal seen
            is_change = event in ("os.rename", "os.remove", "os.mkdir") or (
                event == "open" and isinstance(args[2], int) and bool(args[2] & os.O_WRONLY)
            )
            if is_change and NAME in str(args[0]):
                seen += 1
                if seen == step:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(count)
        try:
            sync(home)
        finally:
            os._exit(0)
    return os.waitpid(pid, 0)[1] != 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")
def test_kill_9_at_every_change_of_the_files(home: Path, tmp_path: Path) -> None:
    base = tmp_path / "base"
    session(base, "s1", "line of the first\n")
    sync(base)
    session(base, "s2", "line of the second\n")
    step = 0
    was_killed = True
    while was_killed:
        step += 1
        copy = Path(shutil.copytree(base, tmp_path / f"try{step}"))
        was_killed = _sync_killed_at(copy, step)
        sync(copy)
        assert faults(copy) == [], step
        for name in ("first", "second"):
            assert writers(copy, f"line of the {name}") == ["/work/app/f0.py"]
        assert not [file for file in (copy / FOLDER).iterdir() if file.suffix == ".part"]
    assert step > 5


@pytest.mark.parametrize("name", ["manifest", "000001.lines", ""])
def test_one_that_is_gone_is_rebuilt(home: Path, name: str) -> None:
    session(home, "s1", "it comes back again\n")
    sync(home)
    if name:
        (home / FOLDER / name).unlink()
    else:
        shutil.rmtree(home / FOLDER)
    sync(home)
    assert writers(home, "it comes back again") == ["/work/app/f0.py"]
    assert faults(home) == []


@pytest.mark.parametrize("name", ["manifest", "000001.lines"])
def test_every_flipped_bit_is_found(home: Path, name: str) -> None:
    session(home, "s1", "some text that is here\nand more of it\n")
    sync(home)
    path = home / FOLDER / name
    whole = path.read_bytes()
    random = Random(23)
    for _ in range(20):
        data = bytearray(whole)
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
        path.write_bytes(data)
        assert len(faults(home)) == 1
        (home / FOLDER / "damaged").unlink()
    path.write_bytes(whole)
    assert faults(home) == []


def test_verify_names_damage_and_the_next_sync_heals(home: Path) -> None:
    session(home, "s1", "some text that is here\n")
    sync(home)
    path = home / FOLDER / "000001.lines"
    path.write_bytes(bytes(path.stat().st_size))
    done = aj(home, "verify")
    assert done.returncode == 1
    assert "the index of lines: " in done.stdout
    sync(home)
    assert aj(home, "verify").returncode == 0
    assert writers(home, "some text that is here") == ["/work/app/f0.py"]


def test_wrong_lines_with_a_right_checksum_are_found(home: Path) -> None:
    session(home, "s1", "some text that is here\n")
    sync(home)
    with open_journal(home) as journal:
        index = lines(journal.config)
        manifest = read_manifest(index.path)
        assert manifest is not None
        path = Path(part_path(index.path, 1))
        data = path.read_bytes().replace(
            (hash_of("some text that is here") or 0).to_bytes(8, "little"),
            (hash_of("some text that is not") or 0).to_bytes(8, "little"),
        )
        path.write_bytes(data)
        (part,) = manifest.parts
        parts = (part._replace(crc=crc32(data)),)
        write_manifest(index.path, manifest._replace(parts=parts), durable=False)
    (fault,) = faults(home)
    assert fault.startswith("1 edit with other lines than there should be: ")


def test_a_journal_that_grew_has_what_a_fresh_one_has(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST_LINES", 10)
    monkeypatch.setattr(module, "_MOST_MERGED", 40)
    monkeypatch.setattr(module, "_STEP", 3)
    random = Random(1)
    for number in range(8):
        texts = [f"a line with {random.randrange(30)} in it\n" * 3 for _ in range(4)]
        session(home, f"s{number}", *texts)
        sync(home)
        if number == 4:
            path = home / ".claude/projects/-work-app/s2.jsonl"
            path.write_text(path.read_text().replace("a line", "the line"))
    assert faults(home) == []
    grown = {f"a line with {n} in it": writers(home, f"a line with {n} in it") for n in range(30)}
    shutil.rmtree(home / FOLDER)
    sync(home)
    assert faults(home) == []
    assert {text: writers(home, text) for text in grown} == grown


def test_commits_and_texts_in_commands_are_found(home: Path) -> None:
    made = ClaudeSession(home, "s1", "/work/app")
    made.prompt("write and commit")
    made.run("cat > notes.txt <<'EOF'\nnotes about the release\nEOF", "")
    made.run("git commit -am x", "[main (root-commit) 1a2b3c4d] Add notes\n 1 file changed")
    sync(home)
    with open_journal(home) as journal:
        index = lines(journal.config)
        text = hash_of("notes about the release")
        assert text is not None
        assert len(index.find([text])) == 1
        assert len(index.find([commit_hash("1a2b3c4d" + "0" * 32)])) == 1
        assert index.find([commit_hash("ffffffff")]) == {}


def test_a_sync_without_news_writes_nothing(home: Path) -> None:
    session(home, "s1", "some text that is here\n")
    sync(home)
    before = {file.name: file.stat().st_mtime_ns for file in (home / FOLDER).iterdir()}
    sync(home)
    assert {file.name: file.stat().st_mtime_ns for file in (home / FOLDER).iterdir()} == before
