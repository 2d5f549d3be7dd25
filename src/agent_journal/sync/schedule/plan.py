"""What is to run, and how often."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import NamedTuple, Protocol

from agent_journal.config.loading import expanded, home
from agent_journal.config.settings import SETTINGS, foreign_settings
from agent_journal.errors import UsageError

NAME = "agent-journal"
TITLE = "Sync the journal of coding sessions"
_MINUTES = {"m": 1, "h": 60, "d": 1440}
_HOUR = 60
_DAY = 1440
# cron and calendars of systemd start anew every hour and every day: other steps would stumble
POSSIBLE = tuple(
    [minutes for minutes in range(1, _HOUR) if _HOUR % minutes == 0]
    + [minutes for minutes in range(_HOUR, _DAY + 1, _HOUR) if _DAY % minutes == 0]
)
# What decides where aj looks for sessions, beside its own settings
_PASSED_ON = (
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "COPILOT_HOME",
    "CURSOR_CONFIG_DIR",
    "GEMINI_CLI_HOME",
    "XDG_DATA_HOME",
    "LOCALAPPDATA",
    "OPENCODE_DB",
    "KILO_DB",
    "CRUSH_GLOBAL_DATA",
    "GOOSE_PATH_ROOT",
    "PI_CODING_AGENT_DIR",
    "OPENCLAW_STATE_DIR",
    "KIMI_SHARE_DIR",
    "KIMI_CODE_HOME",
    "GROK_HOME",
    "CLINE_DIR",
    "CLINE_DATA_DIR",
    "CLINE_SESSION_DATA_DIR",
    "QWEN_HOME",
    "QWEN_RUNTIME_DIR",
    "CONTINUE_GLOBAL_DIR",
    "VSCODE_APPDATA",
    "VSCODE_PORTABLE",
    "XDG_CONFIG_HOME",
)

_NAMES = ("OPENCODE_DB", "KILO_DB")  # of files in the folder of the agent


class Plan(NamedTuple):
    """A command that runs every so many minutes, with some environment variables."""

    command: tuple[str, ...]
    minutes: int
    variables: tuple[tuple[str, str], ...] = ()


class State(NamedTuple):
    """What a scheduler says: whether it has our task, whether it runs it, how often, and when."""

    is_installed: bool
    is_active: bool = False
    minutes: int | None = None
    next_run: float | None = None  # seconds since 1970
    place: str = ""  # the file that holds it


class Scheduler(Protocol):
    """A part of the system that runs commands at regular times."""

    name: str

    def is_usable(self) -> bool:
        """Whether this machine has it, and it answers."""

    def text(self, plan: Plan) -> str:
        """What `install` writes, for people."""

    def install(self, plan: Plan) -> str:
        """Have the plan run from now on, instead of an earlier one; where it was written."""

    def state(self) -> State:
        """What the system says of it."""

    def remove(self) -> bool:
        """Stop it; false when there was nothing."""


def make_plan(program: list[str], minutes: int, env: Mapping[str, str]) -> Plan:
    """A plan that syncs the journal which this environment means."""
    names = sorted(name for name in env if name.startswith("AJ_") or name in _PASSED_ON)
    variables = tuple((name, _lasting(name, env)) for name in names if env[name])
    plan = Plan((*program, "sync"), minutes, variables)
    for text in (*plan.command, *(value for _, value in variables)):
        if re.search(r"[\x00-\x1f\x7f]", text):
            raise UsageError(f"{text!r} has a control character and cannot be scheduled")
    return plan


def _lasting(name: str, env: Mapping[str, str]) -> str:
    """The value of a variable; paths are the same in every working folder."""
    value = env[name]
    if name == "AJ_HOME":
        return home(env)
    if name in _PASSED_ON and name not in _NAMES:
        return os.path.abspath(value)
    if name not in _path_variables():
        return value
    parts = [os.path.abspath(expanded(part, env)) for part in value.split(os.pathsep) if part]
    return os.pathsep.join(parts)


def _path_variables() -> set[str]:
    """The variables that set a path or several."""
    return {
        name
        for setting in (*SETTINGS.values(), *foreign_settings().values())
        if setting.kind in ("path", "paths")
        for name in setting.variables
    }


def parse_every(text: str) -> int:
    """Read an interval such as 10m, 2h or 1d; in minutes."""
    found = re.fullmatch(r"([0-9]{1,4})\s*([mhd])", text.strip().lower())
    if found is None:
        raise UsageError(f"'{text}' is not an interval", "for example 10m, 2h or 1d")
    minutes = int(found[1]) * _MINUTES[found[2]]
    if minutes not in POSSIBLE:
        nearest = min(POSSIBLE, key=lambda possible: abs(possible - minutes))
        raise UsageError(
            f"an interval of {text} does not divide an hour or a day evenly",
            f"the nearest that does is {shown_every(nearest)}",
        )
    return minutes


def shown_every(minutes: int) -> str:
    """An interval as people type it."""
    if minutes % _DAY == 0:
        return f"{minutes // _DAY}d"
    if minutes % _HOUR == 0:
        return f"{minutes // _HOUR}h"
    return f"{minutes}m"
