"""The hook that stops or fails a process at its N-th change of the disk (hook.c).

It needs a C compiler and LD_PRELOAD. Where they do not exist, processes are killed after random
times instead, and the table says so.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from enum import IntEnum

_SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hook.c")
_PRELOAD = "LD_PRELOAD"


class Mode(IntEnum):
    """What happens at the N-th change."""

    COUNT = 0
    KILL = 1
    TEAR = 2  # half of a write is done, then the process is killed
    FULL = 3  # this and all later writes find the disk full


def build(folder: str) -> str | None:
    """Compile the hook; None where that is not possible."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or not sys.platform.startswith("linux"):
        return None
    path = os.path.join(folder, "hook.so")
    command = [compiler, "-shared", "-fPIC", "-O1", "-w", "-o", path, _SOURCE, "-ldl"]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        return None
    return path


def preloaded(path: str) -> dict[str, str]:
    """The variables of a process that has the hook."""
    return {**os.environ, _PRELOAD: path}


def is_there() -> bool:
    """Whether this process has the hook."""
    return hasattr(ctypes.CDLL(None), "torture_arm")


def arm(number: int, mode: Mode) -> None:
    """From now on count; at the N-th change, do as the mode says."""
    ctypes.CDLL(None).torture_arm(ctypes.c_long(number), ctypes.c_int(mode))


def count() -> int:
    """How many changes there were since the hook was armed."""
    counted = ctypes.CDLL(None).torture_count
    counted.restype = ctypes.c_long
    return int(counted())
