"""How commands print: data to stdout, everything else to stderr, colour only where a person looks."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any

from agent_journal.text.plain import one_line as one_line
from agent_journal.text.plain import safe as safe

if TYPE_CHECKING:
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
}


def use_colour(stream: IO[str] | None = None) -> bool:
    """Whether to colour: on a terminal, unless NO_COLOR or TERM=dumb."""
    stream = stream or sys.stdout
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def style(text: str, *names: str, on: bool) -> str:
    """Text in a style, or as it is."""
    return (
        f"\x1b[{';'.join(_STYLES[name] for name in names)}m{text}\x1b[0m" if on and text else text
    )


def terminal_width() -> int:
    """The width to print for."""
    if sys.stdout.isatty():
        try:
            return max(40, os.get_terminal_size(sys.stdout.fileno()).columns)
        except OSError:
            pass
    return 120


def echo(text: str = "") -> None:
    """One line of data to stdout."""
    sys.stdout.write(text + "\n")


def note(text: str) -> None:
    """One line for the person, to stderr."""
    sys.stdout.flush()  # so that what was printed before stands before it
    sys.stderr.write(text + "\n")


def print_json(
    kind: str,
    items: Sequence[Any],
    *,
    total: int | None = None,
    limit: int | None = None,
    state: str | None = None,
    problems: int = 0,
    **more: Any,
) -> None:
    """The envelope every --json answer comes in; its schema is in docs/json.md."""
    import json

    if state is None:
        total = len(items) if total is None else total
        state = "complete" if len(items) >= total else "more"
    page = {"state": state, "total": total, "limit": limit}
    envelope = {
        "schema": 1,
        "kind": kind,
        "items": list(items),
        "page": page,
        "problems": problems,
        **more,
    }
    echo(json.dumps(envelope, ensure_ascii=not _is_utf8(), separators=(",", ":")))


def table(rows: Sequence[Sequence[str]], align: str = "") -> list[str]:
    """Rows as aligned lines; `align` has a letter per column, `r` for right."""
    if not rows:
        return []
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if align[i : i + 1] == "r" else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


def human_size(size: float) -> str:
    """Bytes as a person reads them."""
    for unit in ("B", "KB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            return f"{size:.0f} {unit}" if unit == "B" or size >= 100 else f"{size:.1f} {unit}"
        size /= 1000
    return ""


def human_duration(milliseconds: int) -> str:
    """How long something took."""
    seconds = milliseconds / 1000
    if seconds < 120:
        return f"{seconds:.1f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h" if seconds < 172800 else f"{seconds / 86400:.0f} d"


def human_count(number: int | None) -> str:
    """A number with separators; unknown is `?`."""
    return "?" if number is None else f"{number:,}"


def human_money(micros: int) -> str:
    """Dollars and cents; what is less than a cent with its first two digits that are not 0."""
    if not 0 < micros < 10_000:
        return f"${micros / 1e6:,.2f}"
    return f"${micros / 1e6:.{8 - len(str(micros))}f}".rstrip("0")


def human_time(micros: int | None, now: float | None = None) -> str:
    """A time in the local zone: near ones by distance, others by date."""
    if micros is None:
        return "?"
    seconds = micros / 1_000_000
    ago = (time.time() if now is None else now) - seconds
    if 0 <= ago < 60:
        return "just now"
    if 0 <= ago < 3600:
        return f"{int(ago // 60)} min ago"
    if 0 <= ago < 86400:
        return f"{int(ago // 3600)} h ago"
    try:
        local = time.localtime(seconds)
    except (ValueError, OverflowError, OSError):
        return "?"
    if 0 <= ago < 7 * 86400:
        return time.strftime("%a %H:%M", local)
    return time.strftime("%Y-%m-%d", local)


def plural(count: int, noun: str) -> str:
    """`1 session`, `2 sessions`."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def short_ids(ids: list[str]) -> list[str]:
    """Eight characters of each id, or as many as tell it from the others."""
    short = [safe(each[:8]) for each in ids]
    for length in (14, 24, 200):
        seen: set[str] = set()
        clash = {each for each in short if each in seen or seen.add(each)}  # type: ignore[func-returns-value]
        short = [
            safe(full[:length]) if each in clash else each
            for full, each in zip(ids, short, strict=True)
        ]
    return short


def short_path(path: str | None) -> str:
    """A path with the home folder as ~."""
    if not path:
        return ""
    home = os.path.expanduser("~")
    return "~" + path[len(home) :] if path == home or path.startswith(home + os.sep) else path


class ProgressBar:
    """A line on stderr with rate and remaining time, for work of more than a second; nothing when
    not a terminal.
    """

    def __init__(self, verb: str) -> None:
        self._verb = verb
        self._started = time.monotonic()
        self._shown = 0.0
        self._is_on = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def __call__(self, progress: Progress) -> None:
        """Shows how far the reading of files has come."""
        rate = progress.done_bytes / max(0.001, time.monotonic() - self._started)
        self.show(progress.done_bytes, progress.total_bytes, f"{human_size(rate)}/s")

    def show(self, done: int, total: int, beside: str) -> None:
        """Shows how much of the work is done."""
        now = time.monotonic()
        if not self._is_on or now - self._started < 1 or now - self._shown < 0.1 or not total:
            return
        self._shown = now
        share = min(1.0, done / total)
        left = (
            human_duration(int((total - done) * (now - self._started) / done * 1000))
            if done
            else "?"
        )
        bar = "█" * int(share * 20) + "░" * (20 - int(share * 20))
        sys.stderr.write(f"\r\x1b[2K{self._verb} {bar} {share:4.0%}  {beside}  {left} left")
        sys.stderr.flush()

    def done(self) -> None:
        """Takes the line away."""
        if self._shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()


def _is_utf8() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"


NOT_INSTALLED = "its connector is not installed: what is kept stays, nothing new is read"


def where_scattered(agent: str) -> str:
    """A line about an agent whose files lie in the users' own folders: where they are looked for."""
    return (
        "looked for in the working folder, the home folder and the projects of other sessions; "
        f"other folders: aj config set storage.sources.{agent} '~/src'"
    )


def no_files_in(folders: list[str], shown: int = 3) -> str:
    """A line about folders in which nothing was found."""
    names = ", ".join(safe(short_path(folder)) for folder in folders[:shown])
    return f"no files in {names}" + (
        f" and {len(folders) - shown:,} more folders" if len(folders) > shown else ""
    )
