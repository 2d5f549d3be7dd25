"""The mark of an index that was found damaged: nobody reads it any more, the next sync rebuilds it.

It is a file in the folder of the index, and goes away with the folder.
"""

from __future__ import annotations

import contextlib
import os

_NAME = "damaged"


def condemn(folder: str) -> None:
    """Mark an index as damaged, where the disk can be written."""
    with contextlib.suppress(OSError):
        os.close(os.open(os.path.join(folder, _NAME), os.O_WRONLY | os.O_CREAT, 0o600))


def is_condemned(folder: str) -> bool:
    """Whether an index was found damaged and has not been rebuilt since."""
    return os.path.exists(os.path.join(folder, _NAME))


def pardon(folder: str) -> None:
    """Remove the mark: what was damaged is no longer used."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(os.path.join(folder, _NAME))
