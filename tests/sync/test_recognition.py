"""Files that are imported by name may hold anything: who asks what they are is never harmed."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from agent_journal.connectors import BUILT_IN, get_connector
from agent_journal.sync.recognition import NotRecognised, recognise
from agent_journal.testing.damage import ODD_VALUES, places, replaced
from tests.support.arrivals import all_cases
from tests.support.paths import CASES

_FILES = 12  # of each agent; all samples are the same in every run
_RECORDS = 6  # of each file
_LINES = 150  # of each record: recognition looks at the first 200
_DOCUMENTS = 10  # of each record: other contents of a file that is one document
_HANDED_OVER = ("claude_web", "vscode_export")  # exports, which no agent's folder has
_AGENTS = sorted({case.parent.name for case in all_cases()} | set(_HANDED_OVER))


@pytest.mark.parametrize("agent", _AGENTS)
def test_values_of_any_type_break_no_import(tmp_path: Path, agent: str) -> None:
    rng = random.Random(agent)
    for file in _sample(_files_of(agent), _FILES, rng):
        path = tmp_path / file.name
        for record in _sample(list(_records(file.read_bytes())), _RECORDS, rng):
            variants = _variants(record, rng)
            for content in ("\n".join(variants), *variants[:_DOCUMENTS]):
                path.write_text(content)
                with suppress(NotRecognised):
                    recognise(str(path))


def _files_of(agent: str) -> list[Path]:
    if agent in _HANDED_OVER:
        return sorted((CASES / agent).glob("*.json"))
    return sorted(path for path in (CASES / agent).glob("*/home/**/*") if path.is_file())


def _records(data: bytes) -> Iterator[Any]:
    for part in dict.fromkeys((data, *data.split(b"\n"))):
        with suppress(ValueError):
            yield json.loads(part)


def _variants(record: Any, rng: random.Random) -> list[str]:
    """The record, as JSON, with one value of another type."""
    changes = [(way, value) for way in places(record) for value in ODD_VALUES]
    return [json.dumps(replaced(record, *change)) for change in _sample(changes, _LINES, rng)]


def _sample(values: list[Any], most: int, rng: random.Random) -> list[Any]:
    return rng.sample(values, min(len(values), most))


def test_rows_of_a_database_are_of_one_agent() -> None:
    """Agents name databases alike; what one agent takes, no other one does."""
    files = sorted(CASES.glob("**/*#rows-*"))
    assert len(files) > 20
    for path in files:
        head = path.read_bytes()
        claims = [name for name in BUILT_IN if get_connector(name).recognise(str(path), head)]
        assert len(claims) == 1, (path, claims)
