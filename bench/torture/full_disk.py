"""A full disk at any moment: one clear line, nothing is lost, and with room a sync completes it.

A small file system in memory is mounted in a namespace of the trial's own. Where that is not
allowed, writes fail through the hook; where there is no hook, through a limit on the size of files.
"""

from __future__ import annotations

import ctypes
import os
import random
import resource
import signal
from collections.abc import Callable
from typing import Any

from bench.torture import hook
from bench.torture.checks import Said, behaved, healed, said, succeeded
from bench.torture.homes import grow, write_mixed
from bench.torture.sandbox import Broken, Home

_NEW_NAMESPACE = 0x00020000  # CLONE_NEWNS
_NEW_USER = 0x10000000  # CLONE_NEWUSER
_PRIVATE = (1 << 18) | (1 << 14)  # MS_PRIVATE | MS_REC
_REMOUNT = 32  # MS_REMOUNT
_PAGE = 4096
_ENOUGH = 64 * 2**20
_FULL = 1


class FullDisk:
    """A first sync, a later one or the first query on a disk that becomes full."""

    name = "full-disk"
    weight = 1

    def __init__(self, folder: str) -> None:
        self.home = Home(os.path.join(folder, self.name))
        self.ways: tuple[str, ...] = ()
        self.expected = Said({}, {})
        self.pages = 0

    def row(self, number: int) -> str:
        """How the disk is full."""
        if not self.ways:
            self._prepare()
        return self.ways[number % len(self.ways)]

    def trial(self, number: int, rng: random.Random) -> dict[str, int]:
        """Fill the disk during a command, then make room and sync."""
        way = self.row(number)
        start = rng.choice((None, "old"))
        command = rng.choice((("sync",), ("sync",), ("sync", "--full"), ("sql", "SELECT 1")))
        if start is None:
            command = ("sync",)
        if way == "tmpfs":
            return self._in_memory(start, command, rng)
        if start is None:
            self.home.clear()
        else:
            self.home.load_journal(start)
        at = rng.randrange(1, 160)
        limit = rng.randrange(1, 200_000)

        def before() -> None:
            if way == "hook":
                hook.arm(at, hook.Mode.FULL)
            else:
                _limit_files(limit)

        done = behaved(self.home.aj(*command, before=before), f"{command[0]} on a full disk")
        self._heal()
        return {"full": int(done.code == _FULL)}

    def _heal(self) -> None:
        behaved(self.home.aj("ls"), "ls after a full disk", codes=(0, 1, 2))
        succeeded(self.home.aj("sync"), "sync with room")
        healed(self.home, self.expected)

    def _in_memory(
        self, start: str | None, command: tuple[str, ...], rng: random.Random
    ) -> dict[str, int]:
        """The whole trial in a process that has a small disk for its journal."""
        room = _PAGE * rng.randrange(8, self.pages)

        def trial() -> tuple[str, int]:
            _mount(self.home.journal, _ENOUGH)
            size = room
            if start is not None:
                self.home.fill_journal(start)
                size = _used(self.home.journal) + room // 2
            _mount(self.home.journal, size, _REMOUNT)
            try:
                done = behaved(self.home.aj(*command), f"{command[0]} on a full disk")
                _mount(self.home.journal, _ENOUGH, _REMOUNT)
                self._heal()
            except Broken as broken:
                return str(broken), 0
            return "", int(done.code == _FULL)

        self.home.clear()
        os.makedirs(self.home.journal)
        what, full = self.home.call(lambda: _in_namespace(trial))
        if what:
            raise Broken(what)
        return {"full": full}

    def _prepare(self) -> None:
        write_mixed(self.home)
        succeeded(self.home.aj("sync"), "the first sync")
        self.home.save_journal("old")
        grow(self.home, 1)
        self.home.clear()
        succeeded(self.home.aj("sync"), "a sync in peace")
        succeeded(self.home.aj("sql", "SELECT 1"), "a query in peace")
        self.pages = _used(self.home.journal) // _PAGE
        self.expected = said(self.home)
        self.ways = _ways(self.home)


def _ways(home: Home) -> tuple[str, ...]:
    """How a disk can be made full here: the best way, and the hook beside it."""
    ways = []
    os.makedirs(home.journal, exist_ok=True)
    try:
        home.call(lambda: _in_namespace(lambda: _mount(home.journal, _ENOUGH)))
        ways.append("tmpfs")
    except Broken:
        pass
    if hook.is_there():
        ways.append("hook")
    return tuple(ways or ["RLIMIT_FSIZE"])


def _in_namespace(function: Callable[[], Any]) -> Any:
    """Call a function where mounts are seen by this process and its children only."""
    libc = ctypes.CDLL(None, use_errno=True)
    maps = (
        ("setgroups", "deny"),
        ("uid_map", f"0 {os.getuid()} 1"),
        ("gid_map", f"0 {os.getgid()} 1"),
    )
    if libc.unshare(_NEW_NAMESPACE | _NEW_USER):
        raise OSError(ctypes.get_errno(), "unshare")
    for name, text in maps:
        with open(f"/proc/self/{name}", "w", encoding="utf-8") as file:
            file.write(text)
    if libc.mount(b"none", b"/", None, ctypes.c_ulong(_PRIVATE), None):
        raise OSError(ctypes.get_errno(), "mount")
    return function()


def _mount(path: str, size: int, flags: int = 0) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    options = f"size={size}".encode()
    if libc.mount(b"tmpfs", os.fsencode(path), b"tmpfs", ctypes.c_ulong(flags), options):
        raise OSError(ctypes.get_errno(), "mount")


def _used(folder: str) -> int:
    return sum(
        os.stat(os.path.join(where, name)).st_blocks * 512
        for where, _, names in os.walk(folder)
        for name in names
    )


def _limit_files(limit: int) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
