"""Connectors of other packages: found, used like our own, and harmless when they are broken.
docs/adding-an-agent.md
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
import zipfile
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from agent_journal.connectors import BUILT_IN, foreign, guard
from agent_journal.connectors.limits import within_limits
from agent_journal.model import Attachment, DailyStat, Message, Quote, Session, ToolCall, Usage
from agent_journal.testing import ContractBroken
from tests.support.journals import SRC, aj, aj_json, write_claude
from tests.support.paths import ROOT

SAMPLE = ROOT / "tests/sample_connector"
NOTES = SAMPLE / "cases/garden/home/.notes-agent"


def declare(target: Path, name: str, place: str) -> None:
    """What installing a package leaves behind, as far as it matters here."""
    folder = target / f"{name.replace('-', '_')}-0.1.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1\n")
    (folder / "entry_points.txt").write_text(
        f"[console_scripts]\nx = y:z\n\n[agent_journal.connectors]\n{name} = {place}\n"
    )


def with_path(target: Path) -> dict[str, str]:
    return {"PYTHONPATH": os.pathsep.join((str(SRC), str(target)))}


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """The sample package in a folder of its own, declared as its pyproject.toml says."""
    target = tmp_path / "site"
    shutil.copytree(SAMPLE / "notes_agent", target / "notes_agent")
    project = tomllib.loads((SAMPLE / "pyproject.toml").read_text())["project"]
    ((name, place),) = project["entry-points"]["agent_journal.connectors"].items()
    declare(target, name, place)
    return target


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    shutil.copytree(NOTES, home / ".notes-agent")
    write_claude(home)
    return home


def test_the_sample_works_from_end_to_end(home: Path, installed: Path) -> None:
    env = with_path(installed)
    done = aj(home, "sync", env=env)
    assert (done.returncode, done.stderr.partition(",")[0]) == (0, "2 sessions"), done.stderr
    assert "In late winter" in aj(home, "show", "roses", env=env).stdout
    assert "In late winter" in aj(home, "export", "roses", "-f", "md", "-o", "-", env=env).stdout
    hits = aj_json(home, "search", "agent:notes-agent", "prune", env=env)["items"]
    assert {hit["session"] for hit in hits} == {"notes-agent:roses"}
    assert len(aj_json(home, "ls", "--agent", "notes-agent", env=env)["items"]) == 1
    (source,) = aj_json(home, "sources", "--agent", "notes-agent", env=env)["items"]
    assert (source["title"], source["error"]) == ("Notes Agent", None)
    assert "Notes Agent" in aj(home, "doctor", env=env).stdout
    assert aj(home, "verify", env=env).returncode == 0


def wheel_of(installed: Path, folder: Path) -> Path:
    """The package as a wheel, made by hand: building one takes a backend, which an offline machine
    may not have.
    """
    wheel = folder / "notes_agent_journal-0.1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path in sorted(installed.rglob("*")):
            if path.is_file():
                name = str(path.relative_to(installed)).replace(
                    "notes_agent-0.1.dist", "notes_agent_journal-0.1.dist"
                )
                archive.writestr(
                    name,
                    path.read_text().replace("Name: notes-agent\n", "Name: notes-agent-journal\n"),
                )
        tags = "Wheel-Version: 1.0\nGenerator: by hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        archive.writestr("notes_agent_journal-0.1.dist-info/WHEEL", tags)
        archive.writestr("notes_agent_journal-0.1.dist-info/RECORD", "")
    return wheel


def test_pip_installs_the_sample(tmp_path: Path, installed: Path, home: Path) -> None:
    if importlib.util.find_spec("pip") is None:
        pytest.skip("there is no pip in this environment")
    target = tmp_path / "target"
    wheel = wheel_of(installed, tmp_path)
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--disable-pip-version-check",
        "--no-index",
        "--no-deps",
    ]
    done = subprocess.run(
        [*command, "--target", str(target), str(wheel)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert aj(home, "sync", "--agent", "notes-agent", env=with_path(target)).stderr.startswith(
        "1 session, 1 new"
    )


def test_a_setting_and_a_variable_name_its_folders(home: Path, installed: Path) -> None:
    env = with_path(installed)
    shutil.move(home / ".notes-agent", home / "elsewhere")
    done = aj(
        home,
        "config",
        "set",
        "storage.sources.notes_agent",
        str(home / "elsewhere/notebooks"),
        env=env,
    )
    assert done.returncode == 0, done.stderr
    assert "1 new" in aj(home, "sync", "--agent", "notes-agent", env=env).stderr
    shown = aj_json(home, "config", "show", env=env)
    assert {item["key"]: item["origin"] for item in shown["items"]}[
        "storage.sources.notes_agent"
    ] == "config.toml"
    assert shown["warnings"] == []
    named = {**env, "AJ_STORAGE_SOURCES_NOTES_AGENT": str(home / "nowhere")}
    (source,) = aj_json(home, "sources", "--agent", "notes-agent", env=named)["items"]
    assert [root["path"] for root in source["roots"]] == [str(home / "nowhere")]
    # Without the package, the setting is one that nobody knows.
    assert "unknown setting storage.sources.notes_agent" in aj(home, "sync").stderr


def test_what_was_kept_stays_when_the_package_goes(home: Path, installed: Path) -> None:
    aj(home, "sync", env=with_path(installed))
    assert aj(home, "sync").returncode == 0
    assert "In late winter" in aj(home, "show", "roses").stdout
    for command in ("ls", "usage", "stats", "search prune", "export --all -f md -o -"):
        done = aj(home, *command.split(), "--agent", "notes-agent")
        assert done.returncode == 0, done.stderr
        assert done.stdout
    assert "Roses in winter" in aj(home, "ls", "--agent", "notes-agent").stdout
    assert "no agent 'notes-agent'" in aj(home, "sync", "--agent", "notes-agent").stderr
    done = aj(home, "ls", "--agent", "notes-agents")
    assert (done.returncode, "did you mean 'notes-agent'?" in done.stderr) == (2, True)
    for command in ("sources", "doctor"):
        assert "its connector is not installed: what is kept stays" in aj(home, command).stdout
    (source,) = aj_json(home, "sources", "--agent", "notes-agent")["items"]
    assert (source["roots"], source["error"][:31]) == ([], "its connector is not installed:")
    assert aj(home, "doctor").returncode == 0
    done = aj(home, "verify")
    assert (done.returncode, "notes-agent say was not derived again" in done.stderr) == (0, True), (
        done.stdout
    )


def test_import_knows_its_files(home: Path, installed: Path, tmp_path: Path) -> None:
    env = with_path(installed)
    copy = shutil.copy(next(NOTES.rglob("*.jsonl")), tmp_path / "tulips.jsonl")
    assert (
        aj(home, "import", str(copy), env=env)
        .stdout.strip()
        .endswith("taken in, notes-agent:tulips")
    )
    assert aj(home, "import", str(copy)).returncode == 1


# -- aj import --as ----------------------------------------------------------------------------


def test_import_as_an_agent(home: Path, installed: Path, tmp_path: Path) -> None:
    env = with_path(installed)
    text = '{"kind":"ask","id":"1","text":"What is wrong with my fig?"}\n'
    strange = tmp_path / "fig.log"
    strange.write_text(text)
    assert aj(home, "import", str(strange), env=env).returncode == 1
    done = aj(home, "import", str(strange), "--as", "notes-agent", env=env)
    assert (done.returncode, done.stdout.strip()[-26:]) == (
        0,
        "taken in, notes-agent:fig.log"[-26:],
    ), done.stderr
    assert "my fig" in aj(home, "show", "fig.log", env=env).stdout


def test_import_as_one_of_ours(tmp_path: Path) -> None:
    log = tmp_path / "x.jsonl"
    log.write_text('{"id":"u1","type":"user","content":"headless"}\n')
    assert "no session that this version knows" in aj(tmp_path, "import", str(log)).stderr
    assert aj(tmp_path, "import", str(log), "--as", "gemini").returncode == 0
    assert "headless" in aj(tmp_path, "show", "last").stdout


def test_import_as_the_wrong_one_is_refused(tmp_path: Path) -> None:
    log = tmp_path / "x.jsonl"
    log.write_text("not\na\nlog\n")
    done = aj(tmp_path, "import", str(log), "--as", "gemini")
    assert done.returncode == 1
    assert "nothing in it can be read as a session of gemini" in done.stderr


def test_import_as_nobody_names_the_agents(tmp_path: Path) -> None:
    done = aj(tmp_path, "import", str(tmp_path), "--as", "xyz")
    assert done.returncode == 2
    assert f"no agent 'xyz'; there are: {', '.join(BUILT_IN)}" in done.stderr


def test_a_folder_is_imported_as_an_agents(home: Path, installed: Path, tmp_path: Path) -> None:
    done = aj(
        home, "import", str(NOTES / "notebooks"), "--as", "notes-agent", env=with_path(installed)
    )
    assert done.stdout.strip().endswith("notes-agent:roses"), done.stderr


# -- broken ones -------------------------------------------------------------------------------

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
        told = aj(home, "doctor", env=with_path(installed)).stdout
        assert "cannot be read: ZeroDivisionError" in told
        assert (
            "→ the reader of Notes Agent failed at 1 place: update the package of its connector"
            in told
        )
        assert "permissions" not in told
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
    (tmp_path / "slow_notes.py").write_text("import time\ntime.sleep(1)\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(guard, "PATIENCE", 0.05)
    with pytest.raises(foreign.BrokenConnector):
        foreign.load("slow", "slow_notes:CONNECTOR")
    assert caplog.messages == [
        "waiting for the connector 'slow' (slow_notes:CONNECTOR) to be imported"
    ]


def test_a_real_interrupt_ends_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "stopped_notes.py").write_text(
        "import signal\nsignal.raise_signal(signal.SIGINT)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        foreign.load("stopped", "stopped_notes:CONNECTOR")
    assert signal.getsignal(signal.SIGINT) is handler


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
    assert "length of a Message is impossible; treated as unknown" in health
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


def test_a_name_of_ours_cannot_be_taken(home: Path, tmp_path: Path) -> None:
    target = tmp_path / "site"
    declare(target, "claude-code", "nothing_of_that_name")
    assert aj(home, "sync", env=with_path(target)).stderr.startswith("1 session, 1 new")


def test_it_comes_to_what_is_expected_or_says_where_not(tmp_path: Path) -> None:
    sys.path.insert(0, str(SAMPLE))
    try:
        from test_notes_agent import CONTRACT
    finally:
        sys.path.remove(str(SAMPLE))
    CONTRACT.cases_are_as_expected()
    case = CONTRACT.cases[0]
    shutil.copytree(case.folder, tmp_path / "garden")
    expected = tmp_path / "garden/expected.json"
    expected.write_text(
        expected.read_text().replace("\"unknown 'mood'\": 1", "\"unknown 'mood'\": 2")
    )
    moved = type(CONTRACT)(CONTRACT.connector, tmp_path, ".notes-agent")
    with pytest.raises(
        ContractBroken, match=r"garden: records: notebooks/roses.jsonl: unknown 'mood': 1 where 2"
    ):
        moved.cases_are_as_expected()


def test_a_case_without_an_expectation_is_no_test(tmp_path: Path) -> None:
    sys.path.insert(0, str(SAMPLE))
    try:
        from test_notes_agent import CONTRACT
    finally:
        sys.path.remove(str(SAMPLE))
    shutil.copytree(CONTRACT.cases[0].folder, tmp_path / "garden")
    (tmp_path / "garden/expected.json").unlink()
    moved = type(CONTRACT)(CONTRACT.connector, tmp_path, ".notes-agent")
    with pytest.raises(
        ContractBroken, match=r"garden: no expected\.json; AJ_WRITE_EXPECTED=1 writes it"
    ):
        moved.cases_are_as_expected()


# -- the page ----------------------------------------------------------------------------------


def test_the_page_shows_the_code_of_the_sample() -> None:
    page = (ROOT / "docs/adding-an-agent.md").read_text()
    shown: dict[str, list[str]] = {}
    name = ""
    for marked, block in re.findall(
        r"<!-- (\S+) -->|```(?:python|toml)\n(.*?)```", page, re.DOTALL
    ):
        name = marked or name
        shown.setdefault(name, []).extend(line for line in block.splitlines() if line.strip())
    assert len(shown) == 5
    for name, lines in shown.items():
        assert lines == [line for line in (ROOT / name).read_text().splitlines() if line.strip()], (
            name
        )


def test_the_page_shows_what_the_commands_print(tmp_path: Path, installed: Path) -> None:
    page = (ROOT / "docs/adding-an-agent.md").read_text()
    (notebook,) = re.findall(r"```jsonl\n(.*?)```", page, re.DOTALL)
    (session,) = re.findall(r"```console\n(.*?)```", page, re.DOTALL)
    path = tmp_path / ".notes-agent/notebooks/roses.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(notebook)
    commands = re.findall(r"\$ aj (.*)\n((?:[^$\n].*\n|\n)*)", session)
    assert len(commands) >= 3
    for command, shown in commands:
        done = aj(
            tmp_path, *command.split(), env={**with_path(installed), "TZ": "UTC", "COLUMNS": "130"}
        )
        printed = re.sub(r"[\d.]+ s\)", "0.1 s)", done.stdout + done.stderr)
        assert printed.strip() == shown.strip(), command


def test_the_testing_module_needs_no_test_framework() -> None:
    code = "import sys, agent_journal.testing; assert 'pytest' not in sys.modules"
    subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(SRC)}, check=True
    )
