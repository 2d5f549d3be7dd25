"""Runs a command again and again, killed one step later each time, and says what it left.

Arguments: the home folder, which every try begins with a copy of, then the command. A step is
anything that Python's audit events tell of and that changes or opens files below the copy.
Prints a JSON list: for each try how it ended, and the files that are new after the next command.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from agent_journal.cli.main import run
from agent_journal.journal import Journal

_STEPS = {
    "open",
    "os.mkdir",
    "os.link",
    "os.rename",
    "os.remove",
    "os.rmdir",
    "os.truncate",
    "fcntl.flock",
    "sqlite3.connect",
}
_MOST = 400


def kill_at(number: int) -> None:
    """Have this process killed before a step."""
    seen = 0

    def count(event: str, args: tuple[Any, ...]) -> None:
        nonlocal seen
        if event not in _STEPS:
            return
        if event == "open" and (args[1] == "r" or not args[2] & (os.O_WRONLY | os.O_RDWR)):
            return
        seen += 1
        if seen == number:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)


def in_child(work: Any) -> bool:
    """Whether the work ended by itself."""
    pid = os.fork()
    if pid == 0:
        work()
        os._exit(0)
    return os.waitpid(pid, 0)[1] == 0


def tree(home: Path) -> set[str]:
    """All paths outside the journal, and its notes."""
    found = {str(path.relative_to(home)) for path in home.rglob("*")}
    return {
        path
        for path in found
        if not path.startswith(".agent-journal") or path.startswith(".agent-journal/unfinished")
    }


def quietly(args: list[str]) -> None:
    """Run a command without what it prints."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        run(args)


def main(template: Path, args: list[str]) -> None:
    """Try until the command is not killed any more."""
    home = template.parent / "try"
    tries = []
    os.environ.update(HOME=str(home), AJ_HOME=str(home / ".agent-journal"))
    shutil.copytree(template, home, symlinks=True)
    quietly(args)  # so that everything is imported once
    shutil.rmtree(home)
    for number in range(1, _MOST):
        shutil.copytree(template, home, symlinks=True)
        before = tree(home)

        def killed(number: int = number) -> None:
            kill_at(number)
            quietly(args)

        has_ended = in_child(killed)
        stray = sorted(tree(home) - before)
        with Journal.open() as journal:
            journal.remove_unfinished()
        left = sorted(tree(home) - before)
        tries.append({"ended": has_ended, "stray": stray, "left": left})
        shutil.rmtree(home)
        if has_ended:
            break
    sys.stdout.write(json.dumps(tries))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
