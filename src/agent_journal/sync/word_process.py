"""A second process that indexes while this one reads: a large sync uses two cores.

It only reads the catalog. When enough is committed, this process asks it to have the index of words
catch up. When there is not enough of that to do, it makes vectors, until it is asked for something
else; what is left of them at the end is made here, while the other one indexes the last words.
It says how far it has come, and this process writes that into the catalog.
It holds the write lock, too: when this process is killed, nobody else writes before it has noticed
and ended. Whatever goes wrong there, the index catches up here instead, from the watermark.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Iterable
from select import select
from typing import IO, TYPE_CHECKING, Any

from agent_journal.search.lexical import NAME
from agent_journal.search.vector_files import NAME as VECTORS_NAME
from agent_journal.search.vector_files import Extent, write_extent
from agent_journal.search.vectors import Vectors
from agent_journal.store.catalog.items import (
    last_item,
    save_watermark,
    watermark,
)
from agent_journal.store.incomplete import is_incomplete
from agent_journal.sync.indexes import lexical_in

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
_MORE = b"more\n"
_VECTORS = b"vectors\n"
_END = b"end\n"
_BUFFER = 2**16
_FIRST_COLLECTION = 50_000  # objects, as in a command


def start_word_process(
    config: Config, db: Connection, indexes: Iterable[Index], meter: Meter, lock: int
) -> WordProcess | None:
    """Start it; None where it would have no core of its own, or nothing to do."""
    words = [index for index in indexes if index.name == NAME]
    if not words or not _has_second_core(config):
        return None
    if is_incomplete(words[0].path):  # whether it has to be rebuilt is found out at the end
        return None
    has_vectors = any(can_make_vectors(db, index) for index in indexes)
    try:
        return WordProcess(config, db, meter, lock, has_vectors)
    except OSError:
        return None


def can_make_vectors(db: Connection, index: Index) -> bool:
    """Whether an index is that of vectors, and the process can make some of them."""
    return isinstance(index, Vectors) and index.is_from_table and index.can_be_followed(db)


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

    def __init__(
        self, config: Config, db: Connection, meter: Meter, lock: int, has_vectors: bool
    ) -> None:
        import subprocess

        self._db = db
        self._meter = meter
        self._received = b""
        self._reached: int | None = None  # saved as the watermark
        self._is_alive = True
        self.has_begun = False  # else the index is written here
        self._asked = 0  # times that it has not answered yet
        self._has_vectors = has_vectors  # else they are made here
        self._is_asked_for_vectors = False
        self.trouble = ""
        heap = str(config.get("index.lucene_ram_buffer_mb"))
        precision = str(config.get("index.vector_precision"))
        # -P: what is in the working folder is not imported
        command = [sys.executable, "-P", "-m", "agent_journal.sync.word_process"]
        self._process = subprocess.Popen(
            [*command, config.index_path, config.archive_path, heap, precision],
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
        if self._asked:
            return
        if last_item(self._db) - reached >= enough:
            self.ask()
        elif self._has_vectors and not self._is_asked_for_vectors:
            self._is_asked_for_vectors = True
            self._send(_VECTORS)

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
        while self._is_alive:
            if not self._hears():
                return False
        is_done = self._process.wait() == 0 and self._reached == last_item(self._db)
        if is_done:
            self._meter.index(NAME, 1.0)
        return is_done

    def take_back_vectors(self) -> None:
        """Wait until it has left the vectors, of which it makes no more."""
        self._has_vectors = False
        while self._is_alive and self._is_asked_for_vectors:
            if not self._hears():
                self.stop()  # before the same files are written here

    def stop(self) -> None:
        """End it at once, if it is still there; the index stays as it was last committed."""
        self._process.kill()
        self._is_alive = False
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                _close(pipe)
        try:
            self._process.wait()
        except KeyboardInterrupt:  # a second one: Python would complain of a process left behind
            self._process.wait()
            raise

    def _hears(self) -> bool:
        """Wait until it says something; False when it hangs, or was stopped."""
        has_said = select([_descriptor(self._process.stdout)], [], [], SILENT_SECONDS)[0]
        if has_said:
            self._listen()
        return bool(has_said)

    def _send(self, line: bytes) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        try:
            pipe.write(line)
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
        if "extent" in said:
            extent = Extent(*said["extent"])
            write_extent(self._db, extent)
            self._is_asked_for_vectors = False
            self._meter.index(VECTORS_NAME, extent.upto / max(1, last_item(self._db)))
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


def main() -> int:
    """Index until the other process says that this is all; 1 when it is gone."""
    import signal

    import tantivy  # noqa: F401  # while there is nothing to do yet

    from agent_journal.search.meaning import Table
    from agent_journal.sync.followers import Follower

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the other one, which ends this one
    os.umask(0o077)
    gc.set_threshold(_FIRST_COLLECTION)
    index_path, archive_path, heap_mb, precision = sys.argv[1:]

    def say(what: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(what) + "\n")
        sys.stdout.flush()

    # Unbuffered: whether more was said can be seen from outside
    asked = open(sys.stdin.fileno(), "rb", buffering=0, closefd=False)  # noqa: SIM115
    words = lexical_in(index_path, archive_path, int(heap_mb))
    vectors = Vectors(index_path, Table(), precision)
    follower = Follower(words, vectors, index_path, say)
    for line in asked:
        if line == _VECTORS:
            follower.follow_with_vectors(lambda: bool(select([asked], [], [], 0)[0]))
        else:
            follower.follow_with_words()
        if line == _END:
            return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
