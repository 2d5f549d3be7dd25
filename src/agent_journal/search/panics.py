"""Turns a panic of tantivy into an error that a user can act on.

A panic reaches Python as an exception that is no Exception, after its report was written to
descriptor 2, past Python. Meanwhile that goes nowhere, unless other threads may write there, too.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_MODULE = "pyo3_runtime"  # of PanicException, which cannot be imported


class Panic(Exception):
    """Tantivy gave up: a file is not what it expects."""


@contextmanager
def catching_panics() -> Iterator[None]:
    """Raise Panic for a panic, and let everything else through."""
    try:
        with _silenced():
            yield
    except Exception:
        raise
    except BaseException as error:
        if type(error).__module__ != _MODULE:
            raise  # KeyboardInterrupt, SystemExit
        raise Panic(str(error)) from None


@contextmanager
def _silenced() -> Iterator[None]:
    if _has_threads():
        yield
        return
    try:
        kept = os.dup(2)
    except OSError:  # it is closed
        yield
        return
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 2)
        os.close(nowhere)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _has_threads() -> bool:
    threading = sys.modules.get("threading")  # who has not imported it has no threads
    return threading is not None and threading.active_count() > 1
