"""Editing sessions with any text, any damage and any size."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_journal.connectors.ledger import Ledger
from agent_journal.connectors.vscode_chat.buffer import Buffer
from agent_journal.connectors.vscode_chat.changes import Budget
from agent_journal.model.diffs import apply_diff
from agent_journal.model.file_history import file_at
from tests.support.vscode_edits import (
    baseline,
    blobs,
    entry,
    linear,
    name_of,
    operation,
    place,
    read,
    read_bytes,
    stops,
    text_edit,
    timeline,
    troubles,
    uri,
)

# -- any text, any damage ----------------------------------------------------------------------

WORDS = st.sampled_from(
    ["a", "b", "\n", "\r\n", "ü", "\U0001f600", "\u2028", "\x0c", "longer text"]
)


def units(text: str) -> list[str]:
    """The text in UTF-16 units."""
    data = text.encode("utf-16-le")
    return [data[at : at + 2].decode("utf-16-le", "surrogatepass") for at in range(0, len(data), 2)]


def edited(text: str, edits: list[tuple[tuple[int, int, int, int], str]]) -> str:
    """The reference: offsets in UTF-16 units, from the last edit to the first."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(units(line)) + 1)
    whole = units(text)
    for (line, column, end_line, end_column), new in reversed(edits):
        whole[starts[line - 1] + column - 1 : starts[end_line - 1] + end_column - 1] = units(new)
    return "".join(whole).encode("utf-16-le", "surrogatepass").decode("utf-16-le")


def random_edits(draw: random.Random, text: str) -> list[tuple[tuple[int, int, int, int], str]]:
    """Edits in order that do not overlap, at places between characters."""
    places = [
        (number, len(units(line[:at])) + 1)
        for number, line in enumerate(text.split("\n"), 1)
        for at in range(len(line.removesuffix("\r")) + 1)
    ]
    ends = sorted(draw.choice(places) for _ in range(2 * draw.randint(1, 3)))
    words = ["", "x", "y\n", "\U0001f600", "two\nlines", "ü"]
    return [
        ((*start, *end), draw.choice(words))
        for start, end in zip(ends[::2], ends[1::2], strict=True)
    ]


def test_new_files_have_the_line_ends_of_their_system() -> None:
    for path, eol in (("/w/f", "\n"), ("/c:/w/f", "\r\n")):
        made = [
            operation("create", path, "r1", 1, initialContent=""),
            text_edit(path, "r1", 2, ((1, 1, 1, 1), "a\nb\r\n")),
        ]
        (edit,) = read(timeline(made))
        assert apply_diff("", edit.diff or "") == f"a{eol}b{eol}"


@settings(deadline=None)
@given(st.lists(WORDS, max_size=30).map("".join), st.randoms(use_true_random=False), st.booleans())
def test_diffs_lead_from_the_first_text_to_the_last(
    text: str, draw: random.Random, is_windows: bool
) -> None:
    root, eol = ("c:\\w\\", "\r\n") if is_windows else ("/w/", "\n")
    current = {"f": text.replace("\r", ""), "g": "g\n"}
    texts = {root + name: first.replace("\n", eol) for name, first in current.items()}
    operations: list[Any] = []
    baselines: dict[tuple[str, str], Any] = {}
    for number in range(draw.randint(1, 6)):
        request, name = f"r{number // 2}", draw.choice("ffg")
        path = "/" + root.replace("\\", "/").lstrip("/") + name
        baselines.setdefault(
            (name, request), baseline(path, request, 2 * number, current[name].replace("\n", eol))
        )
        edits = random_edits(draw, current[name])
        operations.append(text_edit(path, request, 2 * number + 1, *edits))
        current[name] = edited(current[name], edits)
    found = read(timeline(operations, list(baselines.values())))
    for edit in found:
        assert edit.before in (None, texts[edit.path])
        texts[edit.path] = apply_diff(texts[edit.path], edit.diff or "")
    assert texts == {root + name: last.replace("\n", eol) for name, last in current.items()}
    for path in {edit.path for edit in found}:
        assert file_at(found, path, ["r0", "r1", "r2"], 3) == texts[path]


@given(st.lists(WORDS, max_size=30).map("".join), st.randoms(use_true_random=False))
def test_many_edits_at_once_are_as_a_few(text: str, draw: random.Random) -> None:
    text = text.replace("\r", "")
    edits = [{"range": place(*where), "text": new} for where, new in random_edits(draw, text)]
    few, many = Buffer(text, Budget(0)), Buffer(text, Budget(0))
    few.apply(edits)
    last = place(1, 1, 1, 1)
    many.apply([*edits, *({"range": last, "text": ""} for _ in range(200))])
    assert many.text == few.text


SAMPLES = [
    timeline(
        [
            operation("create", "/w/n", "r1", 2, initialContent="a\n"),
            text_edit("/w/n", "r1", 3, ((1, 1, 1, 2), "B")),
            operation("rename", "/w/n", "r2", 5, oldUri=uri("/w/n"), newUri=uri("/w/m")),
            operation("delete", "/w/m", "r2", 6, finalContent="B\n"),
            operation("notebookEdit", "/w/x", "r2", 7),
        ],
        [baseline("/w/f", "r1", 1, "x\n")],
        6,
        recentSnapshot={"entries": [entry("/w/n", "", "a\n", 2)]},
        initialFileContents=[["file:///w/f", name_of("x\n")]],
    ),
    linear(
        [
            stops("r1", [entry("/w/f", "x\n", "x\n")], [entry("/w/f", "x\n", "y\n", 1)]),
            {"requestId": "r2", "entries": []},
        ],
        1,
        recentSnapshot={
            "entries": [entry("/w/f", "x\n", "x\n", 2), entry("/w/g", "x\n", "y\n", request="r2")]
        },
        pendingSnapshot={"entries": []},
        initialFileContents=[["file:///w/f", name_of("x\n")]],
    ),
]
ODD = st.sampled_from(
    [
        None,
        True,
        False,
        0,
        -1,
        1.5,
        10**30,
        "",
        "x",
        "../x",
        [],
        {},
        [[]],
        [None],
        {"a": 1},
        {"uri": {"uri": {}}},
    ]
)


def refused(ledger: Ledger) -> set[str]:
    """Why the whole file was not read."""
    return {reason for status, _, reason in ledger.counts if status == "malformed"}


def places_in(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    keys = (
        value.keys()
        if isinstance(value, dict)
        else range(len(value))
        if isinstance(value, list)
        else ()
    )
    return [path, *(place for key in keys for place in places_in(value[key], (*path, key)))]


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(SAMPLES),
    st.lists(st.tuples(st.integers(0, 10_000), ODD, st.booleans()), min_size=1, max_size=4),
)
def test_no_wrong_type_anywhere_is_too_much(
    sample: dict[str, Any], changes: list[tuple[int, Any, bool]]
) -> None:
    document: Any = copy.deepcopy(sample)
    for number, odd, is_gone in changes:
        found = [place for place in places_in(document) if place]
        if not found:
            break
        *way, last = found[number % len(found)]
        inner = document
        for key in way:
            inner = inner[key]
        if is_gone:
            del inner[last]
        else:
            inner[last] = copy.deepcopy(odd)
    _, ledger = read_bytes(json.dumps(document).encode(), blobs("x\n", "y\n"))
    assert refused(ledger) <= {"unknown layout"}


@given(
    st.recursive(
        ODD,
        lambda inner: (
            st.lists(inner) | st.dictionaries(st.sampled_from(["timeline", "entries"]), inner)
        ),
    )
)
def test_any_json_is_read_or_refused(value: Any) -> None:
    _, ledger = read_bytes(json.dumps(value).encode())
    assert refused(ledger) <= {"unknown layout", "not a JSON object"}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"[]", "not a JSON object"),
        (b"{}", "unknown layout"),
        (b'{"timeline":[]}', "unknown layout"),
        (b"\xff\xfe", "not JSON"),
    ],
)
def test_what_is_no_editing_session(data: bytes, reason: str) -> None:
    edits, ledger = read_bytes(data)
    assert edits == []
    assert [key[:2] for key in ledger.counts] == [("malformed", "editing-session")]
    assert ledger.troubles[0].reason.startswith(reason)


def test_half_a_surrogate_pair_and_a_mark_of_byte_order() -> None:
    document = json.dumps(
        timeline([operation("create", "/w/f", "r1", 1, initialContent="a\ud83d\n")])
    )
    edits, _ = read_bytes(b"\xef\xbb\xbf" + document.encode())
    assert (edits[0].diff or "").endswith("+a\ufffd\n")


def test_what_cannot_be_read_is_reported_and_costs_its_file_only() -> None:
    broken = text_edit("/w/a", "r1", 2, ((1, 1, 1, 1), "x"))
    broken["edits"][0]["range"]["endColumn"] = "9"
    overlapping = text_edit("/w/b", "r1", 3, ((1, 1, 1, 3), "x"), ((1, 2, 1, 4), "y"))
    unplaced = text_edit("/w/c", "r1", 4, ((1, 1, 1, 1), "x"))
    del unplaced["epoch"]
    later = [text_edit(f"/w/{name}", "r1", 5, ((1, 1, 1, 1), "1")) for name in "abcd"]
    document = timeline(
        [broken, overlapping, unplaced, *later, operation("teleport", "/w/e", "r1", 6), "odd"],
        [baseline(f"/w/{name}", "r1", 1, "text\n") for name in "abcde"],
    )
    found = {edit.path: edit.diff is not None for edit in read(document)}
    assert found == {"/w/a": False, "/w/b": False, "/w/c": False, "/w/d": True, "/w/e": False}
    reasons = [reason for _, reason in troubles(document)]
    assert sorted(reasons) == [
        "an operation has no epoch",
        "an operation names no file",
        "an operation of unknown kind: teleport",
        "edits overlap",
        "the range of an edit is not four numbers",
    ]


# -- size --------------------------------------------------------------------------------------


def test_thousands_of_operations_on_large_files_are_read() -> None:
    text = "".join(f"line {n} of a file that is not small\n" for n in range(20_000))
    operations, baselines = [], []
    for number in range(4000):
        if number % 400 == 0:
            baselines.append(baseline("/w/f", f"r{number // 400}", 2 * number + 1, text))
        line = number * 5 + 1
        operations.append(
            text_edit("/w/f", f"r{number // 400}", 2 * number + 2, ((line, 1, line, 1), "new\n"))
        )
    edits = read(timeline(operations, baselines))
    assert len(edits) == 10
    assert [edit.lines_added for edit in edits] == [400] * 10


def test_a_file_made_to_be_slow_is_not() -> None:
    """One line of millions of characters, changed again and again by ever new requests."""
    text = "x" * 4_000_000
    operations = [
        text_edit("/w/f", f"r{n}", n + 2, ((1, n + 1, 1, n + 2), "y")) for n in range(3000)
    ]
    data = json.dumps(timeline(operations, [baseline("/w/f", "r0", 1, text)])).encode()
    edits, ledger = read_bytes(data)
    assert len(edits) == 3000
    assert any("too much work" in trouble.reason for trouble in ledger.troubles)
