"""Tool calls of turns that a person took back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.journals import aj, aj_json

LOG = ".codex/sessions/2026/03/01/rollout-2026-03-01T10-00-00-33333333-0000-7000-8000-000000000003"


def _line(kind: str, **payload: Any) -> str:
    line = {"timestamp": "2026-03-01T10:00:00.000Z", "type": kind, "payload": payload}
    return json.dumps(line) + "\n"


def _said(role: str, text: str) -> str:
    kind = {"user": "input_text", "assistant": "output_text"}[role]
    content = [{"type": kind, "text": text}]
    return _line("response_item", type="message", role=role, content=content)


def _found(home: Path, *query: str) -> int:
    answer = aj_json(home, "search", "--flat", "--mode", "lexical", *query)
    return sum("zebraoutput" in json.dumps(hit) for hit in answer["items"])


def test_they_are_hidden_with_their_turn_also_when_that_comes_later(tmp_path: Path) -> None:
    path = tmp_path / f"{LOG}.jsonl"
    path.parent.mkdir(parents=True)
    call = {"type": "function_call", "name": "run", "arguments": "{}", "call_id": "c1"}
    path.write_text(
        _line("session_meta", id="33333333-0000-7000-8000-000000000003", cwd="/w")
        + _said("user", "peel the walnut")
        + _said("assistant", "peeled")
        + _said("user", "rename it")
        + _said("assistant", "renaming")
        + _line("response_item", **call)
        + _line("response_item", type="function_call_output", call_id="c1", output="zebraoutput")
    )
    aj(tmp_path, "sync")
    assert _found(tmp_path, "zebraoutput") == 1
    with path.open("a") as log:
        log.write(_line("event_msg", type="thread_rolled_back", num_turns=1))
    aj(tmp_path, "sync")
    assert _found(tmp_path, "zebraoutput") == 0
    assert _found(tmp_path, "zebraoutput is:hidden") == 1
