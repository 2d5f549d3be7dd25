"""A task of the Task Scheduler, the one of Windows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from xml.sax.saxutils import escape

from agent_journal.sync.schedule.plan import NAME, TITLE, Plan, State
from agent_journal.sync.schedule.programs import ask, has_program, order

_SPACE = "http://schemas.microsoft.com/windows/2004/02/mit/task"
_INTERVAL = re.compile(r"<Interval>PT(\d+)M</Interval>")


class TaskScheduler:
    """Tasks of Windows."""

    name = "scheduled task"

    def is_usable(self) -> bool:
        """Whether this is Windows."""
        return sys.platform == "win32" and has_program("schtasks")

    def text(self, plan: Plan) -> str:
        """The task as XML."""
        program, arguments = _program(plan)
        return (
            '<?xml version="1.0" encoding="UTF-16"?>\n'
            f'<Task version="1.2" xmlns="{_SPACE}">\n'
            f"  <RegistrationInfo><Description>{TITLE}</Description></RegistrationInfo>\n"
            "  <Triggers>\n    <TimeTrigger>\n"
            f"      <Repetition><Interval>PT{plan.minutes}M</Interval></Repetition>\n"
            "      <StartBoundary>2024-01-01T00:00:00</StartBoundary>\n"
            "    </TimeTrigger>\n  </Triggers>\n"
            "  <Settings>\n"
            "    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>\n"
            "    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>\n"
            "    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>\n"
            "    <StartWhenAvailable>true</StartWhenAvailable>\n"
            "    <Hidden>true</Hidden>\n"
            "    <Priority>9</Priority>\n"
            "  </Settings>\n"
            "  <Actions>\n    <Exec>\n"
            f"      <Command>{escape(program)}</Command>\n"
            f"      <Arguments>{escape(arguments)}</Arguments>\n"
            "    </Exec>\n  </Actions>\n</Task>\n"
        )

    def install(self, plan: Plan) -> str:
        """Register the task, instead of an earlier one."""
        with tempfile.TemporaryDirectory(prefix="aj-") as folder:
            path = os.path.join(folder, "task.xml")
            with open(path, "wb") as file:
                file.write(self.text(plan).encode("utf-16"))
            order("schtasks", "/Create", "/TN", NAME, "/XML", path, "/F")
        return NAME

    def state(self) -> State:
        """Whether the task is registered and enabled."""
        answer = ask("schtasks", "/Query", "/TN", NAME, "/XML")
        if answer.code != 0:
            return State(False)
        text = answer.output.replace(b"\0", b"").decode("utf-8", "replace")
        minutes = None
        found = _INTERVAL.search(text)
        if found:
            minutes = int(found[1])
        is_active = "<Enabled>false</Enabled>" not in text
        return State(True, is_active, minutes, None, NAME)

    def remove(self) -> bool:
        """Remove the task."""
        return ask("schtasks", "/Delete", "/TN", NAME, "/F").code == 0


def _program(plan: Plan) -> tuple[str, str]:
    """The program and its arguments; variables are set by a shell, for a task has none."""
    if not plan.variables:
        return plan.command[0], subprocess.list2cmdline(plan.command[1:])
    settings = " && ".join(f'set "{name}={value}"' for name, value in plan.variables)
    return "cmd.exe", f"/d /c {settings} && {subprocess.list2cmdline(plan.command)}"
