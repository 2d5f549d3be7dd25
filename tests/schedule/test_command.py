"""`aj schedule`, with stand-ins for the programs of the system."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from tests.schedule.conftest import Machine


def run(machine: Machine, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "agent_journal", "schedule", *args],
        env={**os.environ, "AJ_HOME": str(machine.home / "journal")},
        capture_output=True,
        text=True,
    )


def test_install_status_remove(machine: Machine) -> None:
    machine.add("systemctl")
    assert run(machine, "status").stdout.startswith("not installed;")
    done = run(machine, "install", "--every", "15m")
    assert done.returncode == 0
    assert done.stderr == (
        "'aj sync' runs every 15m (systemd timer, ~/.config/systemd/user/agent-journal.timer)\n"
    )
    shown = run(machine, "status").stdout.splitlines()
    assert shown[0].startswith("every 15m, systemd timer, ~/.config/systemd/user/")
    assert shown[1] == "last sync: ?"
    answer = json.loads(run(machine, "status", "--json").stdout)
    (item,) = answer["items"]
    assert (item["active"], item["minutes"], item["next_run"]) == (True, 15, "2027-01-15T08:00:00Z")
    assert run(machine, "remove").stderr == "removed: systemd timer\n"
    assert run(machine, "remove").stderr == "nothing was installed\n"


def test_a_better_scheduler_replaces_the_other(machine: Machine) -> None:
    machine.add("crontab")
    run(machine, "install")
    assert "agent-journal" in (machine.home / "crontab").read_text()
    machine.add("systemctl")
    run(machine, "install")
    assert not (machine.home / "crontab").exists()


def test_print_writes_nothing(machine: Machine) -> None:
    machine.add("systemctl")
    done = run(machine, "install", "--print")
    assert "OnCalendar=*:0/10" in done.stdout
    assert f"AJ_HOME={machine.home / 'journal'}" in done.stdout
    assert not (machine.home / ".config").exists()


def test_wrong_and_impossible(machine: Machine) -> None:
    assert run(machine, "install", "--every", "7m").returncode == 2
    done = run(machine, "install")
    assert done.returncode == 1
    assert "no scheduler was found" in done.stderr


def doctor(machine: Machine, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "agent_journal", "doctor", *args],
        env={**os.environ, "AJ_HOME": str(machine.home / "journal")},
        capture_output=True,
        text=True,
    )


def test_doctor_says_what_keeps_the_journal_up_to_date(machine: Machine) -> None:
    machine.add("crontab")
    assert "nothing keeps it up to date" in doctor(machine).stdout
    run(machine, "install", "--every", "30m")
    assert doctor(machine).stdout.endswith("no full sync yet; a cron line syncs every 30m\n")
    (item,) = json.loads(doctor(machine, "--json").stdout)["schedule"]
    assert (item["scheduler"], item["minutes"]) == ("cron line", 30)


def test_doctor_complains_of_a_timer_that_does_not_run(machine: Machine) -> None:
    machine.add("systemctl")
    run(machine, "install")
    stopped = (machine.programs / "systemctl").read_text().replace("=active", "=inactive")
    (machine.programs / "systemctl").write_text(stopped)
    done = doctor(machine)
    assert done.returncode == 1
    assert "the systemd timer that syncs does not run" in done.stdout
