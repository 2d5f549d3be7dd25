"""docs/adding-an-agent.md and the contract that it describes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agent_journal.testing import ContractBroken
from tests.support.journals import SRC, aj
from tests.support.packages import SAMPLE, with_path
from tests.support.paths import ROOT


def test_the_contract_names_the_first_difference_from_what_is_expected(tmp_path: Path) -> None:
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
