"""Asks programs of the system, with patience that ends."""

from __future__ import annotations

import shutil
import subprocess
from typing import NamedTuple

from agent_journal.errors import JournalError
from agent_journal.text.plain import one_line

_PATIENCE = 20.0  # seconds


class Answer(NamedTuple):
    """How a program ended and what it printed."""

    code: int
    output: bytes
    errors: str


def has_program(name: str) -> bool:
    """Whether a program is on this machine."""
    return shutil.which(name) is not None


def ask(*command: str, given: bytes = b"") -> Answer:
    """Run a program; one that cannot start or takes too long has failed."""
    try:
        done = subprocess.run(command, input=given, capture_output=True, timeout=_PATIENCE)
    except subprocess.TimeoutExpired:
        return Answer(-1, b"", f"timed out after {_PATIENCE:.0f} s")
    except OSError as error:
        return Answer(-1, b"", error.strerror or str(error))
    return Answer(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))


def order(*command: str, given: bytes = b"") -> Answer:
    """Run a program that must succeed."""
    answer = ask(*command, given=given)
    if answer.code != 0:
        said = answer.errors or answer.output.decode("utf-8", "replace")
        reason = one_line(said, 300) or f"exit code {answer.code}"
        raise JournalError(f"'{' '.join(command)}' failed: {reason}")
    return answer
