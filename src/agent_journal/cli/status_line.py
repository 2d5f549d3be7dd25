"""`aj statusline`: one line about the running session, from what Claude Code hands over.

Claude Code runs it after every answer. So it imports little, never waits, never fails, and takes
nothing on stdin for granted.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Any, NamedTuple

from agent_journal.text.human import hours_and_minutes, human_money
from agent_journal.text.plain import one_line
from agent_journal.text.width import cut_to_width, display_width
from agent_journal.usage.live import Cost, Live, LiveBlock

_MOST_INPUT = 1_000_000  # bytes
_WIDEST = 200  # columns
_LONGEST_NAME = 40
_SEPARATOR = " · "
_LOCK_WAIT = 0.2  # seconds
_SYNC_EVERY = 60  # seconds
_LEARN_EVERY = 3600
_CENT = 10_000  # micro-dollars
_MOST_DOLLARS = 1e9
_BLOCK_SECONDS = 5 * 3600


class Part(NamedTuple):
    """A part of the line; the one with the highest number is left out first."""

    text: str
    leaves: int = 0


class Running(NamedTuple):
    """What Claude Code says about its session; None where it says nothing that can be used."""

    session_id: str = ""
    model: str = ""
    cost: int | None = None  # micro-dollars
    context: float | None = None  # percent
    limit_used: float | None = None  # percent of the limit of five hours
    limit_ends: float | None = None  # seconds since 1970


def print_status_line(sync: bool = False) -> int:
    """Print the line; always with the exit code 0."""
    running = Running()
    live = None
    try:
        running = read_running(_read_input())
        live = _ask_journal(running, sync)
    except Exception:
        pass  # what is known without the journal is shown
    try:
        line = status_line(running, live, time.time(), _width())
    except Exception:
        line = ""
    sys.stdout.write((line or "aj") + "\n")
    return 0


def read_running(data: bytes) -> Running:
    """Return what the input says; nothing of what is not as expected."""
    import json

    try:
        value = json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return Running()
    model = _dict(value, "model")
    window = _dict(value, "context_window")
    limits = _dict(_dict(value, "rate_limits"), "five_hour")
    dollars = _number(_dict(value, "cost").get("total_cost_usd"), _MOST_DOLLARS)
    cost = None
    if dollars is not None:
        cost = round(dollars * 1_000_000)
    return Running(
        session_id=_text(_dict(value).get("session_id"), 200),
        model=_text(model.get("display_name")) or _text(model.get("id")),
        cost=cost,
        context=_context(window),
        limit_used=_number(limits.get("used_percentage"), 1_000),
        limit_ends=_number(limits.get("resets_at"), 1e11),
    )


def status_line(running: Running, live: Live | None, now: float, width: int) -> str:
    """Return the line: as many parts as fit, the most important ones first to stay."""
    parts = [Part(running.model or "aj")]
    unsynced = _unsynced(running, live)
    session = _session_cost(running, live)
    if session is not None:
        parts.append(Part(f"{_money(session)} session", 1))
    if live is not None:
        parts.append(Part(f"{_money(live.today, unsynced)} today", 4))
    parts += _block_parts(running, live, now, unsynced)
    if running.context is not None:
        parts.append(Part(f"{running.context:.0f}% context", 2))
    return _fitted(parts, width)


def _fitted(parts: list[Part], width: int) -> str:
    parts = list(parts)
    while len(parts) > 1 and display_width(_joined(parts)) > width:
        parts.remove(max(parts, key=lambda part: part.leaves))
    return cut_to_width(_joined(parts), width)


def _joined(parts: list[Part]) -> str:
    return _SEPARATOR.join(part.text for part in parts)


def _session_cost(running: Running, live: Live | None) -> Cost | None:
    if running.cost is not None:
        return Cost(running.cost)
    if live is None:
        return None
    return live.session


def _unsynced(running: Running, live: Live | None) -> int:
    """Return what the running session cost that the journal does not know yet."""
    if running.cost is None or live is None:
        return 0
    known = live.session
    if known is None:
        return running.cost
    if known.micros is None or known.is_part:
        return 0
    return max(0, running.cost - known.micros)


def _block_parts(running: Running, live: Live | None, now: float, unsynced: int) -> list[Part]:
    block: LiveBlock | None = None
    if live is not None:
        block = live.block
    texts = []
    if block is not None:
        texts.append(f"{_money(block.cost, unsynced)} block")
    if running.limit_used is not None:
        texts.append(f"{running.limit_used:.0f}% of 5 h limit")
    left = _seconds_left(running, block, now)
    if left is not None:
        texts.append(f"{hours_and_minutes(left)} left")
    parts = []
    if texts:
        parts.append(Part(", ".join(texts), 3))
    if block is not None and block.cost_per_hour is not None:
        parts.append(Part(_rate(block.cost_per_hour, block.cost.is_part), 5))
    return parts


def _rate(micros_per_hour: float, is_part: bool) -> str:
    text = f"{human_money(round(micros_per_hour))}/h"
    if is_part:
        return f"{text} + ?"
    return text


def _seconds_left(running: Running, block: LiveBlock | None, now: float) -> int | None:
    """Return the time until the limit ends, as Claude Code says, or else the block."""
    if running.limit_ends is not None and 0 < running.limit_ends - now <= _BLOCK_SECONDS:
        return int(running.limit_ends - now)
    if block is None:
        return None
    return int(block.end / 1e6 - now)


def _money(cost: Cost, more: int = 0) -> str:
    """Return an amount; with ~ where a part is not from the journal, + ? where one has no price."""
    if cost.micros is None:
        return "?"
    text = human_money(cost.micros + more)
    if more >= _CENT:
        text = f"~{text}"
    if cost.is_part:
        text += " + ?"
    return text


# -- the journal -------------------------------------------------------------------------------


def _ask_journal(running: Running, sync: bool) -> Live | None:
    from agent_journal.config.loading import load
    from agent_journal.store.catalog.store import open_reader
    from agent_journal.usage.live import find_live
    from agent_journal.usage.prices import Book

    config = load()
    if sync and _is_due(config.home, "statusline.synced", _SYNC_EVERY):
        from agent_journal.cli.detached import detach

        detach()
    db = open_reader(config.index_path, timeout=_LOCK_WAIT)
    if db is None:
        return None
    now = time.time()
    local = time.localtime(now)
    midnight = time.mktime((local.tm_year, local.tm_mon, local.tm_mday, 0, 0, 0, 0, 0, -1))
    book = Book(config.index_path, config.prices)
    live = find_live(db, book, running.session_id, int(now * 1e6), int(midnight * 1e6))
    if live.unknown_models and _is_due(config.home, "statusline.prices", _LEARN_EVERY):
        from agent_journal.cli.detached import start_process

        start_process("agent_journal.cli.learn_prices")
    return live


def _is_due(home: str, name: str, seconds: int) -> bool:
    """Whether something was not done for so long; from now on it counts as done."""
    path = os.path.join(home, name)
    try:
        age = time.time() - os.stat(path).st_mtime
        if 0 <= age < seconds:
            return False
    except FileNotFoundError:
        os.makedirs(home, mode=0o700, exist_ok=True)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
    os.utime(path)
    return True


# -- input -------------------------------------------------------------------------------------


def _read_input() -> bytes:
    if sys.stdin is None or sys.stdin.isatty():
        return b""
    return sys.stdin.buffer.read(_MOST_INPUT)


def _width() -> int:
    """Return the columns of the terminal, where Claude Code says them."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdecimal() and int(columns[:6]) > 0:
        return min(_WIDEST, int(columns[:6]))
    return _WIDEST


def _dict(value: Any, key: str | None = None) -> dict[str, Any]:
    if isinstance(value, dict) and key is not None:
        value = value.get(key)
    if isinstance(value, dict):
        return value
    return {}


def _text(value: object, most: int = _LONGEST_NAME) -> str:
    if isinstance(value, str):
        return one_line(value[:_MOST_INPUT], most)
    return ""


def _number(value: object, most: float) -> float | None:
    """Return a number from 0 up to the largest one that makes sense; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if 0 <= value <= most:  # neither is NaN
        return value
    return None


def _context(window: dict[str, Any]) -> float | None:
    """Return how much of the context window is used, in percent."""
    share = _number(window.get("used_percentage"), 1_000)
    if share is not None:
        return share
    size = _number(window.get("context_window_size"), 1e12)
    usage = _dict(window, "current_usage")
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    tokens = [_number(usage.get(name), 1e12) for name in names]
    known = [number for number in tokens if number is not None]
    if not size or not known:
        return None
    return min(1_000.0, sum(known) / size * 100)
