"""While code of another package runs: it does not write among our output, hang without a name, or
feign Ctrl-C.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

PATIENCE = 5.0  # seconds


@contextmanager
def kept_off_stdout() -> Iterator[None]:
    """What is printed goes to stderr, by whatever way: stdout is for our own output, which programs
    read.
    """
    before = sys.stdout
    _flush(before)
    sys.stdout, spare = sys.stderr, _moved()
    try:
        yield
    finally:
        _flush(sys.__stdout__)
        sys.stdout = before
        if spare is not None:
            os.dup2(spare, 1)
            os.close(spare)


def _flush(stream: object) -> None:
    with suppress(OSError, ValueError, AttributeError):  # closed, or there is none
        stream.flush()  # type: ignore[attr-defined]


def _moved() -> int | None:
    """Turns file descriptor 1 to where 2 goes; the place to turn it back to, None where one of them
    is closed.
    """
    try:
        spare = os.dup(1)
    except OSError:
        return None
    try:
        os.dup2(2, 1)
    except OSError:
        os.close(spare)
        return None
    return spare


@contextmanager
def named_while_waiting(what: str) -> Iterator[None]:
    """Says what is waited for, once it takes long."""
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
    """Filled when a person presses Ctrl-C: a KeyboardInterrupt with nothing in it was raised by the
    code itself.
    """
    import signal
    import threading

    seen: list[bool] = []
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield seen  # Ctrl-C comes only to the main thread, and not where it is ignored
        return

    def note(number: int, frame: object) -> None:
        seen.append(True)
        before(number, frame)  # type: ignore[arg-type]

    signal.signal(signal.SIGINT, note)
    try:
        yield seen
    finally:
        signal.signal(signal.SIGINT, before)
