"""Every scheduler gets a task that its own program accepts, says what it has, and gives it up."""

from __future__ import annotations

import os
import plistlib
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from agent_journal.errors import JournalError, UsageError
from agent_journal.sync.schedule import task_scheduler
from agent_journal.sync.schedule.choice import find_scheduler, installed, usable
from agent_journal.sync.schedule.cron import Cron
from agent_journal.sync.schedule.launchd import LABEL, Launchd
from agent_journal.sync.schedule.plan import POSSIBLE, Plan, make_plan, parse_every, shown_every
from agent_journal.sync.schedule.systemd import Systemd
from agent_journal.sync.schedule.task_scheduler import TaskScheduler
from tests.schedule.conftest import Machine

# Everything that some scheduler takes for something else
HOSTILE = "/opt/my tools/50% \"off\" $HOME 'a' \\ & <b>/aj"
PLAN = Plan((HOSTILE, "sync"), 10, (("AJ_HOME", f"{HOSTILE}/journal"),))


@pytest.mark.parametrize(
    ("text", "minutes"), [("10m", 10), (" 2H ", 120), ("1d", 1440), ("60m", 60), ("24h", 1440)]
)
def test_intervals(text: str, minutes: int) -> None:
    assert parse_every(text) == minutes


@pytest.mark.parametrize("text", ["", "7m", "0m", "5h", "2d", "-5m", "10", "10s", "1e3m", "99999m"])
def test_other_intervals_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_every(text)


def test_a_refused_interval_names_the_nearest() -> None:
    with pytest.raises(UsageError) as refused:
        parse_every("7m")
    assert refused.value.hint == "the nearest that does is 6m"


def test_a_plan_keeps_what_decides_where_sessions_are() -> None:
    env = {"AJ_HOME": "/j", "CODEX_HOME": "/c", "PATH": "/bin", "AJ_EMPTY": "", "SECRET": "x"}
    plan = make_plan(["/bin/aj"], 10, env)
    assert plan == Plan(("/bin/aj", "sync"), 10, (("AJ_HOME", "/j"), ("CODEX_HOME", "/c")))


def test_paths_of_a_plan_are_the_same_in_every_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    env = {
        "HOME": "/h",
        "AJ_HOME": "~/journal",
        "AJ_INDEX_PATH": "index",
        "AJ_AIDER_PATH": f"$HOME/a{os.pathsep}b/*",
        "AJ_DEBUG": "1",
        "CODEX_HOME": "codex",
        "OPENCODE_DB": "other.db",
    }
    assert dict(make_plan(["/bin/aj"], 10, env).variables) == {
        "AJ_HOME": "/h/journal",
        "AJ_INDEX_PATH": str(tmp_path / "index"),
        "AJ_AIDER_PATH": f"/h/a{os.pathsep}{tmp_path}/b/*",
        "AJ_DEBUG": "1",
        "CODEX_HOME": str(tmp_path / "codex"),
        "OPENCODE_DB": "other.db",
    }
    assert dict(make_plan(["/bin/aj"], 10, {"AJ_HOME": "j"}).variables)["AJ_HOME"] == str(
        tmp_path / "j"
    )


def test_a_plan_has_no_line_breaks() -> None:
    with pytest.raises(UsageError):
        make_plan(["/bin/a\nExecStart=/bin/rm"], 10, {})


@pytest.mark.skipif(sys.platform != "linux", reason="systemd is a part of Linux")
@pytest.mark.parametrize("minutes", POSSIBLE)
@pytest.mark.parametrize("name", ["aj", "50% of $HOME", "50% \"off\" $HOME 'a' \\ aj"])
def test_systemd_accepts_the_units(minutes: int, name: str, tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    assert analyze, "install systemd, whose systemd-analyze checks units"
    program = tmp_path / name
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    plan = PLAN._replace(command=(str(program), "sync"), minutes=minutes)
    paths = []
    for path, text in Systemd().files(plan).items():
        written = tmp_path / Path(path).name
        written.write_text(text)
        paths.append(str(written))
    done = subprocess.run(
        [analyze, "--user", "verify", *paths],
        env={"XDG_RUNTIME_DIR": str(tmp_path), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_systemd(machine: Machine) -> None:
    machine.add("systemctl")
    scheduler = find_scheduler()
    assert isinstance(scheduler, Systemd)
    assert not scheduler.state().is_installed
    place = scheduler.install(PLAN)
    assert place == f"{machine.home}/.config/systemd/user/agent-journal.timer"
    assert machine.calls[-3:] == [
        "systemctl --user daemon-reload",
        "systemctl --user enable agent-journal.timer",
        "systemctl --user restart agent-journal.timer",
    ]
    state = scheduler.state()
    assert (state.is_active, state.minutes, state.next_run) == (True, 10, 1_800_000_000.0)
    scheduler.install(PLAN._replace(minutes=120))
    assert scheduler.state().minutes == 120
    assert scheduler.remove()
    assert not scheduler.remove()
    assert not list((machine.home / ".config/systemd/user").iterdir())


def test_launchd(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.add("launchctl")
    monkeypatch.setattr(sys, "platform", "darwin")
    scheduler = find_scheduler()
    assert isinstance(scheduler, Launchd)
    scheduler.install(PLAN)
    path = machine.home / f"Library/LaunchAgents/{LABEL}.plist"
    values = plistlib.loads(path.read_bytes())
    assert values["ProgramArguments"] == list(PLAN.command)
    assert values["EnvironmentVariables"] == dict(PLAN.variables)
    assert values["StartInterval"] == 600
    assert scheduler.state()[:3] == (True, True, 10)
    path.write_text("not a list")
    assert scheduler.state()[:3] == (True, True, None)
    assert scheduler.remove()
    assert not scheduler.state().is_installed


def test_task_scheduler(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.add("schtasks")
    scheduler = TaskScheduler()
    assert not scheduler.is_usable()
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(task_scheduler, "has_program", lambda name: name == "schtasks")
    assert scheduler.is_usable()
    scheduler.install(PLAN._replace(variables=()))
    task = ElementTree.fromstring((machine.home / "task.xml").read_bytes().decode("utf-16"))
    space = {"t": "http://schemas.microsoft.com/windows/2004/02/mit/task"}
    assert task.findtext(".//t:Command", namespaces=space) == HOSTILE
    assert task.findtext(".//t:Arguments", namespaces=space) == "sync"
    assert task.findtext(".//t:Interval", namespaces=space) == "PT10M"
    assert scheduler.state()[:3] == (True, True, 10)
    assert scheduler.remove()
    assert not scheduler.state().is_installed


def test_a_task_with_variables_goes_through_a_shell() -> None:
    text = TaskScheduler().text(Plan(("aj.exe", "sync"), 5, (("AJ_HOME", "C:\\j"),)))
    assert '<Arguments>/d /c set "AJ_HOME=C:\\j" &amp;&amp; aj.exe sync</Arguments>' in text


def test_cron_keeps_all_other_lines(machine: Machine) -> None:
    machine.add("crontab")
    before = b"MAILTO=me\n# agent-journal\n0 5 * * * backup \xff # weekly\n"
    before += b"@daily aj backup # agent-journal"
    (machine.home / "crontab").write_bytes(before)
    scheduler = find_scheduler()
    assert isinstance(scheduler, Cron)
    assert not scheduler.state().is_installed
    scheduler.install(PLAN)
    scheduler.install(PLAN._replace(minutes=30))
    written = (machine.home / "crontab").read_bytes()
    assert written.startswith(before + b"\n*/30 * * * * AJ_HOME=")
    assert written.count(b"\n") == 5
    assert scheduler.state()[:3] == (True, True, 30)
    assert scheduler.remove()
    assert (machine.home / "crontab").read_bytes() == before + b"\n"
    assert not scheduler.remove()


def test_a_crontab_of_nothing_else_goes(machine: Machine) -> None:
    machine.add("crontab")
    Cron().install(PLAN)
    assert Cron().remove()
    assert not (machine.home / "crontab").exists()


@pytest.mark.parametrize("minutes", POSSIBLE)
def test_cron_says_how_often(minutes: int, machine: Machine) -> None:
    machine.add("crontab")
    Cron().install(PLAN._replace(minutes=minutes))
    assert Cron().state().minutes == minutes


def test_a_line_of_cron_means_the_command_to_a_shell() -> None:
    line = Cron().text(PLAN)
    assert "%" not in line.replace(r"\%", "")  # cron ends the line there
    words = shlex.split(line.replace(r"\%", "%"), comments=True)
    assert words[5:] == [
        f"AJ_HOME={HOSTILE}/journal",
        "nice",
        "-n",
        "19",
        HOSTILE,
        "sync",
        ">/dev/null",
    ]


def test_a_machine_without_any(machine: Machine) -> None:
    assert usable() == []
    with pytest.raises(JournalError) as failed:
        find_scheduler()
    assert failed.value.hint == "'aj watch' keeps the journal up to date while it runs"


def test_a_crontab_that_cannot_be_read_is_not_replaced(machine: Machine) -> None:
    program = machine.programs / "crontab"
    program.write_text("#!/bin/sh\necho 'you are not allowed to use this program' >&2\nexit 1\n")
    program.chmod(0o755)
    with pytest.raises(JournalError) as failed:
        Cron().install(PLAN)
    assert "not allowed" in failed.value.message


def test_what_is_installed(machine: Machine) -> None:
    machine.add("crontab")
    machine.add("systemctl")
    assert installed() == []
    Cron().install(PLAN)
    assert [scheduler.name for scheduler, _ in installed()] == ["cron line"]
    assert [shown_every(state.minutes or 0) for _, state in installed()] == ["10m"]
