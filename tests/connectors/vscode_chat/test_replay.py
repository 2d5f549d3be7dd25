"""The log of VS Code Chat: replaying it gives what JavaScript would have, at any point and after
any damage.
"""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_journal.connectors.vscode_chat.mutations import apply
from tests.support.vscode import GROWING, Doc, as_bytes, document, lines, read_session

Entry = dict[str, Any]
Path = list[str | int]


# -- one entry at a time -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "entry", "after"),
    [
        ({"a": 1}, {"kind": 0, "v": {"b": 2}}, {"b": 2}),
        ({}, {"kind": 1, "k": ["a"], "v": 1}, {"a": 1}),
        ({"a": 1}, {"kind": 1, "k": ["a"], "v": None}, {"a": None}),
        ({"a": 1, "b": 2}, {"kind": 1, "k": ["a"]}, {"b": 2}),
        ({"b": 2}, {"kind": 1, "k": ["a"]}, {"b": 2}),
        (
            {"a": {"b": [{}]}},
            {"kind": 1, "k": ["a", "b", 0, "c"], "v": 5},
            {"a": {"b": [{"c": 5}]}},
        ),
        ({"a": [1, 2]}, {"kind": 1, "k": ["a", 1], "v": 5}, {"a": [1, 5]}),
        ({"a": [1, 2]}, {"kind": 1, "k": ["a", 2], "v": 5}, {"a": [1, 2, 5]}),
        ({"a": [1]}, {"kind": 1, "k": ["a", 3], "v": 5}, {"a": [1, None, None, 5]}),
        ({"a": [1, 2]}, {"kind": 1, "k": ["a", 0]}, {"a": [None, 2]}),
        ({"a": 1}, {"kind": 1, "k": [], "v": 5}, {"a": 1}),
        ({"a": [1]}, {"kind": 2, "k": ["a"], "v": [2, 3]}, {"a": [1, 2, 3]}),
        ({"a": [1, 2, 3]}, {"kind": 2, "k": ["a"], "v": [9], "i": 1}, {"a": [1, 9]}),
        ({"a": [1, 2, 3]}, {"kind": 2, "k": ["a"], "i": 1}, {"a": [1]}),
        ({"a": [1, 2, 3]}, {"kind": 2, "k": ["a"], "i": 0}, {"a": []}),
        ({"a": [1]}, {"kind": 2, "k": ["a"], "v": [9], "i": 3}, {"a": [1, None, None, 9]}),
        ({"a": [1]}, {"kind": 2, "k": ["a"]}, {"a": [1]}),
        ({}, {"kind": 2, "k": ["a"], "v": [1]}, {"a": [1]}),
        ({"a": None}, {"kind": 2, "k": ["a"], "v": [1]}, {"a": [1]}),
        ({}, {"kind": 2, "k": ["a"], "v": [1], "i": 0}, {"a": [1]}),
        ({"a": [[1]]}, {"kind": 2, "k": ["a", 0], "v": [2]}, {"a": [[1, 2]]}),
        ({"a": 1, "b": 2}, {"kind": 3, "k": ["a"]}, {"b": 2}),
        ({"b": 2}, {"kind": 3, "k": ["a"]}, {"b": 2}),
        ({"a": [1, 2, 3]}, {"kind": 3, "k": ["a", 1]}, {"a": [1, None, 3]}),
        ({"a": {"b": 1}}, {"kind": 3, "k": ["a", "b"]}, {"a": {}}),
    ],
)
def test_what_an_entry_does(before: Doc, entry: Entry, after: Doc) -> None:
    assert apply(copy.deepcopy(before), entry) == after


@pytest.mark.parametrize(
    "entry",
    [
        {"kind": 1, "k": ["missing", "x"], "v": 1},
        {"kind": 1, "k": ["list", 7, "x"], "v": 1},
        {"kind": 1, "k": ["none", "x"], "v": 1},
        {"kind": 1, "k": ["text", "x"], "v": 1},
        {"kind": 1, "k": ["number", "x"], "v": 1},
        {"kind": 2, "k": ["missing", "x"], "v": [1]},
        {"kind": 2, "k": ["object"], "v": [1]},
        {"kind": 2, "k": ["text"], "v": [1]},
        {"kind": 2, "k": ["list"], "v": 5},
        {"kind": 2, "k": ["list"], "v": {"a": 1}},
        {"kind": 2, "k": ["list"], "v": [1], "i": "x"},
        {"kind": 2, "k": ["list"], "v": [1], "i": -1},
        {"kind": 3, "k": ["missing", "x"]},
        {"kind": 4, "k": ["a"], "v": 1},
        {"kind": "1", "k": ["a"], "v": 1},
        {"kind": None, "k": ["a"], "v": 1},
        {"k": ["a"], "v": 1},
        {},
        {"kind": 1, "v": 1},
        {"kind": 1, "k": "a", "v": 1},
        {"kind": 1, "k": {"0": "a"}, "v": 1},
        {"kind": 1, "k": [None], "v": 1},
        {"kind": 1, "k": [["a"]], "v": 1},
        {"kind": 1, "k": [{}], "v": 1},
        {"kind": 1, "k": ["list", -1], "v": 1},
    ],
    ids=json.dumps,
)
def test_an_entry_that_cannot_be_applied_changes_nothing(entry: Entry) -> None:
    state = {"list": [1], "object": {"a": 1}, "none": None, "text": "abc", "number": 5}
    before = copy.deepcopy(state)
    with pytest.raises(ValueError, match=r"\w"):
        apply(state, entry)
    assert state == before


def test_an_initial_state_that_is_no_object_costs_one_entry() -> None:
    odd = [{"kind": 0}, {"kind": 0, "v": 5}, {"kind": 0, "v": []}, {"kind": 0, "v": None}]
    chat = read_session(
        [
            {"kind": 0, "v": document({"message": "x"})},
            *odd,
            {"kind": 1, "k": ["customTitle"], "v": "T"},
        ]
    )
    assert (chat.session.title, [prompt.text for prompt in chat.prompts]) == ("T", ["x"])
    assert sum(chat.counted("malformed").values()) == len(odd)


def test_an_index_beyond_all_measure_costs_one_entry() -> None:
    """Ten to the twelve holes would be eight terabytes."""
    odd = [
        {"kind": 2, "k": ["requests"], "v": [], "i": 10**12},
        {"kind": 1, "k": ["requests", 10**12], "v": {}},
        {"kind": 2, "k": ["requests"], "v": [], "i": 10**30},
    ]
    log = [
        {"kind": 0, "v": document({"message": "x"})},
        *odd,
        {"kind": 1, "k": ["customTitle"], "v": "T"},
    ]
    chat = read_session(log)
    assert chat.session.title == "T"
    assert sum(chat.counted("malformed").values()) == len(odd)


# -- any sequence ------------------------------------------------------------------------------


def model(state: Any, entry: Entry) -> Any:
    """What VS Code does, in the plainest words: JSON values, undefined is absent in objects and
    null in arrays.
    """
    if entry["kind"] == 0:
        return entry["v"]
    *way, last = entry["k"]
    parent = state
    for key in way:
        parent = found(parent, key)
    if not isinstance(parent, (dict, list)):
        raise ValueError("no parent")
    if entry["kind"] == 2:
        target = found(parent, last)
        target = [] if target is None else target
        if not isinstance(target, list):
            raise ValueError("no array")
        kept = target if entry.get("i") is None else [*target, *[None] * entry["i"]][: entry["i"]]
        assign(parent, last, [*kept, *entry.get("v", [])])
    elif entry["kind"] == 1 and "v" in entry:
        assign(parent, last, entry["v"])
    elif isinstance(parent, dict):
        parent.pop(last, None)
    else:
        assign(parent, last, None)
    return state


def found(parent: Any, key: str | int) -> Any:
    if isinstance(parent, list):
        return parent[key] if isinstance(key, int) and key < len(parent) else None
    if isinstance(parent, dict):
        return parent.get(key)
    raise ValueError("no parent")


def assign(parent: Any, key: Any, value: Any) -> None:
    if isinstance(parent, list):
        parent.extend([None] * (key + 1 - len(parent)))
    parent[key] = value


KEYS = st.sampled_from(["a", "b", "requests"])
SCALARS = st.none() | st.integers(1, 9) | st.sampled_from(["x", "ü😀"]) | st.just(True)
VALUES = st.recursive(
    SCALARS,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(KEYS, below, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=3)


@st.composite
def entries(draw: st.DrawFn, state: Any) -> Entry:
    """An entry whose path mostly leads through what is there."""
    if draw(st.integers(0, 19)) == 0:
        return {"kind": 0, "v": draw(OBJECTS)}
    path: Path = []
    here = state
    while True:
        if isinstance(here, list):
            key: str | int = draw(st.integers(0, len(here)))
        else:
            key = draw(KEYS)
        path.append(key)
        is_there = (
            key < len(here) if isinstance(here, list) and isinstance(key, int) else key in here
        )
        here = here[key] if is_there else None
        goes_on = isinstance(here, (dict, list)) or draw(st.integers(0, 9)) == 0
        if not goes_on or not draw(st.booleans()):
            break
        if not isinstance(here, (dict, list)):
            path.append(draw(KEYS))  # there is nothing below: the entry cannot be applied
            break
    kind = draw(st.sampled_from([1, 1, 2, 2, 2, 3]))
    is_beyond = isinstance(key, int) and here is None
    kind = 2 if is_beyond and kind == 3 else kind  # VS Code removes nothing that is not there
    entry: Entry = {"kind": kind, "k": path}
    if kind == 2:
        if draw(st.booleans()):
            entry["v"] = draw(st.lists(VALUES, max_size=3))
        if draw(st.booleans()):
            entry["i"] = draw(st.integers(0, 5))
    elif kind == 1 and (is_beyond or draw(st.integers(0, 4))):
        entry["v"] = draw(VALUES)
    return entry


@st.composite
def histories(draw: st.DrawFn) -> tuple[Doc, list[Entry]]:
    """A first state and the entries that follow, each made for the state it meets."""
    first = draw(OBJECTS)
    state: Any = copy.deepcopy(first)
    log: list[Entry] = []
    for _ in range(draw(st.integers(1, 12))):
        entry = draw(entries(state))
        log.append(entry)
        try:
            state = model(copy.deepcopy(state), copy.deepcopy(entry))
        except ValueError:
            continue
    return first, log


def tried(step: Any, state: Any, entry: Entry) -> tuple[Any, bool]:
    """The state after an entry, and whether it could be applied."""
    try:
        return step(state, copy.deepcopy(entry)), True
    except ValueError:
        return state, False


@settings(max_examples=400, deadline=None)
@given(histories())
def test_any_sequence_of_entries_is_what_javascript_makes_of_it(
    history: tuple[Doc, list[Entry]],
) -> None:
    first, log = history
    ours, theirs = copy.deepcopy(first), copy.deepcopy(first)
    for entry in log:
        ours, applied = tried(apply, ours, entry)
        theirs, was_applied = tried(model, theirs, entry)
        assert (ours, applied) == (theirs, was_applied), entry


@settings(max_examples=60, deadline=None)
@given(histories())
def test_entries_of_any_shape_never_stop_the_reader(history: tuple[Doc, list[Entry]]) -> None:
    first, log = history
    read_session([{"kind": 0, "v": first}, *log])
    read_session([*log])


# -- any point in time -------------------------------------------------------------------------


def requests_of(state: Any) -> list[str]:
    return [request["message"]["text"] for request in state.get("requests", [])]


def test_every_line_of_a_log_is_a_state_of_the_session() -> None:
    state: Doc = {}
    for count, entry in enumerate(json.loads(json.dumps(GROWING)), 1):
        state = apply(state, entry)
        chat = read_session(GROWING[:count])
        assert [prompt.text for prompt in chat.prompts] == requests_of(state)
        whole = read_session(json.loads(json.dumps(state)))
        assert chat.sessions == whole.sessions
        assert [message.text for message in chat.said()] == [
            message.text for message in whole.said()
        ]


def test_a_log_cut_at_any_byte_is_read_up_to_its_last_whole_line() -> None:
    data = as_bytes(GROWING)
    whole = 0  # lines that are complete at the cut
    chat = read_session("")
    for cut in range(len(data)):
        if data[cut : cut + 1] == b"\n":
            whole += 1
            chat = read_session(GROWING[:whole])
            continue
        if cut % 5 == 0:
            part = read_session(data[:cut].decode())
            assert [message.text for message in part.said()] == [
                message.text for message in chat.said()
            ], cut


def test_a_log_without_its_first_lines_is_read_as_far_as_it_goes() -> None:
    for count in range(1, len(GROWING)):
        chat = read_session(GROWING[count:])
        assert {prompt.text for prompt in chat.prompts} <= {f"prompt {n}" for n in range(5)} | {""}


def test_a_log_that_lost_its_initial_state_continues_from_the_document() -> None:
    base = read_session(GROWING)
    chat = read_session(GROWING[1:], siblings={"s.json": GROWING[0]["v"]})
    assert [message.text for message in chat.said()] == [message.text for message in base.said()]
    assert chat.session.title == base.session.title


@pytest.mark.parametrize("beside", [b"", b"{", b"null", b"[]", b'"x"', b'{"requests":5}', b"\xff"])
def test_a_broken_document_beside_a_log_without_initial_state(beside: bytes) -> None:
    chat = read_session(GROWING[2:], siblings={"s.json": beside})
    assert "prompt 1" in [prompt.text for prompt in chat.prompts]


def test_one_bad_line_anywhere_costs_one_line() -> None:
    for bad in ("{", "null", "[]", "5", '"x"', '{"kind":1,"k":["cu', '{"kind":{}}', "\x00\x00"):
        for at in range(1, len(GROWING)):
            text = lines(*GROWING[:at]) + bad + "\n" + lines(*GROWING[at:])
            chat = read_session(text)
            assert [prompt.text for prompt in chat.prompts] == ["prompt 1", "prompt 4"], (bad, at)
            assert chat.session.title == "A title"
