"""An agent of launchd, the scheduler of macOS."""

from __future__ import annotations

import os
import sys
from typing import Any

from agent_journal.sync.schedule.plan import Plan, State
from agent_journal.sync.schedule.programs import ask, has_program, order
from agent_journal.sync.schedule.written import read_text, remove_files, write_files

LABEL = "org.agent-journal.sync"


class Launchd:
    """Agents of launchd."""

    name = "launchd agent"

    def is_usable(self) -> bool:
        """Whether this is macOS."""
        return sys.platform == "darwin" and has_program("launchctl")

    def text(self, plan: Plan) -> str:
        """The property list."""
        import plistlib

        values: dict[str, Any] = {
            "Label": LABEL,
            "ProgramArguments": list(plan.command),
            "StartInterval": plan.minutes * 60,
            "RunAtLoad": True,
            "Nice": 19,
            "LowPriorityIO": True,
            "ProcessType": "Background",
            "StandardOutPath": "/dev/null",
            "StandardErrorPath": "/dev/null",
        }
        if plan.variables:
            values["EnvironmentVariables"] = dict(plan.variables)
        return plistlib.dumps(values).decode("utf-8")

    def install(self, plan: Plan) -> str:
        """Write the property list and load it."""
        write_files({_path(): self.text(plan)})
        ask("launchctl", "bootout", f"{_domain()}/{LABEL}")  # an earlier one
        order("launchctl", "bootstrap", _domain(), _path())
        return _path()

    def state(self) -> State:
        """Whether the agent exists and is loaded."""
        import plistlib

        text = read_text(_path())
        if text is None:
            return State(False)
        minutes = None
        try:
            minutes = int(plistlib.loads(text.encode("utf-8"))["StartInterval"]) // 60
        except Exception:  # somebody has edited it: plistlib raises what its parsers raise
            pass
        is_active = ask("launchctl", "print", f"{_domain()}/{LABEL}").code == 0
        return State(True, is_active, minutes, None, _path())

    def remove(self) -> bool:
        """Unload the agent and remove its file."""
        ask("launchctl", "bootout", f"{_domain()}/{LABEL}")
        return remove_files(_path())


def _path() -> str:
    return os.path.expanduser(f"~/Library/LaunchAgents/{LABEL}.plist")


def _domain() -> str:
    return f"gui/{os.getuid()}"
