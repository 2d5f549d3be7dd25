"""A number out of range, in a field that nobody reads, costs nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_journal.connectors.json_repair import decode_document
from agent_journal.connectors.loose import decode_any
from tests.support.arrivals import sync
from tests.support.journals import open_journal

NUMBERS = ["1e99999", "-1e99999", "7" * 6000, "-" + "7" * 6000, "NaN", "-Infinity"]
VSCODE = ".config/Code/User/workspaceStorage/w1/chatSessions"
CHAT = '{"version":3,"sessionId":"s","odd":%s,"requests":[{"requestId":"r1","message":"one"}]}'
GEMINI = (
    '{"sessionId":"s","odd":%s,"startTime":"2026-01-05T10:00:00Z","messages":'
    '[{"id":"u1","type":"user","content":"one"}]}'
)
CODEX = (
    '{"timestamp":"2026-01-05T10:00:00Z","type":"session_meta","payload":{"id":"s","cwd":"/x"}}\n'
    '{"timestamp":"2026-01-05T10:00:01Z","type":"response_item","payload":{"type":"message",'
    '"role":"user","odd":%s,"content":[{"type":"input_text","text":"one"}]}}\n'
)
FILES = {
    f"{VSCODE}/s.json": CHAT,
    f"{VSCODE}/s.jsonl": '{"kind":0,"v":' + CHAT + "}\n",
    ".gemini/tmp/p/chats/session-2026-01-05T10-00-s.json": GEMINI,
    ".gemini/tmp/p/chats/session-2026-01-05T10-00-s.jsonl": GEMINI + "\n",
    ".codex/sessions/2026/01/05/rollout-2026-01-05T10-00-00-s.jsonl": CODEX,
}


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number[:9])
def test_a_number_out_of_range_is_nothing(number: str) -> None:
    data = f'{{"a": {number}, "b": [1, 2.5, {number}]}}'.encode()
    assert decode_document(data) == {"a": None, "b": [1, 2.5, None]}
    assert decode_any(data) == {"a": None, "b": [1, 2.5, None]}


@pytest.mark.parametrize("number", ["1e99999", "7" * 6000], ids=["large", "long"])
@pytest.mark.parametrize("name", FILES)
def test_a_number_out_of_range_costs_no_session(tmp_path: Path, name: str, number: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_text(FILES[name] % number)
    sync(tmp_path)
    with open_journal(tmp_path) as journal:
        [found] = journal.sessions()
        session = journal.session(found.id)
    assert [message.text for message in session.messages] == ["one"]
