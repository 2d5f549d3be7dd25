"""A line in the user's crontab, known by the mark at its end."""

from __future__ import annotations

import re
import shlex
import sys

from agent_journal.errors import JournalError
from agent_journal.sync.schedule.plan import NAME, Plan, State
from agent_journal.sync.schedule.programs import ask, has_program, order

_END = f" sync >/dev/null # {NAME}"
_PLACE = "crontab"


class Cron:
    """The user's crontab."""

    name = "cron line"

    def is_usable(self) -> bool:
        """Whether there is a crontab to edit."""
        return sys.platform != "win32" and has_program("crontab")

    def text(self, plan: Plan) -> str:
        """The line."""
        words = [f"{name}={shlex.quote(value)}" for name, value in plan.variables]
        words += ["nice", "-n", "19", shlex.join(plan.command)]
        # cron takes a % for the end of a line
        command = " ".join(words).replace("%", r"\%")
        return f"{_times(plan.minutes)} {command} >/dev/null # {NAME}\n"

    def install(self, plan: Plan) -> str:
        """Put the line into the crontab, instead of an earlier one."""
        _write(_without_ours(_read()) + self.text(plan).encode("utf-8"))
        return _PLACE

    def state(self) -> State:
        """Whether the crontab has the line."""
        ours = [line for line in _read().splitlines() if _is_ours(line)]
        if not ours:
            return State(False)
        return State(True, True, _minutes(ours[-1].decode("utf-8", "replace")), None, _PLACE)

    def remove(self) -> bool:
        """Take the line out; all others stay as they are."""
        before = _read()
        after = _without_ours(before)
        if after == before:
            return False
        if after:
            _write(after)
        else:
            order("crontab", "-r")
        return True


def _times(minutes: int) -> str:
    if minutes == 1:
        return "* * * * *"
    if minutes < 60:
        return f"*/{minutes} * * * *"
    if minutes == 60:
        return "0 * * * *"
    if minutes < 1440:
        return f"0 */{minutes // 60} * * *"
    return "0 0 * * *"


def _minutes(line: str) -> int | None:
    """The interval of a line that `_times` began."""
    found = re.match(r"(\S+) (\S+) \* \* \* ", line)
    if found is None:
        return None
    minute, hour = found[1], found[2]
    if hour == "0":
        return 1440
    if hour.startswith("*/"):
        return int(hour[2:]) * 60
    if minute == "0":
        return 60
    return int(minute.removeprefix("*").removeprefix("/") or 1)


def _read() -> bytes:
    """The crontab as it is; empty when there is none."""
    answer = ask("crontab", "-l")
    if answer.code == 0:
        return answer.output
    if "no crontab" in answer.errors.lower():
        return b""
    raise JournalError(f"'crontab -l' failed: {answer.errors.strip()[:300]}")


def _write(text: bytes) -> None:
    """Replace the crontab, and look whether it arrived."""
    order("crontab", "-", given=text)
    if _read() != text:
        raise JournalError("the crontab is not as it was written", "'crontab -e' edits it")


def _without_ours(text: bytes) -> bytes:
    lines = text.splitlines(keepends=True)
    kept = b"".join(line for line in lines if not _is_ours(line))
    if kept and not kept.endswith(b"\n"):
        kept += b"\n"
    return kept


def _is_ours(line: bytes) -> bool:
    """Whether we wrote a line; a person's own may end with the same words."""
    is_comment = line.lstrip().startswith(b"#")
    return line.rstrip().endswith(_END.encode()) and not is_comment
