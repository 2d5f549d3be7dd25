"""A thread in which the system reports what was written below some folders."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from threading import Event, Thread

_GROUPED_MS = 100  # changes within this time come together
_STEP_MS = 50  # between two looks at what the system reported
_TURN_MS = 2_000  # after which it reports that it listens


class ChangeEvents:
    """Reports paths that changed, until it is closed.

    `changed` gets the paths, of which there may be none; the first time means that it listens.
    `failed` gets the reason when it cannot listen (any longer).
    """

    def __init__(
        self,
        folders: Iterable[str],
        changed: Callable[[set[str]], None],
        failed: Callable[[str], None],
    ) -> None:
        self._folders = tuple(folders)
        self._changed = changed
        self._failed = failed
        self._stop = Event()
        self._thread = Thread(target=self._listen, name="change events", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop listening."""
        self._stop.set()
        self._thread.join(2.0)

    def _listen(self) -> None:
        # With this option every error is ignored, also that there are too few watches
        for is_lenient in (False, True):
            try:
                self._follow(is_lenient)
                return
            except Exception as error:  # whatever it is: without it, folders are looked at
                is_refused = "permission denied" in str(error).lower()
                if self._stop.is_set() or (is_refused and not is_lenient):
                    continue
                self._failed(_reason(error))
                return

    def _follow(self, is_lenient: bool) -> None:
        from watchfiles import watch

        for changes in watch(
            *self._folders,
            watch_filter=None,
            debounce=_GROUPED_MS,
            step=_STEP_MS,
            stop_event=self._stop,
            rust_timeout=_TURN_MS,
            yield_on_timeout=True,
            raise_interrupt=False,
            force_polling=False,
            ignore_permission_denied=is_lenient,
        ):
            self._changed({path for _, path in changes})


def _reason(error: Exception) -> str:
    text = getattr(error, "strerror", None) or str(error)
    if "limit" in text or "No space" in text:
        return "the system has no more inotify watches (fs.inotify.max_user_watches)"
    if "too many open files" in text.lower():
        return "the system has no more inotify instances (fs.inotify.max_user_instances)"
    first = next(iter(text.splitlines()), type(error).__name__)
    return f"the system does not report changes: {first}"


def files_below(folder: str, most: int) -> list[str] | None:
    """The files below a folder that was just made; None when there are too many to name."""
    found: list[str] = []
    for parent, _, names in os.walk(folder):
        found += [os.path.join(parent, name) for name in names]
        if len(found) > most:
            return None
    return found
