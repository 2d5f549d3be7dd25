"""A secret of every kind, in every place of a session: no way out has it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.journals import aj, claude_line
from tests.support.secret_matrix import plain_cells

SESSION = "5ec2e700-0000-4000-8000-000000000000"
FREE = plain_cells(7, "alone")
NAMED = plain_cells(8, "JSON")
SET = plain_cells(9, "export, quoted")
_PIECE = re.compile("[A-Za-z0-9_-]{8,}")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    log = home / f".claude/projects/-work-app/{SESSION}.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text("".join(json.dumps(line) + "\n" for line in _lines()))
    assert aj(home, "sync", "--no-index").returncode == 0
    return home


def _lines() -> list[dict[str, Any]]:
    title = next(cell for cell in FREE if cell.kind.name == "FIGMA_TOKEN")
    texts = [cell.text for cell in (*FREE, *SET)]
    calls = []
    results = []
    for number, cell in enumerate(NAMED):
        # The arguments are data: the name is apart from the value.
        arguments = {"file_path": f"/x/{FREE[number % len(FREE)].secret}", **json.loads(cell.text)}
        call_id = f"t{number}"
        calls.append({"type": "tool_use", "id": call_id, "name": "Write", "input": arguments})
        results.append({"type": "tool_result", "tool_use_id": call_id, "content": cell.text})
    asked = claude_line("assistant", 2, "", SESSION)
    asked["message"]["content"] = [{"type": "thinking", "thinking": "\n".join(texts)}, *calls]
    answered = claude_line("user", 3, "", SESSION)
    answered["message"]["content"] = results
    return [
        claude_line("user", 0, f"use {title.secret} for this", SESSION),
        claude_line("user", 1, "\n\n".join(texts), SESSION),
        asked,
        answered,
        claude_line("assistant", 4, "\n\n".join(texts), SESSION),
    ]


def _left(written: str) -> list[str]:
    """Return the kinds of which a piece is in what was written, without signs that are escaped."""
    return [
        f"{cell.kind.name} {cell.context} {piece}"
        for cell in (*FREE, *NAMED, *SET)
        for piece in _PIECE.findall(cell.secret)
        if piece in written
    ]


@pytest.mark.parametrize("form", ["html", "md", "json", "jsonl"])
def test_no_export_has_a_secret(home: Path, form: str) -> None:
    done = aj(home, "export", SESSION, "-f", form, "--redact", "-o", f"{home}/{form}/")
    assert done.returncode == 0, done.stderr
    (path,) = (home / form).iterdir()
    assert not _left(path.name + path.read_text())


@pytest.mark.parametrize("target", ["claude-code", "copilot-cli"])
def test_no_conversion_has_a_secret(home: Path, target: str) -> None:
    """To its own format a session is restored value by value, to another it is written again."""
    done = aj(home, "convert", SESSION, "--to", target, "-o", f"{home}/{target}")
    assert done.returncode == 0, done.stderr
    files = [path for path in (home / target).rglob("*") if path.is_file()]
    assert not _left("".join(f"{path} {path.read_text()}" for path in files))
