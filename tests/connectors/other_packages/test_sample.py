"""A connector of another package is found and used like our own."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from agent_journal.connectors import BUILT_IN
from tests.support.journals import aj, aj_json
from tests.support.packages import NOTES, with_path


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


def test_a_connector_with_the_class_of_all_hooks(home: Path, installed: Path) -> None:
    code = installed / "notes_agent/__init__.py"
    text = code.read_text().replace("class NotesAgent:", "class NotesAgent(AgentConnector):")
    imported = "from agent_journal.connectors.hooks import AgentConnector\n"
    code.write_text(text.replace("class NotesAgent(", f"{imported}\n\nclass NotesAgent(", 1))
    env = with_path(installed)
    done = aj(home, "sync", env=env)
    assert (done.returncode, done.stderr.partition(",")[0]) == (0, "2 sessions"), done.stderr
    assert "fails" not in done.stderr
    assert "In late winter" in aj(home, "show", "roses", env=env).stdout
    done = aj(home, "resume", "roses", "--print", env=env)
    assert "has no command that resumes a session" in done.stderr


def wheel_of(installed: Path, folder: Path) -> Path:
    """The package as a wheel, made by hand: building one takes a backend, which an offline machine
    may not have.
    """
    wheel = folder / "notes_agent_journal-0.1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path in sorted(installed.rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
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
    assert (done.returncode, "notes-agent were not derived again" in done.stderr) == (0, True), (
        done.stdout
    )


def test_import_knows_its_files(home: Path, installed: Path, tmp_path: Path) -> None:
    env = with_path(installed)
    copy = shutil.copy(next(NOTES.rglob("*.jsonl")), tmp_path / "tulips.jsonl")
    assert (
        aj(home, "import", str(copy), env=env)
        .stdout.strip()
        .endswith("imported, notes-agent:tulips")
    )
    assert aj(home, "import", str(copy)).returncode == 1


def test_import_as_an_agent(home: Path, installed: Path, tmp_path: Path) -> None:
    env = with_path(installed)
    text = '{"kind":"ask","id":"1","text":"What is wrong with my fig?"}\n'
    strange = tmp_path / "fig.log"
    strange.write_text(text)
    assert aj(home, "import", str(strange), env=env).returncode == 1
    done = aj(home, "import", str(strange), "--as", "notes-agent", env=env)
    assert (done.returncode, done.stdout.strip()[-26:]) == (
        0,
        "imported, notes-agent:fig.log"[-26:],
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
