"""The watcher on real files: what is written is in the journal a moment later."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread, Timer

import pytest

from agent_journal.errors import CannotWrite
from agent_journal.sync.watching import change_events, places, polling, watcher
from agent_journal.sync.watching.holder import WatchLock, find_holder
from agent_journal.sync.watching.places import find_places
from agent_journal.sync.watching.watcher import Notice, Watcher
from tests.support.journals import open_journal, texts, variables, wait_until, write_claude
from tests.support.paths import CASES


class Watching:
    """A watcher in a thread, and what it told."""

    def __init__(self, home: Path, must_poll: bool = False) -> None:
        self.home = home
        self.told: list[Notice] = []
        with open_journal(home) as journal:
            self.watcher = Watcher(
                journal.config, journal.env, "test", self.told.append, must_poll=must_poll
            )
        self._thread = Thread(target=self.watcher.run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self.watcher.stop()
        self._thread.join(20)
        assert not self._thread.is_alive()

    def kinds(self) -> list[str]:
        return [notice.kind for notice in self.told]

    def has(self, session: str, count: int) -> bool:
        with suppress(Exception):
            return len(texts(self.home, session)) == count
        return False


@contextmanager
def watching(home: Path, must_poll: bool = False) -> Iterator[Watching]:
    started = Watching(home, must_poll)
    try:
        wait_until(lambda: "watching" in started.kinds())
        yield started
    finally:
        started.stop()


@pytest.mark.parametrize("must_poll", [False, True], ids=["heard", "polled"])
def test_what_is_written_is_read(tmp_path: Path, must_poll: bool) -> None:
    path = write_claude(tmp_path, "s1")
    with watching(tmp_path, must_poll) as found:
        assert found.has("s1", 4)
        write_claude(tmp_path, "s1", count=2, start=4)
        wait_until(lambda: found.has("s1", 6))
        write_claude(tmp_path, "s2", count=2)
        wait_until(lambda: found.has("s2", 2))
        write_claude(tmp_path, "s3", count=2, project="-another-folder")
        wait_until(lambda: found.has("s3", 2))
        path.unlink()
        wait_until(lambda: _is_gone(tmp_path, path))
    assert ("polling" in found.kinds()) is must_poll
    with open_journal(tmp_path) as journal:
        assert journal.sync().changed_files == 0


def _is_gone(home: Path, path: Path) -> bool:
    with open_journal(home) as journal:
        query = "SELECT vanished_at FROM files WHERE path = ?"
        return journal.db.execute(query, (str(path),)).fetchone()[0] is not None


def test_words_are_found_a_moment_later(tmp_path: Path) -> None:
    write_claude(tmp_path, "s1")
    with watching(tmp_path):
        write_claude(tmp_path, "s2", count=2)
        wait_until(lambda: _are_indexes_complete(tmp_path))
        with open_journal(tmp_path) as journal:
            assert len(journal.sessions()) == 2


def _are_indexes_complete(home: Path) -> bool:
    with open_journal(home) as journal:
        [last] = journal.db.execute("SELECT value FROM meta WHERE key = 'last item'").fetchone()
        reached = [item for (item,) in journal.db.execute("SELECT item_id FROM watermarks")]
        count = journal.db.execute("SELECT count(*) FROM sessions").fetchone()[0]
    return count == 2 and bool(reached) and min(reached) == last


def test_a_folder_that_appears_is_listened_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watcher, "_PLACES_EVERY", 0.1)
    with watching(tmp_path) as found:
        [watched] = [notice.text for notice in found.told if notice.kind == "watching"]
        assert watched == "for agents: none of their folders exists yet"
        write_claude(tmp_path, "s1")
        wait_until(lambda: found.has("s1", 4))
        write_claude(tmp_path, "s1", count=2, start=4)
        wait_until(lambda: found.has("s1", 6))


def test_files_of_nobody_are_looked_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []
    sync = watcher.sync

    def noted(*args: object, **options: object) -> object:
        if "files" in options:
            asked.append([os.path.basename(path) for path in options["files"]])  # type: ignore[attr-defined]
        return sync(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(watcher, "sync", noted)
    path = write_claude(tmp_path, "s1")
    with watching(tmp_path) as found:
        wait_until(lambda: found.kinds().count("synced") >= 2)  # it listens
        other = path.with_name("notes.txt")
        other.write_text("1")
        wait_until(lambda: ["notes.txt"] in asked)
        other.write_text("2")
        write_claude(tmp_path, "s1", count=2, start=4)
        wait_until(lambda: found.has("s1", 6))
    assert [names for names in asked if "notes.txt" in names] == [["notes.txt"]]


def test_a_failure_is_told_and_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failures = 2
    sync = watcher.sync

    def fail_at_first(*args: object, **options: object) -> object:
        nonlocal failures
        if "files" in options and failures:
            failures -= 1
            raise CannotWrite("no space left")
        return sync(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(watcher, "sync", fail_at_first)
    write_claude(tmp_path, "s1")
    with watching(tmp_path) as found:
        wait_until(lambda: found.kinds().count("synced") >= 2)
        write_claude(tmp_path, "s1", count=2, start=4)
        wait_until(lambda: found.has("s1", 6))
    told = [notice.text for notice in found.told if notice.kind == "failed"]
    assert told == [
        "no space left; trying again in 1 s",
        "no space left; trying again in 2 s",
    ]


def test_one_process_watches_and_another_takes_over(tmp_path: Path) -> None:
    write_claude(tmp_path, "s1")
    with watching(tmp_path) as first:
        holder = find_holder(str(tmp_path / ".agent-journal"))
        assert holder is not None
        assert (holder.program, holder.pid) == ("test", os.getpid())
        second = Watching(tmp_path)
        try:
            wait_until(lambda: second.kinds() == ["waiting"])
            assert second.told[0].text == f"test (process {os.getpid()}) watches this journal"
            write_claude(tmp_path, "s1", count=2, start=4)
            wait_until(lambda: "synced" in second.kinds())  # read by the first one
            first.stop()
            wait_until(lambda: "watching" in second.kinds())
        finally:
            second.stop()
    assert find_holder(str(tmp_path / ".agent-journal")) is None


def test_a_lock_outlives_no_process(tmp_path: Path) -> None:
    lock = WatchLock(str(tmp_path), "test")
    assert lock.acquire()
    assert not WatchLock(str(tmp_path), "other").acquire()
    lock.describe("why", 4, 0.05)
    holder = find_holder(str(tmp_path))
    assert holder is not None
    assert (holder.why_polled, holder.slowness, holder.share) == ("why", 4, 0.05)
    lock.release()
    assert find_holder(str(tmp_path)) is None


def test_where_the_system_tells_nothing_it_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> Iterator[None]:
        raise OSError("OS file watch limit reached. about ['/home']")

    import watchfiles

    monkeypatch.setattr(watchfiles, "watch", refuse)
    write_claude(tmp_path, "s1")
    with watching(tmp_path) as found:
        wait_until(lambda: "polling" in found.kinds())
        write_claude(tmp_path, "s1", count=2, start=4)
        wait_until(lambda: found.has("s1", 6))
    [told] = [notice.text for notice in found.told if notice.kind == "polling"]
    assert "no more inotify watches (fs.inotify.max_user_watches)" in told


def test_network_disks_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_claude(tmp_path, "s1")
    mounts = tmp_path / "mounts"
    mounts.write_text(f"host:/home {tmp_path}/.claude nfs4 rw 0 0\nproc /proc proc rw 0 0\n")
    monkeypatch.setattr(places, "_MOUNTS", str(mounts))
    with open_journal(tmp_path) as journal:
        found = find_places(journal.config, journal.env)
    assert str(tmp_path / ".claude") not in found.with_events
    assert str(tmp_path / ".claude") in [root.path for root in found.polled]
    assert "network disk" in found.why_polled


def test_files_in_use_are_looked_at_often_and_others_seldom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_claude(tmp_path, "s1")
    old = write_claude(tmp_path, "old")
    os.utime(old, (1, 1))
    with open_journal(tmp_path) as journal:
        roots = find_places(journal.config, journal.env, "asked").polled
    monkeypatch.setattr(polling, "_ALL_EVERY", 1_000.0)
    monkeypatch.setattr(polling, "_HOT_EVERY", 0.0)
    looks = polling.Polling(roots)
    assert looks.look() == set()
    assert looks.look() == set()
    write_claude(tmp_path, "s1", count=1, start=4)
    write_claude(tmp_path, "new")
    assert looks.look() == {str(path)}
    assert looks.look() == set()
    path.unlink()
    assert looks.look() == {str(path)}


def test_a_session_of_many_files_has_not_changed_for_being_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(CASES / "opencode/tree/home", tmp_path, dirs_exist_ok=True)
    for path in tmp_path.rglob("*"):
        os.utime(path)  # it is in use
    with open_journal(tmp_path) as journal:
        roots = find_places(journal.config, journal.env, "asked").polled
    monkeypatch.setattr(polling, "_ALL_EVERY", 0.0)
    monkeypatch.setattr(polling, "_COST_FACTOR", 0)
    looks = polling.Polling(roots)
    assert looks.look() == set()
    monkeypatch.setattr(polling, "_HOT_EVERY", 0.0)
    monkeypatch.setattr(looks, "_all_at", float("inf"))
    assert looks.look() == set()
    monkeypatch.setattr(looks, "_all_at", 0.0)
    storage = tmp_path / ".local/share/opencode/storage"
    (storage / "message/ses_06tree/msg_t1.json").write_text("{}")
    assert looks.look() == {str(storage / "session/global/ses_06tree.json")}


def test_the_messages_of_a_tree_are_followed(tmp_path: Path) -> None:
    shutil.copytree(CASES / "opencode/tree/home", tmp_path, dirs_exist_ok=True)
    part = tmp_path / ".local/share/opencode/storage/part/msg_t2/prt_t2x.json"
    with watching(tmp_path) as found:
        wait_until(lambda: found.kinds().count("synced") >= 2)  # it listens
        part.write_text(part.read_text().replace("It is wet", "It is dry"))
        wait_until(lambda: "It is dry" in texts(tmp_path, "ses_06tree")[-1])


def test_a_new_folder_with_many_files_is_not_named_file_by_file(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / str(number)).touch()
    assert len(change_events.files_below(str(tmp_path), 5) or ()) == 5
    assert change_events.files_below(str(tmp_path), 4) is None


LIMITED = """
import os, sys
with open("/proc/sys/user/max_inotify_watches", "w") as file:
    file.write("8")
os.execv(sys.executable, [sys.executable, "-m", "agent_journal", "watch"])
"""


def test_a_limit_of_eight_watches(tmp_path: Path) -> None:
    """With the kernel's own limit, in a user namespace."""
    for number in range(12):
        write_claude(tmp_path, f"s{number}", project=f"-folder-{number}")
    command = ["unshare", "--user", "--map-root-user", sys.executable, "-c", LIMITED]
    process = subprocess.Popen(
        command,
        env=variables(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        bufsize=1,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    watchdog = Timer(60, process.kill)  # a line that never comes must not hang the tests
    watchdog.start()
    try:
        told = []
        for line in process.stderr:
            told.append(line.strip())
            if "Operation not permitted" in line or "Permission denied" in line:
                pytest.skip("this machine gives no user namespaces")
            if "looking for changes" in line:
                break
        assert any("no more inotify watches" in line for line in told), told
        write_claude(tmp_path, "s3", count=2, start=4, project="-folder-3")
        assert "6 messages" in process.stdout.readline()
    finally:
        watchdog.cancel()
        process.terminate()
        process.communicate()
