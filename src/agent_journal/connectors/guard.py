"""Guards for code of other packages: against output on stdout, silent hangs and a fake Ctrl-C."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

PATIENCE = 5.0  # seconds


@contextmanager
def kept_off_stdout() -> Iterator[None]:
    """Send everything that is printed to stderr: stdout is for our own output."""
    before = sys.stdout
    _flush(before)
    sys.stdout = sys.stderr
    saved = _redirected_stdout()
    try:
        yield
    finally:
        _flush(sys.__stdout__)
        sys.stdout = before
        if saved is not None:
            os.dup2(saved, 1)
            os.close(saved)


def _flush(stream: object) -> None:
    with suppress(OSError, ValueError, AttributeError):  # closed, or None
        stream.flush()  # type: ignore[attr-defined]


def _redirected_stdout() -> int | None:
    """Redirect file descriptor 1 to 2, and return a copy of it; None if one of them is closed."""
    try:
        saved = os.dup(1)
    except OSError:
        return None
    try:
        os.dup2(2, 1)
    except OSError:
        os.close(saved)
        return None
    return saved


@contextmanager
def named_while_waiting(what: str) -> Iterator[None]:
    """Log what is waited for if it takes long."""
    import threading

    timer = threading.Timer(PATIENCE, _say, [what])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _say(what: str) -> None:
    import logging  # goes to stderr, or where the program that uses us sends it

    logging.getLogger("agent_journal").warning("waiting for %s", what)


@contextmanager
def real_interrupts() -> Iterator[list[bool]]:
    """A list that is not empty once a person has pressed Ctrl-C.

    If it is empty, the code itself raised the KeyboardInterrupt.
    """
    import signal
    import threading

    seen: list[bool] = []
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield seen  # Ctrl-C reaches only the main thread, and nothing if it is ignored
        return

    def note(number: int, frame: object) -> None:
        seen.append(True)
        before(number, frame)  # type: ignore[arg-type]

    signal.signal(signal.SIGINT, note)
    try:
        yield seen
    finally:
        signal.signal(signal.SIGINT, before)
