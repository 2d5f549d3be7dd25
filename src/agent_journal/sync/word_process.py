"""A second process that indexes words while this one reads: a large sync uses two cores.

It only reads the catalog. When enough is committed, this process asks it to have the index of words
catch up. It says how far it has come, and this process moves the watermark.
It holds the write lock, too: when this process is killed, nobody else writes before it has noticed
and ended. Whatever goes wrong there, the index catches up here instead, from the watermark.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable
from typing import IO, TYPE_CHECKING, Any

from agent_journal.search.lexical import NAME, Lexical
from agent_journal.store.catalog.items import (
    last_item,
    save_watermark,
    tombstones,
    watermark,
)
from agent_journal.store.incomplete import is_incomplete

if TYPE_CHECKING:
    from agent_journal.config.loading import Config
    from agent_journal.store.catalog.connection import Connection
    from agent_journal.sync.indexes import Index
    from agent_journal.sync.progress import Meter

# Items to be indexed at once: each time tantivy writes new files, which it merges later. As many as
# half of those that are indexed, so that there are few files of a size.
LEAST_ITEMS = 4_000
MOST_ITEMS = 20_000
SILENT_SECONDS = 300.0  # after which nothing more is expected of it
_MORE = "more\n"
_END = "end\n"
_BUFFER = 2**16


def start_word_process(
    config: Config, db: Connection, indexes: Iterable[Index], meter: Meter, lock: int
) -> WordProcess | None:
    """Start it; None where it would have no core of its own, or nothing to do."""
    words = [index for index in indexes if index.name == NAME]
    if not words or not _has_second_core(config):
        return None
    if is_incomplete(words[0].path):  # whether it has to be rebuilt is found out at the end
        return None
    try:
        return WordProcess(config, db, meter, lock)
    except OSError:
        return None


def _has_second_core(config: Config) -> bool:
    if os.name != "posix":  # elsewhere a process cannot inherit the lock
        return False
    workers = config.get("sync.workers")
    if workers is not None:
        return int(str(workers)) > 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) > 1
    return (os.cpu_count() or 1) > 1


class WordProcess:
    """The process as this one sees it."""

    def __init__(self, config: Config, db: Connection, meter: Meter, lock: int) -> None:
        import subprocess

        self._db = db
        self._meter = meter
        self._received = b""
        self._reached: int | None = None  # saved as the watermark
        self._is_alive = True
        self.has_begun = False  # else the index is written here
        self._asked = 0  # times that it has not answered yet
        self.trouble = ""
        heap = str(config.get("index.lucene_ram_buffer_mb"))
        # -P: what is in the working folder is not imported
        command = [sys.executable, "-P", "-m", "agent_journal.sync.word_process"]
        self._process = subprocess.Popen(
            [*command, config.index_path, config.archive_path, heap],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=(lock,),
        )
        os.set_blocking(_descriptor(self._process.stdout), False)

    def begin(self) -> None:
        """Leave the index of words to it from now on."""
        self.has_begun = True
        self._reached = watermark(self._db, NAME)

    def notice_commit(self) -> None:
        """Hear how far it has come, and have it go on if there is enough more to index."""
        if not self.has_begun:
            return
        self._listen()
        reached = self._reached or 0
        enough = min(MOST_ITEMS, max(LEAST_ITEMS, reached // 2))
        if not self._asked and last_item(self._db) - reached >= enough:
            self.ask()

    def ask(self) -> None:
        """Have it index what is committed, however little that is."""
        self._asked += 1
        self._send(_MORE)

    def end(self) -> None:
        """Tell it that everything is committed."""
        self._asked += 1
        self._send(_END)
        self._listen()

    def wait(self) -> bool:
        """Wait until it ends; whether it has indexed everything."""
        from select import select

        said = [_descriptor(self._process.stdout)]
        while self._is_alive:
            if not select(said, [], [], SILENT_SECONDS)[0]:
                return False  # it hangs, or was stopped
            self._listen()
        is_done = self._process.wait() == 0 and self._reached == last_item(self._db)
        if is_done:
            self._meter.index(NAME, 1.0)
        return is_done

    def stop(self) -> None:
        """End it at once, if it is still there; the index stays as it was last committed."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                _close(pipe)
        try:
            self._process.wait()
        except KeyboardInterrupt:  # a second one: Python would complain of a process left behind
            self._process.wait()
            raise

    def _send(self, line: str) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        try:
            pipe.write(line.encode())
            pipe.flush()
        except OSError:  # it has died
            self._is_alive = False

    def _listen(self) -> None:
        """Take what it has said."""
        try:
            data = os.read(_descriptor(self._process.stdout), _BUFFER)
        except BlockingIOError:
            return
        if not data:
            self._is_alive = False
        *lines, self._received = (self._received + data).split(b"\n")
        for line in lines:
            self._hear(json.loads(line))

    def _hear(self, said: dict[str, Any]) -> None:
        if "at" in said:
            self._meter.index(NAME, said["at"] / max(1, last_item(self._db)))
        if "reached" in said:
            self._reached = said["reached"]
            self._asked -= 1
            self.trouble = said["trouble"]
            save_watermark(self._db, NAME, said["reached"])


def _descriptor(pipe: IO[bytes] | None) -> int:
    assert pipe is not None
    return pipe.fileno()


def _close(pipe: IO[bytes]) -> None:
    try:
        pipe.close()
    except OSError:  # what was not sent cannot be sent any more
        pass


# -- in the process ------------------------------------------------------------------------------


class Words:
    """The index of words, which follows the commits of another process."""

    def __init__(self, index: Lexical, index_path: str, say: Callable[[dict[str, Any]], None]):
        self._index = index
        self._index_path = index_path
        self._say = say
        self._reached: int | None = None
        self._dropped: set[int] = set()  # what was gone already

    def catch_up(self) -> None:
        """Index everything that is committed."""
        from agent_journal.store.catalog.store import open_reader

        db = open_reader(self._index_path)  # which sees what is committed now
        if db is None:
            return
        try:
            self._catch_up(db)
        finally:
            db.close()

    def _catch_up(self, db: Connection) -> None:
        if self._reached is None:
            self._reached = self._index.reached(db)
        first, last = self._reached, last_item(db)
        gone = [item_id for item_id in tombstones(db) if item_id not in self._dropped]
        if last > first or gone:
            self._index.tell = lambda part: self._say({"at": first + part * (last - first)})
            self._reached = self._index.catch_up(db, first, gone)
            self._dropped.update(gone)
        self._say({"reached": self._reached, "trouble": self._index.trouble})


def main() -> int:
    """Index words until the other process says that this is all; 1 when it is gone."""
    import signal

    import tantivy  # noqa: F401  # while there is nothing to do yet

    from agent_journal.sync.indexes import lexical_in

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the other one, which ends this one
    os.umask(0o077)
    index_path, archive_path, heap_mb = sys.argv[1:]

    def say(what: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(what) + "\n")
        sys.stdout.flush()

    words = Words(lexical_in(index_path, archive_path, int(heap_mb)), index_path, say)
    for line in sys.stdin:
        words.catch_up()
        if line == _END:
            return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
