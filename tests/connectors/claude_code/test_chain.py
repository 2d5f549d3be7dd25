"""Lines that came before are recognised, however many were saved."""

from __future__ import annotations

import pytest

from agent_journal.connectors.claude_code import chain
from agent_journal.connectors.claude_code.chain import Chain
from agent_journal.connectors.claude_code.records import Record
from agent_journal.connectors.claude_code.state import TranscriptState


def added(line_chain: Chain, uuid: str, line: bytes) -> bool:
    return line_chain.add(uuid, Record(type="system", uuid=uuid), line)


def grown(count: int) -> TranscriptState:
    state = TranscriptState()
    first = Chain(state)
    for number in range(count):
        assert added(first, f"u{number}", b"a line")
    return state


@pytest.mark.parametrize("few", [0, 3, 1000])
def test_a_line_is_found_among_those_that_were_saved(
    monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr(chain, "_FEW", few)
    after = Chain(grown(200))
    for number in range(200):
        assert after.has(f"u{number}")
        assert not added(after, f"u{number}", b"a line")
        assert added(after, f"u{number}", b"another")
        assert not added(after, f"u{number}", b"another")
        assert not after.has(f"v{number}")


@pytest.mark.parametrize("few", [0, 1000])
def test_bytes_of_two_entries_are_no_entry(monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    """A mark that begins in one entry and ends in the next was never added."""
    monkeypatch.setattr(chain, "_FEW", few)
    state = grown(3)
    real = bytes(state.seen)
    for at in range(1, 12):
        mark = real[at : at + 8]
        monkeypatch.setattr(chain, "_mark", lambda _, mark=mark: mark)
        assert not Chain(state).has("any")
    monkeypatch.setattr(chain, "_mark", lambda _: real[24:32])
    assert Chain(state).has("any")
