"""Copies of an Aider history that go on in several folders: nothing of them is hidden."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from agent_journal.store.archive import Archive
from tests.support.journals import aj, aj_json, pack_of

NAME = ".aider.chat.history.md"
HEAD = "\n# aider chat started at 2026-10-01 10:00:00\n\n> Aider v0.86.1  \n"


def turn(word: str) -> str:
    return f"\n#### please do {word}  \n\nIt is done.\n\n> Tokens: 1k sent, 10 received.\n"


def sync(home: Path) -> str:
    done = aj(home, "sync", env={"AJ_STORAGE_SOURCES_AIDER": f"{home}/w/**"})
    assert done.returncode == 0, done.stderr
    return done.stderr + done.stdout


def is_found(home: Path, word: str) -> bool:
    answer = aj_json(home, "search", "--no-sync", "--mode", "lexical", word)
    return bool(answer["items"])


def test_a_copy_that_went_on_stays_when_the_original_gets_shorter(tmp_path: Path) -> None:
    first = tmp_path / "w" / "a"
    first.mkdir(parents=True)
    (first / NAME).write_text(HEAD + turn("alphaword") + turn("betaword"))
    sync(tmp_path)
    second = Path(shutil.copytree(first, tmp_path / "w" / "b"))
    sync(tmp_path)
    with (second / NAME).open("a") as file:
        file.write(turn("gammaword"))
    sync(tmp_path)
    (first / NAME).write_text(HEAD + turn("alphaword"))
    sync(tmp_path)
    with (first / NAME).open("a") as file:
        file.write(turn("deltaword"))
    sync(tmp_path)
    assert "file read" not in sync(tmp_path)  # it has settled
    words = ("alphaword", "betaword", "gammaword", "deltaword")
    assert [is_found(tmp_path, word) for word in words] == [True] * 4
    assert aj(tmp_path, "verify").returncode == 0


def test_two_copies_of_a_moved_history_are_both_read(tmp_path: Path) -> None:
    first = tmp_path / "w" / "a"
    first.mkdir(parents=True)
    (first / NAME).write_text(HEAD + turn("alphaword") + turn("betaword"))
    sync(tmp_path)
    second = first.rename(tmp_path / "w" / "b")
    third = Path(shutil.copytree(second, tmp_path / "w" / "c"))
    for folder, word in ((second, "gammaword"), (third, "deltaword")):
        with (folder / NAME).open("a") as file:
            file.write(turn(word))
    sync(tmp_path)
    assert "file read" not in sync(tmp_path)
    assert [is_found(tmp_path, word) for word in ("gammaword", "deltaword")] == [True, True]
    assert aj(tmp_path, "verify").returncode == 0


@pytest.mark.parametrize("rest", ["alphaword", "deltaword"])  # the beginning of both, or neither
def test_what_two_copies_shared_stays_when_one_is_rewritten(tmp_path: Path, rest: str) -> None:
    """It was read from the first one by path; the other one still has it."""
    first = tmp_path / "w/a/proj" / NAME
    second = tmp_path / "w/b/proj" / NAME
    for path, word in ((first, "betaword"), (second, "gammaword")):
        path.parent.mkdir(parents=True)
        later = HEAD.replace("10-01", "10-02") + turn(word)
        path.write_text(HEAD + turn("alphaword") + later)
        sync(tmp_path)
    first.write_text(HEAD + turn(rest))
    sync(tmp_path)
    assert "file read" not in sync(tmp_path)
    assert [is_found(tmp_path, word) for word in ("alphaword", "gammaword")] == [True, True]
    found = aj(tmp_path, "verify")
    assert found.returncode == 0, found.stdout


def test_another_root_leaves_the_file_with_its_first_session(tmp_path: Path) -> None:
    """The history begins with a chat without a word; `aj verify` found a difference for ever."""
    folder = tmp_path / "src/app"
    folder.mkdir(parents=True)
    (folder / ".aider.chat.history.md").write_text(
        "\n# aider chat started at 2026-04-26 19:45:34\n\n> Aider v0.86.2  \n"
        "\n# aider chat started at 2026-04-26 19:48:32\n\n> Aider v0.86.2  \n"
        "\n#### hello  \n\nHi there.\n\n"
    )
    for source in (str(tmp_path / "src"), str(folder), str(tmp_path)):
        assert aj(tmp_path, "sync", env={"AJ_AIDER_PATH": source}).returncode == 0
        done = aj(tmp_path, "verify")
        assert done.returncode == 0, done.stdout


def test_a_copy_that_is_damaged_in_the_archive_hinders_no_other(tmp_path: Path) -> None:
    first = tmp_path / "w/a/proj" / NAME
    second = tmp_path / "w/b/proj" / NAME
    for path, day, word in ((first, "10-02", "betaword"), (second, "10-03", "gammaword")):
        path.parent.mkdir(parents=True)
        path.write_text(HEAD + turn("alphaword") + HEAD.replace("10-01", day) + turn(word))
        sync(tmp_path)
    pack = pack_of(tmp_path)
    data = bytearray(pack.read_bytes())
    place = next(Archive(str(pack.parent)).scan(1, 0)).place  # of the first one
    data[place.offset + place.stored // 2] ^= 1
    pack.write_bytes(data)
    first.unlink()
    with second.open("a") as file:
        file.write(turn("deltaword"))
    assert "1 problem" in sync(tmp_path)
    words = ("alphaword", "betaword", "gammaword", "deltaword")
    assert [is_found(tmp_path, word) for word in words] == [True] * 4
    restored = tmp_path / "restored"
    aj(tmp_path, "restore", "--all", "-o", str(restored))
    assert second.read_bytes() in [path.read_bytes() for path in restored.rglob(NAME)]
