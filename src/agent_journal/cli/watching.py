"""`aj watch` at work: a line for each session that has something new."""

from __future__ import annotations

import signal
import sys
import time
from types import FrameType

from agent_journal.answers.changes import changes_answer, find_changes
from agent_journal.cli.output import ProgressBar, echo, note, print_json
from agent_journal.journal import Journal
from agent_journal.store.catalog.news import ChangedSession
from agent_journal.sync.watching.watcher import Notice, Watcher
from agent_journal.text.human import plural
from agent_journal.text.plain import one_line

_TITLE = 60  # letters


class _Ended(BaseException):
    """SIGTERM: the process was asked to end."""


def watch_and_print(*, must_poll: bool, as_json: bool) -> int:
    """Watch until Ctrl-C, or until SIGTERM, which is an orderly end."""
    signal.signal(signal.SIGTERM, _end)
    try:
        with Journal.open() as journal:
            for warning in journal.config.warnings:
                note(f"aj: {warning}")
            printer = _Printer(as_json)
            Watcher(
                journal.config, journal.env, "aj watch", printer.tell, must_poll=must_poll
            ).run()
    except _Ended:
        pass
    return 0


def _end(number: int, frame: FrameType | None) -> None:
    raise _Ended


class _Printer:
    """Prints what a watcher tells, and what is new in the journal since the last time."""

    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json
        self._bar: ProgressBar | None = ProgressBar("reading")
        self._position: str | None = None
        self._failure = ""

    def tell(self, notice: Notice) -> None:
        """Print what a person should know."""
        if notice.kind == "syncing":
            if self._bar is not None and notice.progress is not None:
                self._bar(notice.progress)
            return
        if self._bar is not None:
            self._bar.done()
            self._bar = None  # later syncs are short
        if notice.kind == "synced":
            self._failure = ""
            self._print_news()
        elif notice.kind == "failed":
            if notice.text != self._failure:  # once, however often it is tried
                note(f"aj: {notice.text}")
            self._failure = notice.text
        else:
            self._print_news()  # first: from here on, everything that comes is printed
            text = notice.text
            if notice.kind == "watching":
                text = f"watching {text}; Ctrl-C ends it"
            note(text)

    def _print_news(self) -> None:
        with Journal.open() as journal:
            changes = find_changes(journal, self._position)
        is_first = self._position is None
        self._position = changes.position
        if is_first or changes.is_empty:
            return
        if self._as_json:
            print_json(changes_answer(changes))
        else:
            for changed in changes.news.sessions:
                echo(_line(changed))
            if not changes.news.is_whole:
                echo(f"{_clock()}  many sessions have changed")
        sys.stdout.flush()


def _line(changed: ChangedSession) -> str:
    row = changed.row
    title = one_line(row.title, _TITLE) or "(no title)"
    count = plural(row.message_count, "message")
    word = "new, " if changed.is_new else ""
    return f"{_clock()}  {row.agent:<11}  {title}  {word}{count}"


def _clock() -> str:
    return time.strftime("%H:%M:%S")
