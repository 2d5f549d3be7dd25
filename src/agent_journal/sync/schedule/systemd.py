"""A timer of systemd that belongs to the user."""

from __future__ import annotations

import os
import re

from agent_journal.sync.schedule.plan import NAME, TITLE, Plan, State, shown_every
from agent_journal.sync.schedule.programs import ask, has_program, order
from agent_journal.sync.schedule.written import read_text, remove_files, write_files

_TIMER = f"{NAME}.timer"
_SERVICE = f"{NAME}.service"
_EVERY = re.compile(r"^# every (\d+) minutes$", re.MULTILINE)


class Systemd:
    """Timers of systemd."""

    name = "systemd timer"

    def is_usable(self) -> bool:
        """Whether systemd runs for this user."""
        if not has_program("systemctl"):
            return False
        return ask("systemctl", "--user", "show-environment").code == 0

    def files(self, plan: Plan) -> dict[str, str]:
        """The units, by path."""
        return {_path(_SERVICE): _service(plan), _path(_TIMER): _timer(plan)}

    def text(self, plan: Plan) -> str:
        """The units, for people."""
        return "\n".join(f"# {path}\n{text}" for path, text in self.files(plan).items())

    def install(self, plan: Plan) -> str:
        """Write the units and start the timer."""
        write_files(self.files(plan))
        order("systemctl", "--user", "daemon-reload")
        order("systemctl", "--user", "enable", _TIMER)
        # restart: a timer that runs already keeps its old interval otherwise
        order("systemctl", "--user", "restart", _TIMER)
        return _path(_TIMER)

    def state(self) -> State:
        """Whether the timer exists and runs."""
        text = read_text(_path(_TIMER))
        if text is None:
            return State(False)
        minutes = None
        found = _EVERY.search(text)
        if found:
            minutes = int(found[1])
        wanted = "--property=ActiveState,NextElapseUSecRealtime"
        answer = ask("systemctl", "--user", "show", _TIMER, wanted, "--timestamp=unix")
        said = dict(
            line.split("=", 1)
            for line in answer.output.decode("utf-8", "replace").splitlines()
            if "=" in line
        )
        is_active = said.get("ActiveState") == "active"
        next_run = _seconds(said.get("NextElapseUSecRealtime", ""))
        return State(True, is_active, minutes, next_run, _path(_TIMER))

    def remove(self) -> bool:
        """Stop the timer and remove the units."""
        ask("systemctl", "--user", "disable", "--now", _TIMER)
        was_there = remove_files(_path(_TIMER), _path(_SERVICE))
        if was_there:
            ask("systemctl", "--user", "daemon-reload")
        return was_there


def _path(unit: str) -> str:
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return os.path.join(config, "systemd", "user", unit)


def _service(plan: Plan) -> str:
    lines = ["[Unit]", f"Description={TITLE}", "", "[Service]", "Type=oneshot"]
    lines += [f"Environment={_quoted(f'{name}={value}')}" for name, value in plan.variables]
    lines += [f"ExecStart={_command(plan)}", "Nice=19", "IOSchedulingClass=idle", ""]
    return "\n".join(lines)


def _command(plan: Plan) -> str:
    program, *words = plan.command
    # systemd refuses quotes in the name of a program, and replaces variables behind it only
    if re.search(r"['\"\\]", program):
        program, words = "/usr/bin/env", list(plan.command)
    return " ".join([_quoted(program), *(_quoted(word).replace("$", "$$") for word in words)])


def _timer(plan: Plan) -> str:
    lines = [
        f"# every {plan.minutes} minutes",
        "[Unit]",
        f"Description={TITLE} every {shown_every(plan.minutes)}",
        "",
        "[Timer]",
        f"OnCalendar={_calendar(plan.minutes)}",
        "Persistent=true",
        "RandomizedDelaySec=20",
        "",
        "[Install]",
        "WantedBy=timers.target",
        "",
    ]
    return "\n".join(lines)


def _calendar(minutes: int) -> str:
    if minutes < 60:
        return f"*:0/{minutes}"
    if minutes < 1440:
        return f"0/{minutes // 60}:00"
    return "daily"


def _quoted(text: str) -> str:
    """A word of a unit: in quotes, with nothing that systemd would replace."""
    for special, written in (("\\", "\\\\"), ('"', '\\"'), ("%", "%%")):
        text = text.replace(special, written)
    return f'"{text}"'


def _seconds(text: str) -> float | None:
    """A time as systemd prints it (@ and seconds)."""
    found = re.fullmatch(r"@(\d+)", text)
    if found is None:
        return None
    return float(found[1])
