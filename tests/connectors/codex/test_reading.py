"""Codex: every kind of record is read, whole or in parts, plain or compressed."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agent_journal.connectors.base import FileIdentity, FoundFile
from agent_journal.connectors.codex import CONNECTOR
from agent_journal.connectors.codex.compressed import DecompressedContent
from agent_journal.connectors.codex.notices import REPEATED, TEMPLATES
from agent_journal.connectors.codex.records import RolloutState
from agent_journal.connectors.codex.rollout import _EVENTS, _ITEMS, _LINES
from agent_journal.connectors.ledger import Ledger
from tests.connectors.codex.rollouts import (
    CASES,
    HERE,
    Json,
    head,
    home,
    in_parts,
    read_case,
    read_lines,
    sid,
    turn,
)
from tests.support.assemble import Assembly, BytesContent, DiskContent
from tests.support.journals import aj


def ledger_of(*records: Json) -> Ledger:
    (ledger,) = read_lines(*records).ledgers.values()
    return ledger


def test_every_kind_of_event_has_one_treatment() -> None:
    assert not REPEATED.keys() & TEMPLATES.keys()
    assert {*_EVENTS, *_ITEMS, *_LINES} >= REPEATED.keys()
    kinds = [kind for kind in _EVENTS if kind != "item_completed"]
    ledger = ledger_of(*({"type": "event_msg", "payload": {"type": kind}} for kind in kinds))
    assert {entry.status for entry in ledger.counts} <= {"mapped", "skipped"}


ODD_FIELDS = {
    "call_id": 7,
    "content": 7,
    "output": 7,
    "info": 7,
    "item": 7,
    "action": [],
    "id": {},
}
PAYLOADS = [("response_item", kind) for kind in _ITEMS] + [("event_msg", kind) for kind in _EVENTS]


@pytest.mark.parametrize(("outer", "kind"), PAYLOADS)
@pytest.mark.parametrize("fields", [{}, ODD_FIELDS])
def test_a_payload_without_its_fields_is_read(outer: str, kind: str, fields: Json) -> None:
    ledger = ledger_of({"type": outer, "payload": {"type": kind, **fields}})
    assert {entry.status for entry in ledger.counts} != {"malformed"}, ledger.troubles


@pytest.mark.parametrize("kind", _LINES)
def test_a_line_without_its_payload_is_read(kind: str) -> None:
    assert not ledger_of({"type": kind}).troubles


def test_unknown_kinds_are_kept() -> None:
    assembly = read_case("damage")
    assert len([event.raw for event in assembly.others if event.raw]) == 7
    (ledger,) = assembly.ledgers.values()
    malformed = [
        count for entry, (count, _) in ledger.counts.items() if entry.status == "malformed"
    ]
    assert sum(malformed) == 4


def test_nul_bytes_are_malformed() -> None:
    ledgers = read_case("turns").ledgers
    (ledger,) = (ledger for name, ledger in ledgers.items() if sid(90) in name)
    assert [(trouble.reason, trouble.offset) for trouble in ledger.troubles] == [
        ("NUL bytes", ledger.total_bytes - 24)
    ]
    assert [
        (entry.reason, size)
        for entry, (_, size) in ledger.counts.items()
        if entry.status == "malformed"
    ] == [("NUL bytes", 24)]


@pytest.mark.parametrize("end", [b"\0" * 24, b"\0\0{}\0\0", b"\0{}\0\n\0", b" \0\n"])
def test_nul_bytes_of_a_line_that_grows_are_one_problem(end: bytes) -> None:
    line = b'{"timestamp":"2026-11-02T09:00:00Z","type":"event_msg"}\n'
    whole = ledger_in_parts(line + end, len(line + end))
    for cut in range(len(line), len(line + end)):
        assert ledger_in_parts(line + end, cut) == whole, cut


def ledger_in_parts(data: bytes, cut: int) -> Any:
    """What two readers account for, the second of which continues at the cut."""
    identity = FileIdentity("sessions/rollout-x.jsonl", "/rollout-x.jsonl", "log", None)
    counts: dict[Any, list[int]] = {}
    troubles = []
    state = None
    for end in (cut, len(data)):
        reader = CONNECTOR.reader(identity, state)
        list(reader.read(BytesContent(data[:end])))
        state = reader.save()
        troubles += reader.ledger.troubles
        for verdict, (count, size) in reader.ledger.counts.items():
            sums = counts.setdefault(verdict, [0, 0])
            sums[0] += count
            sums[1] += size
    return counts, troubles


def test_the_end_of_a_session_is_its_latest_time() -> None:
    assembly = read_lines(head(0, 1), *turn(50, "a", "b"), *turn(10, "c", "d"))
    assert str(assembly.sessions[0].ended_at) == "2026-11-02 09:00:52+00:00"


def test_saved_states_keep_their_field_names() -> None:
    """Journals hold states of earlier versions, in which these fields had other names."""
    names = {field.name: field.encode_name for field in msgspec.structs.fields(RolloutState)}
    assert {name: saved for name, saved in names.items() if name != saved} == {
        "created": "born",
        "first_digest": "first",
        "inheritance": "lineage",
        "last_time": "last",
        "recent_totals": "told",
        "turn_began": "turn",
    }


# -- in parts, and compressed ------------------------------------------------------------------


def content(assembly: Assembly) -> list[Any]:
    pieces = [*assembly.messages.values(), *assembly.calls.values(), *assembly.others]
    return [assembly.sessions, pieces]


@pytest.mark.parametrize("case", CASES)
def test_reading_in_parts_equals_reading_at_once(case: str) -> None:
    for file in CONNECTOR.discover(str(home(case))):
        assert isinstance(file, FoundFile)
        if file.role != "log":
            continue
        data = Path(file.path).read_bytes()
        whole = Assembly()
        whole.read(CONNECTOR, file)
        for cut in (len(data) // 3, len(data) // 2, len(data) - 20):
            assert content(in_parts(file, data, cut)) == content(whole), (file.name, cut)


def test_a_compressed_file_is_read_like_the_plain_one() -> None:
    for file in CONNECTOR.discover(str(home("compressed"))):
        if not isinstance(file, FoundFile) or file.role != "session":
            continue
        compressed = Assembly()
        compressed.read(CONNECTOR, file)
        text = b"".join(DecompressedContent(DiskContent(file.path)).chunks())
        plain_file = file._replace(name=file.name.removesuffix(".zst"), role="log")
        plain = Assembly()
        plain.read(CONNECTOR, plain_file, BytesContent(text))
        assert content(compressed) == content(plain)


def test_a_record_behind_nul_bytes_may_be_read_later(tmp_path: Path) -> None:
    """As when Codex goes on after a crash; a catalog made from the archive reads both at once."""
    shutil.copytree(HERE / "turns/home", tmp_path, dirs_exist_ok=True)
    (log,) = tmp_path.rglob(f"*{sid(90)}.jsonl")
    assert aj(tmp_path, "sync", "--no-index").returncode == 0
    with log.open("ab") as file:
        file.write(b'{"timestamp":"2026-11-02T09:01:00.000Z","type":"event_msg"}\n')
    assert aj(tmp_path, "sync", "--no-index").returncode == 0
    assert aj(tmp_path, "verify").returncode == 0
