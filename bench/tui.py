"""The terminal UI: until its first picture, from a key to the list, and its memory."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Sequence

import messages
import tree
from lab import Lab, Row

_PATIENCE = 60.0
_BARE = "print('ready', flush=True); import time; time.sleep(9)"
_TEXTUAL = """
from textual.app import App
from textual.widgets import Input, Static
class Alone(App):
    def compose(self):
        yield Input()
        yield Static("ready")
Alone().run()
"""
_READY = b"F1"  # the end of the last row
_TYPED = "retry timeout deadline connection pool test"
# Keys in the program without a terminal, each until the list shows its answer
_KEYS = """
import asyncio, sys, time
from agent_journal.journal import Journal
from agent_journal.tui.app import JournalApp
from agent_journal.tui.asked import Asked
from agent_journal.tui.doors import Doors
from agent_journal.tui.finding import newest
async def main():
    with Journal.open() as journal:
        first = newest(journal, Asked())
        app = JournalApp(journal.config, Doors(str, int), Asked(), first, is_printing=False)
    took = []
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        finder = app.screen
        query = finder.query_one("#query")
        async def key(text):
            started = time.perf_counter()
            query.value = text
            while finder.answered is None or finder.answered[0].text != text:
                await asyncio.sleep(0.001)
            took.append(time.perf_counter() - started)
        await key("warm")
        took.clear()
        typed = sys.argv[1]
        for end in range(1, len(typed) + 1):
            await key(typed[:end])
            await asyncio.sleep(0.12)  # as fast as people type
        await asyncio.sleep(2)
    took.sort()
    print(took[len(took) // 2] * 1000, took[int(len(took) * 0.95)] * 1000)
asyncio.run(main())
"""


def measure_tui(lab: Lab) -> Iterator[Row]:
    """First picture, keys, memory."""
    home = messages.cached(lab.sizes.messages[-1])
    journal = lab.scratch + "/tui"
    lab.aj("sync", home=home, journal=journal)
    variables = {**os.environ, "HOME": home, "AJ_HOME": journal, "TERM": "xterm-256color"}
    python = sys.executable
    bare = _fastest((python, "-c", _BARE), variables, b"ready")
    textual = _fastest((python, "-c", _TEXTUAL), variables, b"ready")
    ours = _fastest((python, "-m", "agent_journal", "tui"), variables, _READY)
    beside = f"{ours * 1000:.0f} ms, Python {bare * 1000:.0f}, Textual alone {textual * 1000:.0f}"
    yield Row("tui", "first picture / bare Python, wall", ours / bare, "x", 25, beside=beside)
    asked = subprocess.Popen(
        [python, "-c", _KEYS, _TYPED], env=variables, stdout=subprocess.PIPE, text=True
    )
    memory, mapped = _most_memory(asked)
    said, _ = asked.communicate()
    middle, most = map(float, said.split())
    yield Row("tui", "from a key to the list, p95", most, "ms", 60, beside=f"p50 {middle:.0f} ms")
    beside = f"with files that are mapped {mapped:.0f} MB"
    yield Row("tui", "peak memory", memory, "MB", 150, beside=beside)


def _most_memory(process: subprocess.Popen[str]) -> tuple[float, float]:
    """The most megabytes that a process has until it ends: its own, and with what it has mapped."""
    own = resident = 0.0
    while process.poll() is None:
        own = max(own, tree.own(process.pid))
        resident = max(resident, tree.resident(process.pid))
        time.sleep(0.05)
    return own, resident


def _fastest(command: Sequence[str], variables: dict[str, str], until: bytes) -> float:
    return min(_until(command, variables, until) for _ in range(5))


def _until(command: Sequence[str], variables: dict[str, str], text: bytes) -> float:
    """The seconds until a command has written a text to its terminal."""
    leader, follower = pty.openpty()
    termios.tcsetwinsize(follower, (40, 120))
    started = time.perf_counter()
    process = subprocess.Popen(
        command, env=variables, stdin=follower, stdout=follower, stderr=follower
    )
    os.close(follower)
    seen = b""
    try:
        while text not in seen:
            left = started + _PATIENCE - time.perf_counter()
            ready, _, _ = select.select([leader], [], [], max(0.0, left))
            if not ready:
                raise RuntimeError(f"no {text!r} after {_PATIENCE:.0f} s, only {seen[-500:]!r}")
            seen += os.read(leader, 65_536)
        return time.perf_counter() - started
    finally:
        process.kill()
        process.wait()
        os.close(leader)
