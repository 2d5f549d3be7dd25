"""`aj backup` and `aj restore --from`: a whole journal in a folder or a file, and back."""

from __future__ import annotations

import io
import json
import os
import random
import shutil
import stat
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from backports import zstd

from agent_journal.store.backup.restoring import unpack
from tests.support.journals import (
    aj,
    aj_json,
    append,
    claude_line,
    flip_a_byte_of_the_archive,
    journal_digest,
    pack_of,
    texts,
    variables,
    wait_until,
    write_claude,
)
from tests.support.killing import in_child, kill_at, quietly

# A pack for every few sessions, as in a large journal.
_SMALL_PACKS = (
    "import agent_journal.store.archive as archive; archive.PACK_LIMIT = 10_000\n"
    "from agent_journal.cli.main import main; main()"
)


def quiet(done: int, total: int, name: str) -> None:
    """Nobody looks at the progress."""


def kept_bytes(home: Path) -> dict[str, bytes]:
    """The bytes of the packs of a journal, a backup, or what was unpacked."""
    return {path.name: path.read_bytes() for path in sorted((home / "archive").glob("*.pack"))}


def restored_digest(home: Path, backup: Path, output: Path) -> dict[str, str]:
    """What a journal says that was restored from a backup; it verifies."""
    done = aj(home, "restore", "--from", str(backup), "-o", str(output))
    assert done.returncode == 0, done.stderr
    verified = aj(home, "verify", env={"AJ_HOME": str(output)})
    assert verified.returncode == 0, verified.stdout
    return journal_digest(home, AJ_HOME=str(output))


def new_bytes(home: Path, target: Path) -> int:
    answer = aj_json(home, "backup", str(target))
    return sum(item["new_bytes"] for item in answer["items"])


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    for number in range(3):
        write_claude(made, f"s{number}", count=20)
    assert aj(made, "sync").returncode == 0
    return made


@pytest.mark.parametrize("name", ["backup", "backup.tar.zst"])
@pytest.mark.parametrize("options", [[], ["--with-index"]])
def test_a_restored_journal_says_the_same(home: Path, name: str, options: list[str]) -> None:
    assert aj(home, "config", "set", "search.max_results", "7").returncode == 0
    assert aj(home, "star", "last").returncode == 0
    target = home.parent / name
    done = aj(home, "backup", str(target), *options)
    assert done.returncode == 0, done.stderr
    assert "aj restore --from" in done.stderr
    elsewhere = home.parent / "other machine" / "journal"
    assert restored_digest(home, target, elsewhere) == journal_digest(home)
    for name_of_user_file in ("config.toml", "marks.jsonl", "seen.jsonl"):
        ours = (home / ".agent-journal" / name_of_user_file).read_bytes()
        assert (elsewhere / name_of_user_file).read_bytes() == ours


def test_files_of_a_backup_are_private(home: Path) -> None:
    folder = home.parent / "backup"
    file = home.parent / "backup.tar.zst"
    assert aj(home, "backup", str(folder), "--with-index").returncode == 0
    assert aj(home, "backup", str(file)).returncode == 0
    files = [path for path in [file, *folder.rglob("*")] if path.is_file()]
    assert len(files) > 4
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}


def test_a_backup_while_two_syncs_run_can_be_restored(tmp_path: Path) -> None:
    """Sessions grow, two processes sync all the time: every backup is a journal of one moment."""
    home = tmp_path / "home"
    for number in range(16):
        write_claude(home, f"s{number}", count=30)
    command = [sys.executable, "-c", _SMALL_PACKS, "sync"]
    assert subprocess.run(command, env=variables(home), check=False).returncode == 0
    for turn in range(2):
        for number in range(0, 24, 2):
            write_claude(home, f"s{number}", start=1000 * (turn + 1), count=30)
        syncs = [subprocess.Popen(command, env=variables(home)) for _ in range(2)]
        before = sum(map(len, kept_bytes(home / ".agent-journal").values()))
        wait_until(
            lambda before=before, syncs=syncs: (  # type: ignore[misc]
                sum(map(len, kept_bytes(home / ".agent-journal").values())) > before
                or all(sync.poll() is not None for sync in syncs)
            )
        )
        for name in ("backup", f"{turn}.tar.zst"):
            done = aj(home, "backup", str(tmp_path / name))
            assert done.returncode == 0, done.stderr
        assert [sync.wait() for sync in syncs] == [0, 0]
        restored_digest(home, tmp_path / "backup", tmp_path / f"folder{turn}")
        restored_digest(home, tmp_path / f"{turn}.tar.zst", tmp_path / f"file{turn}")
    assert aj(home, "backup", str(tmp_path / "backup")).returncode == 0
    assert len(kept_bytes(tmp_path / "backup")) > 3
    assert restored_digest(home, tmp_path / "backup", tmp_path / "last") == journal_digest(home)


def test_the_next_backup_copies_only_what_is_new(home: Path) -> None:
    target = home.parent / "backup"
    first = new_bytes(home, target)
    assert new_bytes(home, target) == 0
    write_claude(home, "s3", count=2)
    aj(home, "sync")
    second = new_bytes(home, target)
    assert 0 < second < first
    assert kept_bytes(target) == kept_bytes(home / ".agent-journal")


# -- damage ------------------------------------------------------------------------------------


def cut_the_pack(home: Path) -> None:
    os.truncate(pack_of(home), pack_of(home).stat().st_size // 2)


def cut_the_seen_facts(home: Path) -> None:
    path = home / ".agent-journal/seen.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:1]))


def damage_the_seen_facts(home: Path) -> None:
    path = home / ".agent-journal/seen.jsonl"
    path.write_bytes(path.read_bytes().replace(b"file", b"fiel"))


@pytest.mark.parametrize(
    "damage",
    [
        flip_a_byte_of_the_archive,
        cut_the_pack,
        cut_the_seen_facts,
        damage_the_seen_facts,
    ],
)
def test_damage_of_the_journal_never_replaces_good_bytes(
    home: Path, damage: Callable[[Path], None]
) -> None:
    target = home.parent / "backup"
    assert aj(home, "backup", str(target)).returncode == 0
    good = {path.name: path.read_bytes() for path in target.rglob("*") if path.is_file()}
    damage(home)
    aj(home, "backup", str(target))
    there = {path.read_bytes() for path in target.rglob("*") if path.is_file()}
    for name, data in good.items():
        if name not in ("backup.json", "write.lock"):
            assert data in there, name
    assert kept_bytes(target)["000001.pack"] == good["000001.pack"]


def test_damaged_settings_never_replace_good_ones(home: Path) -> None:
    assert aj(home, "config", "set", "search.max_results", "7").returncode == 0
    target = home.parent / "backup"
    aj(home, "backup", str(target))
    (home / ".agent-journal/config.toml").write_bytes(b"[[[\n")
    aj(home, "backup", str(target), env={"AJ_HOME": str(home / ".agent-journal")})
    assert b"7" in (target / "config.toml").read_bytes()


def test_new_bytes_that_are_damaged_are_named(home: Path) -> None:
    flip_a_byte_of_the_archive(home)
    for name in ("backup", "backup.tar.zst"):
        done = aj(home, "backup", str(home.parent / name))
        assert done.returncode == 1
        assert "damaged in the journal" in done.stderr


def test_a_file_that_was_cut_off_gives_what_it_has(home: Path) -> None:
    noise = random.Random(1).randbytes(2_000_000).hex()  # that nothing compresses away
    append(write_claude(home, "s3", count=2), claude_line("user", 2, noise, "s3"))
    aj(home, "sync")
    target = home.parent / "backup.tar.zst"
    out = home.parent / "out"
    aj(home, "backup", str(target))
    os.truncate(target, target.stat().st_size // 2)
    done = aj(home, "restore", "--from", str(target), "-o", str(out))
    assert done.returncode == 1
    assert "000001.pack" in done.stderr
    assert len(journal_digest(home, AJ_HOME=str(out))) >= 3


def test_a_damaged_backup_is_named_when_it_is_restored(home: Path) -> None:
    target = home.parent / "backup"
    aj(home, "backup", str(target))
    pack = target / "archive/000001.pack"
    data = bytearray(pack.read_bytes())
    data[len(data) // 2] ^= 1
    pack.write_bytes(data)
    done = aj(home, "restore", "--from", str(target), "-o", str(home.parent / "out"))
    assert done.returncode == 1
    assert "000001.pack: its bytes are not those" in done.stderr


def test_a_hostile_file_writes_nothing_outside(home: Path, tmp_path: Path) -> None:
    """Names that lead elsewhere, links and pipes are left out."""
    path = tmp_path / "hostile.tar.zst"
    with zstd.ZstdFile(path, "w") as stream, tarfile.open(fileobj=stream, mode="w|") as tar:
        for name in ("../outside", "/tmp/aj-outside", "archive/../../outside", "a/b/c", "."):
            member = tarfile.TarInfo(name)
            member.size = 3
            tar.addfile(member, io.BytesIO(b"bad"))
        link = tarfile.TarInfo("archive")
        link.type = tarfile.SYMTYPE
        link.linkname = str(home)
        tar.addfile(link)
    before = sorted(tmp_path.rglob("*"))
    done = aj(home, "restore", "--from", str(path), "-o", str(tmp_path / "out"))
    assert done.returncode == 1
    after = [found for found in sorted(tmp_path.rglob("*")) if "out" not in found.parts]
    assert after == before
    assert not os.path.exists("/tmp/aj-outside")


# -- refusals ----------------------------------------------------------------------------------


def test_a_backup_of_another_journal_is_refused(home: Path, tmp_path: Path) -> None:
    target = tmp_path / "backup"
    aj(home, "backup", str(target))
    before = kept_bytes(target)
    other = tmp_path / "other"
    write_claude(other, "another", count=400)
    aj(other, "sync")
    done = aj(other, "backup", str(target))
    assert done.returncode == 2
    assert "another journal" in done.stderr
    assert kept_bytes(target) == before


@pytest.mark.parametrize(
    "target", [".agent-journal/copy", ".claude/copy", ".claude/copy.tar.zst", "", "full"]
)
def test_a_wrong_place_is_refused(home: Path, target: str) -> None:
    (home / "full").mkdir()
    (home / "full/letter.txt").write_text("mine")
    before = sorted(home.rglob("*"))
    done = aj(home, "backup", str(home / target))
    assert done.returncode == 2, done.stderr
    assert sorted(home.rglob("*")) == before


def test_a_file_that_exists_is_not_replaced(home: Path) -> None:
    target = home.parent / "b.tar.zst"
    target.write_bytes(b"mine")
    assert aj(home, "backup", str(target)).returncode == 2
    assert target.read_bytes() == b"mine"


def test_a_journal_is_never_restored_over_another(home: Path) -> None:
    target = home.parent / "backup"
    aj(home, "backup", str(target))
    before = journal_digest(home)
    done = aj(home, "restore", "--from", str(target))
    assert done.returncode == 2
    assert "aj import-journal" in done.stderr
    assert journal_digest(home) == before


def test_settings_that_are_there_stay(home: Path, tmp_path: Path) -> None:
    aj(home, "config", "set", "search.max_results", "7")
    aj(home, "backup", str(tmp_path / "backup"))
    other = tmp_path / "other"
    aj(other, "config", "set", "search.max_results", "9")
    done = aj(other, "restore", "--from", str(tmp_path / "backup"))
    assert done.returncode == 0, done.stderr
    assert "9" in (other / ".agent-journal/config.toml").read_text()
    assert len(texts(other, "s1")) == 20


# -- kills -------------------------------------------------------------------------------------


def killed(number: int, home: Path, args: list[str]) -> bool:
    """Run a command that is killed before its step with a number; whether it ended before."""

    def work() -> None:
        os.environ.update(HOME=str(home), AJ_HOME=str(home / ".agent-journal"))
        kill_at(number)
        quietly(args)

    return in_child(work)


def test_a_killed_backup_is_the_one_before_or_the_one_after(home: Path) -> None:
    old = home.parent / "old"
    aj(home, "config", "set", "search.max_results", "7")
    aj(home, "backup", str(old), "--with-index")
    aj(home, "config", "set", "search.max_results", "8")
    write_claude(home, "s3", count=30)
    aj(home, "sync")
    sizes = {len(kept_bytes(old)["000001.pack"]), pack_of(home).stat().st_size}
    target = home.parent / "backup"
    out = home.parent / "out"
    for number in range(1, 200):
        shutil.copytree(old, target)
        has_ended = killed(number, home, ["backup", str(target)])
        assert [file for file in unpack(str(target), str(out), quiet) if file.reason] == []
        assert (out / "archive/000001.pack").stat().st_size in sizes
        shutil.rmtree(out)
        assert aj(home, "backup", str(target)).returncode == 0
        assert kept_bytes(target) == kept_bytes(home / ".agent-journal")
        assert not list(target.rglob("*.new"))
        shutil.rmtree(target)
        if has_ended:
            break
    assert number > 8


def test_a_first_backup_that_was_killed_is_completed(home: Path) -> None:
    target = home.parent / "backup"
    for number in range(1, 200):
        has_ended = killed(number, home, ["backup", str(target)])
        assert aj(home, "backup", str(target)).returncode == 0
        assert kept_bytes(target) == kept_bytes(home / ".agent-journal")
        shutil.rmtree(target)
        if has_ended:
            break
    assert number > 5


def test_a_backup_file_has_its_name_only_when_it_is_whole(home: Path) -> None:
    target = home.parent / "b.tar.zst"
    number = 0
    while not target.exists():
        number += 1
        killed(number, home, ["backup", str(target)])
    assert number > 1
    restored = unpack(str(target), str(home.parent / "out"), quiet)
    assert [file for file in restored if file.reason] == []
    assert kept_bytes(home.parent / "out") == kept_bytes(home / ".agent-journal")


def test_a_killed_restore_is_completed_by_running_it_again(home: Path) -> None:
    target = home.parent / "backup"
    aj(home, "backup", str(target))
    out = home.parent / "out"
    args = ["restore", "--from", str(target), "-o", str(out)]
    number = 0
    while not (out / "archive").exists():
        shutil.rmtree(out, ignore_errors=True)
        number += 1
        killed(number, home, args)
    # The archive came last: everything else was there, and the next sync rebuilds the rest
    assert number > 4
    assert (out / "seen.jsonl").exists()
    assert aj(home, "sync", env={"AJ_HOME": str(out), "HOME": str(out)}).returncode == 0
    assert aj(home, "verify", env={"AJ_HOME": str(out)}).returncode == 0
    assert journal_digest(home, AJ_HOME=str(out)) == journal_digest(home)
    for before in range(1, number):
        shutil.rmtree(out)
        killed(before, home, args)
        assert aj(home, *args).returncode == 0
        assert kept_bytes(out) == kept_bytes(home / ".agent-journal")


def test_the_manifest_can_be_read_by_others(home: Path) -> None:
    target = home.parent / "backup"
    aj(home, "backup", str(target))
    content = json.loads((target / "backup.json").read_bytes())
    assert set(content["files"]) == {"archive/000001.pack", "seen.jsonl"}
