"""The memory of a process and of all processes it started, while they run."""

from __future__ import annotations

import os
import re
import threading

INTERVAL = 0.02  # seconds between two looks
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


class Watch(threading.Thread):
    """Looks at a tree of processes every 20 ms; `peak` is the most memory it had, in bytes, as PSS.

    PSS counts a page that several processes share once. It is slow to read, but never more than
    RSS: so it is read only when the sum of RSS is larger than the peak so far.
    """

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.peak = 0
        self._pid = pid
        self._is_over = threading.Event()

    def run(self) -> None:
        """Looks until `stop`."""
        while not self._is_over.wait(INTERVAL):
            pids = tree(self._pid)
            if sum(map(_rss, pids)) > self.peak:
                self.peak = max(self.peak, sum(map(_pss, pids)))

    def stop(self) -> int:
        """The peak, once the processes are gone. Where there is no /proc it is 0."""
        self._is_over.set()
        self.join()
        return self.peak


def own(pid: int) -> float:
    """Megabytes of a process that nobody else has; files that are only mapped do not count.

    The system takes the memory of mapped files back when others need it.
    """
    found = dict(re.findall(r"^(\w+): +(\d+) kB", _read(f"/proc/{pid}/smaps_rollup"), re.MULTILINE))
    return (int(found.get("Anonymous", 0)) + int(found.get("Swap", 0))) / 1e3


def resident(pid: int) -> float:
    """Megabytes of a process that are in memory, with the files that it has mapped."""
    return _rss(pid) / 1e6


def tree(pid: int) -> list[int]:
    """The process and those it started, and those they started."""
    found = [pid]
    for one in found:  # grows while it is read
        found += _children(one)
    return found


def _children(pid: int) -> list[int]:
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []
    return [
        int(child)
        for thread in threads
        for child in _read(f"/proc/{pid}/task/{thread}/children").split()
    ]


def _rss(pid: int) -> int:
    fields = _read(f"/proc/{pid}/statm").split()
    return int(fields[1]) * _PAGE if fields else 0


def _pss(pid: int) -> int:
    for line in _read(f"/proc/{pid}/smaps_rollup").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0


def _read(path: str) -> str:
    """A file of /proc; nothing when its process is gone."""
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
