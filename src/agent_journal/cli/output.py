"""How commands print: data to stdout, everything else to stderr, colour only on a terminal."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable
from typing import IO, TYPE_CHECKING

from agent_journal.text.agent_colours import agent_colour as agent_colour
from agent_journal.text.human import human_duration, human_size

if TYPE_CHECKING:
    from agent_journal.answers.answer import Answer
    from agent_journal.sync.work import Progress

_STYLES = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "magenta": "35",
    "cyan": "36",
    "bright_red": "91",
    "bright_green": "92",
    "bright_yellow": "93",
    "bright_blue": "94",
    "bright_magenta": "95",
    "bright_cyan": "96",
    "italic": "3",
    "underline": "4",
}
_WIDTH = 120  # where there is no terminal
_OLD_WIDTH = 80  # of a terminal that does not say how wide it is
_BAR_WIDTH = 20
_STEPS = 10_000  # of a share


def use_colour(stream: IO[str] | None = None) -> bool:
    """Whether to colour: on a terminal, unless NO_COLOR or TERM=dumb."""
    stream = stream or sys.stdout
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def style(text: str, *names: str, on: bool) -> str:
    """Return a text in a style; unchanged unless `on`."""
    if not on or not text:
        return text
    codes = ";".join(_STYLES[name] for name in names)
    return f"\x1b[{codes}m{text}\x1b[0m"


class Screen:
    """What is printed on: its columns (None: no terminal, nothing is cut), whether to colour."""

    # Not a NamedTuple: every command imports this, and making that class takes time
    def __init__(self, width: int | None, colour: bool) -> None:
        self.width = width
        self.colour = colour


def current_screen() -> Screen:
    """Return what stdout is."""
    if not sys.stdout.isatty():
        return Screen(None, use_colour())
    return Screen(terminal_size().columns, use_colour())


def error_screen() -> Screen:
    """Return what stderr is."""
    if not sys.stderr.isatty():
        return Screen(None, colour=False)
    return Screen(_columns(sys.stderr), use_colour(sys.stderr))


def terminal_width() -> int:
    """Return the width to print for."""
    if not sys.stdout.isatty():
        return _WIDTH
    return max(40, terminal_size().columns)


def terminal_size() -> os.terminal_size:
    """Return the size of the terminal; that of an old one where it does not say."""
    columns = lines = 0
    try:
        columns, lines = os.get_terminal_size(sys.stdout.fileno())
    except OSError:
        pass
    return os.terminal_size((columns or _OLD_WIDTH, lines or 24))


def _columns(stream: IO[str]) -> int:
    """Return the width of a terminal; that of an old one where it does not say."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or _OLD_WIDTH
    except (OSError, ValueError):
        return _OLD_WIDTH


def echo(text: str = "") -> None:
    """Print a line of data to stdout."""
    sys.stdout.write(text + "\n")


def note(text: str, hanging: int | None = None) -> None:
    """Print a line for the person to stderr; on a terminal it breaks between words.

    What follows its first line begins at column `hanging`, or else below the text.
    """
    sys.stdout.flush()  # so that what was printed before appears before it
    for line in text.split("\n"):
        for shown in _fitted(line, hanging):
            sys.stderr.write(shown + "\n")


def _fitted(line: str, hanging: int | None) -> list[str]:
    if not line or not sys.stderr.isatty():
        return [line]
    width = _columns(sys.stderr)
    if len(line) * 2 <= width:  # also where every letter is a wide one
        return [line]
    from agent_journal.cli.note_lines import note_lines

    return note_lines(line, width, hanging)


def print_json(answer: Answer, *, is_long: bool = False) -> None:
    """Print an answer as one JSON object (docs/json.md).

    One with thousands of items is long: for it, importing msgspec costs less than it gains. It
    must have no fractions, which msgspec writes in another way.
    """
    if is_long and is_utf8():
        data = _encoded(answer)
        if data is not None:
            print_bytes([data, b"\n"], is_json=True)
            return
    import json

    text = json.dumps(answer.envelope(), ensure_ascii=not is_utf8(), separators=(",", ":"))
    if sys.stdout.isatty():
        from agent_journal.text.plain import escaped_json

        text = escaped_json(text)
    echo(text)


def _encoded(answer: Answer) -> bytes | None:
    """Return the JSON of an answer; None where a text of it is not Unicode."""
    import msgspec

    try:
        return msgspec.json.encode(answer.envelope())
    except UnicodeEncodeError:
        return None


def print_bytes(parts: Iterable[bytes], is_json: bool = False) -> None:
    """Print bytes as they are; on a terminal, without anything that could control it."""
    if not sys.stdout.isatty():
        sys.stdout.flush()
        sys.stdout.buffer.writelines(parts)
        sys.stdout.buffer.flush()
        return
    import codecs

    from agent_journal.text.plain import escaped_json, safe

    shown = safe
    if is_json:
        shown = escaped_json
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    for part in parts:
        sys.stdout.write(shown(decoder.decode(part)))
    sys.stdout.write(shown(decoder.decode(b"", final=True)))


def is_utf8() -> bool:
    """Whether stdout shows every letter."""
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"


class ProgressBar:
    """A line on stderr for work of more than a second: how much is done, and how long it takes.

    Nothing is shown where stderr is not a terminal.
    """

    def __init__(self, verb: str) -> None:
        self._verb = verb
        self._started = time.monotonic()
        self._shown = 0.0
        self._is_on = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def __call__(self, progress: Progress) -> None:
        """Show how far the work has come, and what is done now."""
        if not progress.phase:
            self._show_bytes(progress)
            return
        self._verb = progress.phase
        if not progress.share:  # it begins now: before, it may have waited for another aj
            self._started = time.monotonic()
        detail = ""
        if progress.path:
            done = human_size(progress.done_bytes)
            detail = f"{done} of {human_size(progress.total_bytes)}"
        self.show(round(progress.share * _STEPS), _STEPS, detail)

    def _show_bytes(self, progress: Progress) -> None:
        rate = progress.done_bytes / max(0.001, time.monotonic() - self._started)
        self.show(progress.done_bytes, progress.total_bytes, f"{human_size(rate)}/s")

    def show(self, done: int, total: int, detail: str) -> None:
        """Show how much of the work is done."""
        now = time.monotonic()
        if not self._is_on or not total or not self._is_time(now):
            return
        self._shown = now
        share = min(1.0, done / total)
        filled = int(share * _BAR_WIDTH)
        bar = "█" * filled + "░" * (_BAR_WIDTH - filled)
        left = self._time_left(done, total, now)
        shown = "  ".join(filter(None, (f"{share:4.0%}", detail, f"{left} left")))
        sys.stderr.write(f"\r\x1b[2K{self._verb} {bar} {shown}")
        sys.stderr.flush()

    def done(self) -> None:
        """Remove the line."""
        if self._shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()

    def _is_time(self, now: float) -> bool:
        return now - self._started >= 1 and now - self._shown >= 0.1

    def _time_left(self, done: int, total: int, now: float) -> str:
        if not done:
            return "?"
        seconds = (total - done) * (now - self._started) / done
        return human_duration(int(seconds * 1000))
