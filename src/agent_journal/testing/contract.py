"""The contract of connectors: foreign data never raises, and every byte is accounted for."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from agent_journal.connectors import jsonl
from agent_journal.connectors.base import GROWING, Connector, FoundFile, Pause
from agent_journal.connectors.limits import within_limits
from agent_journal.model import HistoryEntry, Message, Session, ToolCall, Withdrawal
from agent_journal.store.quotes import text_at
from agent_journal.testing.contents import BytesContent, identity_of, merge_message, withdraw
from agent_journal.testing.damage import ODD_CONTENTS, ODD_VALUES, cuts, damaged, places, replaced
from agent_journal.testing.expected import described

WRITE = "AJ_WRITE_EXPECTED"  # set to anything: expected.json is written instead of compared
_UNREAD = ("kept", "rows")
_PLACES_PER_RECORD = 12


class ContractBroken(AssertionError):
    """A connector breaks the contract; the message names the file and the place."""


class Case(NamedTuple):
    """A case: `<name>/home` is a home folder, `<name>/expected.json` what is read from it."""

    name: str
    folder: Path
    root: Path


class Contract:
    """The contract of one connector, on the cases in a folder: `<case>/home/<root>/…`."""

    def __init__(
        self,
        connector: Connector,
        cases: str | os.PathLike[str],
        root: str = "",
        files: Iterable[FoundFile] | None = None,
    ) -> None:
        self.connector = connector
        homes = sorted(Path(cases).glob("*/home"))
        self.cases = [Case(home.parent.name, home.parent, home / root) for home in homes]
        self._files = None if files is None else list(files)

    def checks(self) -> list[Callable[[], None]]:
        """Return each rule as a function, for a test framework to call separately."""
        return [
            self.bytes_are_accounted_for,
            self.files_may_be_cut_anywhere,
            self.files_may_be_damaged,
            self.files_may_hold_anything,
            self.values_may_be_anything,
            self.parts_make_up_the_whole,
            self.cases_are_as_expected,
        ]

    def check(self) -> None:
        """Run all checks."""
        for check in self.checks():
            check()

    def files(self) -> list[FoundFile]:
        """Return the files of all cases, small ones first."""
        found = self._files
        if found is None:
            listed = [
                file for case in self.cases for file in self.connector.discover(str(case.root))
            ]
            found = [file for file in listed if isinstance(file, FoundFile)]
        _require(bool(found), f"there are no cases with files of {self.connector.name}")
        return sorted(found, key=lambda file: file.size)

    # -- the rules -----------------------------------------------------------------------------

    def bytes_are_accounted_for(self) -> None:
        """Read each file in chunks of several sizes: nothing raises, the ledger has every byte."""
        for file, data in self._read_files():
            whole = self.read(file, data)
            for size in (1, 7, 100):
                _require(
                    self.read(file, data, size) == whole,
                    f"{file.name}: other pieces in chunks of {size} bytes",
                )

    def files_may_be_cut_anywhere(self) -> None:
        """Read truncated files: short ones cut after every byte, longer ones at sampled places.

        `damage.cuts` selects the places; with AJ_ALL_CUTS set, every file is cut after every byte.
        """
        for file, data in self._read_files():
            whole = len(self.read(file, data))
            for cut in cuts(data):
                # One more: a cut that leaves half an object may turn one record into a problem,
                # never into more.
                is_less = len(self.read(file, data[:cut])) <= whole + 1
                _require(
                    is_less, f"{file.name}: more is read of its first {cut} bytes than of the whole"
                )

    def files_may_be_damaged(self, times: int = 2000, seed: int = 20261115) -> None:
        """Read randomly corrupted files, two thousand by default."""
        files = [(file, data) for file, data in self._read_files() if data]
        rng = random.Random(seed)
        for _ in range(times if files else 0):
            file, data = rng.choice(files)
            self.read(file, damaged(data, rng), rng.choice((7, 100, 1 << 16)))

    def files_may_hold_anything(self) -> None:
        """Read unrelated content under the name of every file."""
        for file in self.files():
            for data in ODD_CONTENTS:
                self.read(file, data)
                self.read(file, data + b"\n" + data + b"\n")

    def values_may_be_anything(self) -> None:
        """Replace the values of each record by values of other types."""
        rng = random.Random(7)
        for file, data in self._read_files():
            if file.role not in GROWING:
                continue
            for record in _records(data):
                ways = list(places(record))
                for way in rng.sample(ways, min(len(ways), _PLACES_PER_RECORD)):
                    for value in ODD_VALUES:
                        self.read(file, json.dumps(replaced(record, way, value)).encode() + b"\n")

    def parts_make_up_the_whole(self) -> None:
        """Read a log in two parts, split after any line: the result is the same as in one."""
        for file, data in self._read_files():
            if file.role != "log":
                continue
            whole = self.connector.reader(identity_of(file), None)
            pieces = _joined(whole.read(BytesContent(data)))
            sessions = _by_id(whole.sessions())
            for cut in [at + 1 for at, byte in enumerate(data) if byte == 10]:
                first = self.connector.reader(identity_of(file), None)
                parts = list(first.read(BytesContent(data[:cut])))
                first_sessions = _by_id(first.sessions())
                second = self.connector.reader(identity_of(file), first.save())
                parts += second.read(BytesContent(data))
                where = f"{file.name}, read in parts at byte {cut}"
                _require(_joined(parts) == pieces, f"{where}: other pieces than at once")
                _require(
                    first_sessions | _by_id(second.sessions()) == sessions,
                    f"{where}: other sessions than at once",
                )
                total = first.ledger.total_bytes + second.ledger.total_bytes
                _require(total == whole.ledger.total_bytes, f"{where}: {total} bytes accounted for")

    def cases_are_as_expected(self) -> None:
        """Compare each case with its expected.json, which AJ_WRITE_EXPECTED writes."""
        for case in self.cases:
            path = case.folder / "expected.json"
            description = described(self.connector, case.root)
            found = json.dumps(description, ensure_ascii=False, indent=1) + "\n"
            if os.environ.get(WRITE):
                path.write_text(found, encoding="utf-8")
            else:
                _require(path.exists(), f"{case.name}: no expected.json; {WRITE}=1 writes it")
                _require_equal(
                    json.loads(found), json.loads(path.read_text(encoding="utf-8")), f"{case.name}:"
                )

    # -- reading -------------------------------------------------------------------------------

    def read(self, file: FoundFile, data: bytes, chunk_size: int = 1 << 16) -> list[object]:
        """Read bytes under a file's name; ContractBroken when a byte is unaccounted for."""
        with _short_quotes():
            reader = self.connector.reader(identity_of(file), None)
            pieces = list(reader.read(BytesContent(data, chunk_size)))
            for piece in pieces:
                _check_quote(piece, data)
            _check_values(file.name, [*pieces, *reader.sessions()])
            reader.save()
        pending = len(data) - reader.offset
        accounted = reader.ledger.total_bytes
        _require(
            accounted + pending == len(data),
            f"{file.name}: {accounted} of {len(data)} bytes are accounted for",
        )
        _require(
            pending == 0 or file.role in GROWING, f"{file.name}: {pending} bytes were not read"
        )
        return _joined(pieces)

    def _read_files(self) -> Iterator[tuple[FoundFile, bytes]]:
        for file in self.files():
            if file.role not in _UNREAD:
                yield file, Path(file.path).read_bytes()


@contextmanager
def _short_quotes() -> Iterator[None]:
    """Quote results of any length: those of the cases are short."""
    before = jsonl.QUOTED_FROM
    jsonl.QUOTED_FROM = 1
    try:
        yield
    finally:
        jsonl.QUOTED_FROM = before


def _check_values(name: str, pieces: Iterable[Any]) -> None:
    """A sync refuses a file with a piece that has a value of another type."""
    for piece in pieces:
        if not isinstance(piece, Pause):
            try:
                within_limits(piece)
            except (TypeError, ValueError) as error:
                raise ContractBroken(f"{name}: {type(piece).__name__}: {error}") from error


def _check_quote(piece: object, data: bytes) -> None:
    quote = piece.result_at if isinstance(piece, ToolCall) else None
    if quote is not None and isinstance(piece, ToolCall):
        text = text_at(data[quote.offset : quote.offset + quote.length], quote.path)
        _require(
            text == piece.result,
            f"the result of call {piece.id} does not stand where its quote says",
        )


def _joined(read: Iterable[Any]) -> list[Any]:
    """Return pieces as the journal stores them: messages merged, repeated prompts replaced."""
    messages: dict[tuple[str, str], Message] = {}
    prompts: dict[int, HistoryEntry] = {}
    others: list[Any] = []
    for piece in read:
        if isinstance(piece, Message):
            merge_message(messages, piece, lambda call, _: others.append(call))
        elif isinstance(piece, Withdrawal):
            withdraw(piece, messages, others)
        elif isinstance(piece, HistoryEntry):
            prompts[piece.position] = piece
        elif not isinstance(piece, Pause):
            others.append(piece)
    return [*messages.values(), *prompts.values(), *others]


def _by_id(sessions: Iterable[Session]) -> dict[str, Session]:
    """Return the last record of each session, by id."""
    return {session.id: session for session in sessions}


def _records(data: bytes) -> Iterator[dict[str, Any]]:
    for line in data.split(b"\n"):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            yield record


def _require(is_kept: bool, what: str) -> None:
    if not is_kept:
        raise ContractBroken(what)


def _require_equal(found: Any, expected: Any, where: str) -> None:
    """Name the first place where two JSON values differ."""
    if isinstance(found, dict) and isinstance(expected, dict):
        for key in (*expected, *(key for key in found if key not in expected)):
            _require(key in found, f"{where} {key} is missing")
            _require(key in expected, f"{where} {key} is not expected: {found.get(key)!r:.300}")
            _require_equal(found[key], expected[key], f"{where} {key}:")
    elif isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        for number, (one, other) in enumerate(zip(found, expected, strict=True)):
            _require_equal(one, other, f"{where} {number}:")
    else:
        _require(found == expected, f"{where} {found!r:.300} where {expected!r:.300} is expected")
