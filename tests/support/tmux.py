"""Terminals for tests, in tmux; `make test` installs it where it may.

python -m tests.support.tmux     used by the Makefile: finds, installs, or says how to install
"""

from __future__ import annotations

import itertools
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.support.browser import is_required

ADVICE = (
    "No tmux was found, so the tests of the terminal UI in a terminal are skipped; to run them, "
    "install it ('sudo apt install tmux', 'brew install tmux')."
)
_numbers = itertools.count()
_PATIENCE = 120.0  # seconds: other tests may run, too


def find_tmux() -> str | None:
    """The program."""
    return shutil.which("tmux")


class Terminal:
    """A terminal with a shell; its tmux server is its own."""

    def __init__(self, variables: Mapping[str, str], columns: int = 80, lines: int = 24) -> None:
        self._socket = f"tui-{os.getpid()}-{next(_numbers)}"
        given = [f"{name}={value}" for name, value in variables.items()]
        shell = shlex.join(["env", "-i", *given, "sh"])
        self._tmux("new-session", "-d", "-x", str(columns), "-y", str(lines), shell, config=True)
        self._tmux("set", "-g", "set-clipboard", "on")

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self._tmux("kill-server")

    def run(self, *command: str) -> None:
        """Type a command and Enter."""
        self.type(shlex.join(command))
        self.press("Enter")

    def type(self, text: str) -> None:
        self._tmux("send-keys", "-l", text)

    def press(self, *keys: str) -> None:
        self._tmux("send-keys", *keys)

    def paste(self, text: str) -> None:
        """Paste as a terminal does: with marks around the text where the program wants them."""
        self._tmux("set-buffer", text)
        self._tmux("paste-buffer", "-p", "-r")

    def resize(self, columns: int, lines: int) -> None:
        self._tmux("resize-window", "-x", str(columns), "-y", str(lines))

    @property
    def text(self) -> str:
        """What is on the screen."""
        return self._tmux("capture-pane", "-p")

    @property
    def coloured(self) -> str:
        """What is on the screen, with the sequences that colour it."""
        return self._tmux("capture-pane", "-p", "-e")

    @property
    def clipboard(self) -> str:
        return self._tmux("show-buffer")

    def state(self, *names: str) -> list[str]:
        """What tmux knows of the terminal, such as whether it shows the alternate screen."""
        format_ = " ".join(f"#{{{name}}}" for name in names)
        return self._tmux("display-message", "-p", format_).split()

    def until(self, is_true: Callable[[], object], seconds: float = _PATIENCE) -> None:
        """Wait for a condition."""
        deadline = time.monotonic() + seconds
        pause = 0.02
        while not is_true():
            assert time.monotonic() < deadline, f"waited for too long; the screen:\n{self.text}"
            time.sleep(pause)
            pause = min(0.2, pause * 1.3)  # every look starts a process

    def sees(self, text: str) -> None:
        """Wait until something is on the screen."""
        self.until(lambda: text in self.text)

    def _tmux(self, *args: str, config: bool = False) -> str:
        command = [find_tmux() or "tmux", "-L", self._socket]
        if config:
            command += ["-f", os.devnull]
        done = subprocess.run(
            [*command, *args], capture_output=True, text=True, check=True, timeout=_PATIENCE
        )
        return done.stdout


def main() -> int:
    """Makes sure that there is tmux, where that can be done without asking."""
    if find_tmux() is not None:
        return 0
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    if shutil.which("apt-get") and (is_root or is_required()):
        print("Installing tmux for the tests of the terminal UI …", flush=True)
        command = ["apt-get", "-qq", "-y", "install", "--no-install-recommends", "tmux"]
        if not is_root:
            command.insert(0, "sudo")
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
        return 0
    print(ADVICE)
    return int(is_required())


def program(*args: str) -> tuple[str, ...]:
    """The command line of aj."""
    return (str(Path(sys.executable)), "-m", "agent_journal", *args)


if __name__ == "__main__":
    sys.exit(main())
