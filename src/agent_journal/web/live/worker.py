"""The process beside the server that watches the agents' files, and syncs when it is asked.

Reading sessions takes CPU time and memory that the server needs for its answers. The process obeys
lines on its input, tells what happens as lines of JSON, and ends with the server.
"""

from __future__ import annotations

import json
import os
import sys
import time
from threading import Thread
from typing import Any

from agent_journal.answers.sync import sync_answer
from agent_journal.errors import JournalError
from agent_journal.journal import Journal
from agent_journal.sync.watching.watcher import Notice, Watcher
from agent_journal.web.live.background import SYNC

_PATIENCE = 1.0  # seconds of a sync before it tells how far it is
_EVERY = 0.3


def main() -> int:
    """Watch until the input ends."""
    os.umask(0o077)
    with Journal.open() as journal:
        teller = _Teller()
        watcher = Watcher(journal.config, journal.env, "aj web", teller.tell)
        Thread(target=_obey, args=(watcher,), daemon=True).start()
        try:
            watcher.run()
        except JournalError as error:  # a journal that cannot be written, for example
            teller.tell(Notice("failed", error.message))
            return 1
    return 0


def _obey(watcher: Watcher) -> None:
    for line in sys.stdin:
        if line == SYNC:
            watcher.sync_now()
    os._exit(0)  # the server has ended; a journal is whole at any moment


class _Teller:
    """Writes what a watcher tells to the output."""

    def __init__(self) -> None:
        self._began = 0.0
        self._next = 0.0

    def tell(self, notice: Notice) -> None:
        """Write a line."""
        if notice.kind == "syncing" and not self._is_time(notice):
            return
        line: dict[str, Any] = {"kind": notice.kind, "text": notice.text}
        if notice.kind == "syncing" and notice.progress is not None:
            line["share"] = round(notice.progress.share, 4)
        if notice.report is not None:
            line["answer"] = sync_answer(notice.report).envelope()
        if notice.is_asked_for:
            line["is_asked_for"] = True
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()

    def _is_time(self, notice: Notice) -> bool:
        """Whether a sync takes so long that somebody may wonder."""
        now = time.monotonic()
        if notice.progress is not None and not notice.progress.share:
            self._began = now
        if now - self._began < _PATIENCE or now < self._next:
            return False
        self._next = now + _EVERY
        return True


if __name__ == "__main__":
    sys.exit(main())
