"""A machine with stand-ins for the programs of its scheduler."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

# Keeps what it was told: each call a line in `calls`, the crontab in `crontab`.
_PROGRAM = """#!{python}
import os, sys
folder, name = {folder!r}, os.path.basename(sys.argv[0])
with open(os.path.join(folder, "calls"), "a") as calls:
    print(name, *sys.argv[1:], file=calls)
table = os.path.join(folder, "crontab")
if name == "crontab" and sys.argv[1:] == ["-l"]:
    if not os.path.exists(table):
        sys.exit("no crontab for somebody")
    sys.stdout.buffer.write(open(table, "rb").read())
elif name == "crontab" and sys.argv[1:] == ["-"]:
    open(table, "wb").write(sys.stdin.buffer.read())
elif name == "crontab" and sys.argv[1:] == ["-r"]:
    os.unlink(table)
elif name == "systemctl" and "show" in sys.argv:
    print("ActiveState=active")
    print("NextElapseUSecRealtime=@1800000000")
elif name == "launchctl" and sys.argv[1] == "print" and not os.path.exists(folder + "/loaded"):
    sys.exit(113)
elif name == "launchctl" and sys.argv[1] == "bootstrap":
    open(folder + "/loaded", "w").close()
elif name == "schtasks" and "/XML" in sys.argv:
    task = os.path.join(folder, "task.xml")
    if sys.argv[1] == "/Create":
        open(task, "wb").write(open(sys.argv[5], "rb").read())
    elif os.path.exists(task):
        sys.stdout.buffer.write(open(task, "rb").read())
    else:
        sys.exit(1)
elif name == "schtasks":
    os.unlink(os.path.join(folder, "task.xml"))
"""


class Machine:
    """A home folder, and the programs on its PATH."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.programs = home / "programs"
        self.programs.mkdir()

    def add(self, name: str) -> None:
        """Put a stand-in on the PATH."""
        path = self.programs / name
        path.write_text(_PROGRAM.format(python=sys.executable, folder=str(self.home)))
        path.chmod(0o755)

    @property
    def calls(self) -> list[str]:
        """What the programs were told."""
        path = self.home / "calls"
        if not path.exists():
            return []
        return path.read_text().splitlines()


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine without any scheduler."""
    made = Machine(tmp_path)
    monkeypatch.setenv("PATH", str(made.programs))
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in [name for name in os.environ if name.startswith(("AJ_", "XDG_", "CLAUDE"))]:
        monkeypatch.delenv(name)
    return made
