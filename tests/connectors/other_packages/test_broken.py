"""A broken connector of another package harms only itself."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from agent_journal.connectors import foreign, guard
from agent_journal.connectors.base import FoundFile, Unlisted
from agent_journal.connectors.limits import within_limits
from agent_journal.model import Attachment, DailyStat, Message, Quote, Session, ToolCall, Usage
from tests.support.journals import aj
from tests.support.packages import SAMPLE, declare, with_path

GOOD = (SAMPLE / "notes_agent/__init__.py").read_text()
BROKEN = {
    "import": ("import nothing_of_that_name\n", "ModuleNotFoundError"),
    "attribute": ("X = 1\n", "has no attribute 'CONNECTOR'"),
    "method": (GOOD.replace("def discover", "def find"), "it has no discover"),
    "name": (
        GOOD.replace('name = "notes-agent"', 'name = "else"'),
        "its name must be 'notes-agent'",
    ),
    "roots": (
        GOOD.replace("return [env.variable", "return 1 / 0, [env.variable"),
        "ZeroDivisionError",
    ),
    "discover": (
        GOOD.replace("unlisted: list[Unlisted] = []", "unlisted = 1 / 0"),
        "ZeroDivisionError",
    ),
    "found": (
        GOOD.replace("yield from unlisted\n", "yield 'a file'\n"),
        "str where FoundFile is expected",
    ),
    "reader": (GOOD.replace('if file.role == "log":', "if 1 / 0:"), "ZeroDivisionError"),
    "exit": ("raise SystemExit(3)\n", "SystemExit"),
    "interrupt": ("raise KeyboardInterrupt\n", "KeyboardInterrupt"),
    "exit later": (
        GOOD.replace("unlisted: list[Unlisted] = []", "raise SystemExit(3)"),
        "SystemExit",
    ),
    "size": (
        GOOD.replace("yield from unlisted\n", "yield FoundFile('a', 'a', 'log', 2**70, 0, 0)\n"),
        "a file has the number",
    ),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_connector_harms_only_itself(kind: str, home: Path, installed: Path) -> None:
    code, reason = BROKEN[kind]
    (installed / "notes_agent/__init__.py").write_text(code)
    env = with_path(installed)
    done = aj(home, "sync", env=env)
    # What was found before is kept and read
    sessions = "2 sessions" if kind in ("found", "size") else "1 session"
    assert (done.returncode, done.stderr.partition(",")[0]) == (0, sessions), done.stderr
    assert "problem" in done.stderr
    health = aj(home, "doctor", env=env)
    assert (health.returncode, reason in health.stdout) == (1, True), health.stdout
    assert "permissions" not in health.stdout
    assert "notes-agent" in health.stdout or "Notes Agent" in health.stdout
    if kind == "reader":
        assert (
            "→ the reader of Notes Agent failed at 3 places: update the package of its connector"
            in health.stdout
        )
    else:
        assert "the connector 'notes-agent' (notes_agent:CONNECTOR) fails: " in done.stderr
        assert reason in done.stderr
    for command in (["sources"], ["ls", "--agent", "notes-agent"], ["verify"], []):
        assert aj(home, *command, env=env).returncode == 0, command


def test_the_advice_fits_a_reader_that_fails(home: Path, installed: Path) -> None:
    path = installed / "notes_agent/documents.py"
    good, names = path.read_text(), home / ".notes-agent/names.json"
    # At once, and where an earlier version could be read
    for content in ("{}", '{"roses": "Tea"}'):
        path.write_text(good.replace("for session_id, name", "1 / 0\n        for session_id, name"))
        names.write_text(content)
        aj(home, "sync", env=with_path(installed))
        shown = aj(home, "doctor", env=with_path(installed)).stdout
        assert "cannot be read: ZeroDivisionError" in shown
        assert (
            "→ the reader of Notes Agent failed at 1 place: update the package of its connector"
            in shown
        )
        assert "permissions" not in shown
        path.write_text(good)
        names.write_text('{"roses": "Roses"}')
        aj(home, "sync", env=with_path(installed))
        assert "failed" not in aj(home, "doctor", env=with_path(installed)).stdout


def test_what_a_connector_prints_goes_to_stderr(home: Path, installed: Path) -> None:
    loud = "import os, sys\nprint('loud'); sys.__stdout__.write('loud'); os.write(1, b'loud')\n"
    method = "print('loud'); os.system('echo loud')\n"
    code = GOOD.replace(
        "from __future__ import annotations\n", f"from __future__ import annotations\n{loud}"
    )
    code = code.replace(
        "        unlisted: list[Unlisted] = []",
        f"        {method}        unlisted: list[Unlisted] = []",
    )
    (installed / "notes_agent/__init__.py").write_text(code)
    path = installed / "notes_agent/reading.py"
    reading, answer = path.read_text(), "            return (self._message(record, record.id"
    path.write_text(reading.replace(answer, f"            import os; {method}{answer}"))
    assert "os.system" in code
    assert path.read_text() != reading
    done = aj(home, "sync", "--json", env=with_path(installed))
    assert json.loads(done.stdout)["items"][0]["new_sessions"] == 2
    assert done.stderr.count("loud") >= 6


def test_a_connector_that_takes_long_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    has_said = threading.Event()
    say = guard._say

    def say_and_continue(what: str) -> None:
        say(what)
        has_said.set()

    monkeypatch.setattr(guard, "_say", say_and_continue)
    monkeypatch.setattr(guard, "PATIENCE", 0.05)
    monkeypatch.setattr(guard, "has_said", has_said, raising=False)
    (tmp_path / "slow_notes.py").write_text(
        "from agent_journal.connectors import guard\nguard.has_said.wait(60)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(foreign.BrokenConnector):
        foreign.load("slow", "slow_notes:CONNECTOR")
    assert caplog.messages == [
        "waiting for the connector 'slow' (slow_notes:CONNECTOR) to be imported"
    ]


@pytest.fixture
def interrupt_handler() -> Iterator[object]:
    """Python's own handler of SIGINT: a shell that starts pytest in the background ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield signal.default_int_handler
    signal.signal(signal.SIGINT, before)


def test_a_real_interrupt_ends_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interrupt_handler: object
) -> None:
    (tmp_path / "stopped_notes.py").write_text(
        "import signal\nsignal.raise_signal(signal.SIGINT)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        foreign.load("stopped", "stopped_notes:CONNECTOR")
    assert signal.getsignal(signal.SIGINT) is interrupt_handler


AWARE = datetime(2026, 1, 1, tzinfo=UTC)
PIECES = [
    (
        Usage(
            session_id="s",
            key="k",
            input_tokens=-5,
            output_tokens=2**62,
            cost_micro_usd=-7,
            requests=2,
        ),
        Usage(session_id="s", key="k", requests=2),
        ["input_tokens", "output_tokens", "cost_micro_usd"],
    ),
    (
        Usage(
            session_id="s", key="k", premium_requests=float("nan"), timestamp=datetime(2026, 1, 1)
        ),
        Usage(session_id="s", key="k"),
        ["premium_requests", "timestamp"],
    ),
    (
        Message(
            session_id="s",
            id="m",
            role="user",
            kind="prompt",
            offset=-1,
            length=3,
            timestamp=AWARE,
            attachments=(Attachment(kind="file", size=10**30),),
        ),
        Message(
            session_id="s",
            id="m",
            role="user",
            kind="prompt",
            length=3,
            timestamp=AWARE,
            attachments=(Attachment(kind="file"),),
        ),
        ["offset", "size"],
    ),
    (
        ToolCall(
            session_id="s", id="c", exit_code=-9, duration_ms=-1, result_at=Quote(-1, 3, ("a", -2))
        ),
        ToolCall(session_id="s", id="c", exit_code=-9),
        ["duration_ms", "result_at"],
    ),
    (
        DailyStat(date="2026-01-01", message_count=-1, tokens_by_model={"a": -1, "b": 2}),
        DailyStat(date="2026-01-01", tokens_by_model={"b": 2}),
        ["a", "message_count"],
    ),
    (
        Session(
            agent="x",
            id="s",
            started_at=datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))),
            ended_at=AWARE,
        ),
        Session(agent="x", id="s", ended_at=AWARE),
        ["started_at"],
    ),
]


@pytest.mark.parametrize(("piece", "expected", "names"), PIECES)
def test_numbers_and_times_that_cannot_be_are_unknown(
    piece: Any, expected: Any, names: list[str]
) -> None:
    found, left_out = within_limits(piece)
    assert found == expected
    assert sorted(left_out) == sorted(names)


def test_impossible_numbers_are_a_problem_of_the_file(home: Path, installed: Path) -> None:
    path = installed / "notes_agent/reading.py"
    code = path.read_text()
    changed = code.replace("            length=length,\n", "            length=-length,\n")
    assert changed != code
    path.write_text(changed)
    assert aj(home, "sync", env=with_path(installed)).stderr.startswith("2 sessions")
    health = aj(home, "doctor", env=with_path(installed)).stdout
    assert "length of a Message cannot be that; taken for unknown" in health
    far = "            length=length + int(setattr(self, 'offset', 10**9) or 0),\n"
    path.write_text(code.replace("            length=length,\n", far))
    (installed / "notes_agent/__init__.py").write_text(GOOD.replace("version = 1", "version = 2"))
    aj(home, "sync", env=with_path(installed))
    assert "it says that it has read" in aj(home, "doctor", env=with_path(installed)).stdout


ROWS = {
    "nothing": ("", "AttributeError"),
    "extract": (
        "def extract(self, path):\n    return [1], None\n",
        "int where Extract is expected",
    ),
    "changes": (
        "def extract_changes(self, path, kept):\n    yield 'damaged'\n    yield 1 / 0\n",
        "ZeroDivisionError",
    ),
    "data": (
        "def extract(self, path):\n"
        "    from agent_journal.connectors.base import Extract\n"
        "    return [Extract('a', 'log', 'a', 0, (1 / 0 for _ in 'a'))], None\n",
        "ZeroDivisionError",
    ),
}


@pytest.mark.parametrize("kind", ROWS)
def test_rows_that_cannot_be_taken_out_are_a_problem_of_the_file(
    kind: str, home: Path, installed: Path
) -> None:
    code, reason = ROWS[kind]
    method = "".join(f"    {line}\n" for line in code.splitlines())
    changed = GOOD.replace('"log", unlisted', '"rows", unlisted').replace(
        "    def reader(", f"{method}\n    def reader("
    )
    assert '"rows"' in changed
    (installed / "notes_agent/__init__.py").write_text(changed)
    done = aj(home, "sync", env=with_path(installed))
    assert (done.returncode, done.stderr.partition(",")[0]) == (0, "1 session"), done.stderr
    assert reason in aj(home, "doctor", env=with_path(installed)).stdout


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("text=record.text,", "text=[record.text],"),
        ("id=name,\n            role", "id=[name],\n            role"),
        ("project_path=state.folder", "project_path=7"),
        ("return (self._message(record, record.id, offset, length),)", "return ('a message',)"),
    ],
)
def test_values_of_the_wrong_type_are_a_problem_of_the_file(
    old: str, new: str, home: Path, installed: Path
) -> None:
    path = installed / "notes_agent/reading.py"
    code = path.read_text()
    assert old in code
    path.write_text(code.replace(old, new))
    done = aj(home, "sync", env=with_path(installed))
    assert (done.returncode, done.stderr.partition(",")[0]) == (0, "1 session"), done.stderr
    assert "the Notes Agent reader failed" in aj(home, "doctor", env=with_path(installed)).stdout


def test_a_file_that_stands_for_others_is_checked() -> None:
    class Inner:
        name, title, version = "pages", "Pages", 1
        found: tuple[object, ...] = (Unlisted("p", "locked"), FoundFile("p", "p", "log", 1, 2, 3))

        def found_with(self, path: str) -> tuple[object, ...]:
            return self.found

    connector = foreign.ForeignConnector(Inner(), "pages:CONNECTOR")
    assert connector.found_with("page") == Inner.found
    Inner.found = ("page",)
    with pytest.raises(foreign.BrokenConnector, match="str where FoundFile"):
        connector.found_with("page")
    del Inner.found_with
    assert connector.found_with("page") == ()


def test_a_name_of_ours_cannot_be_taken(home: Path, tmp_path: Path) -> None:
    target = tmp_path / "site"
    declare(target, "claude-code", "nothing_of_that_name")
    assert aj(home, "sync", env=with_path(target)).stderr.startswith("1 session, 1 new")
