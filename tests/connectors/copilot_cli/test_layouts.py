"""Layouts of early versions, sessions of the first releases, and `workspace.yaml`."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from agent_journal.connectors.copilot_cli import CONNECTOR
from agent_journal.connectors.copilot_cli.workspace import read_flat_yaml
from tests.connectors.copilot_cli.cases import case, home, messages, sessions
from tests.support.assemble import read_root


def test_flat_and_nested_layouts() -> None:
    assembly = case("layouts")
    assert [message.text for message in messages(assembly, "flat")] == ["flat only"]
    guess = read_root(CONNECTOR, home("layouts", ".copilot-cli"))
    assert [message.text for message in messages(guess, "seed")] == ["old guess"]
    assert {message.text for message in messages(assembly, "both")} >= {"in the folder"}
    (empty,) = sessions(assembly, "only-yaml")
    assert (empty.title, empty.title_rank, empty.project_path) == (
        "First line and more: text",
        30,
        "C:\\src\\a: b",
    )


def test_legacy_sessions_and_their_import_are_one() -> None:
    assembly = case("layouts")
    assert [(message.kind, message.text) for message in messages(assembly, "old-1")] == [
        ("system_prompt", "You are."),
        ("prompt", "hi"),
        ("answer", ""),
        ("answer", "one file"),
        ("prompt", "go on"),
    ]
    assert assembly.messages["old-1", "legacy:1"].timestamp == datetime(
        2025, 9, 1, 10, 0, 1, tzinfo=UTC
    )
    call = assembly.calls["old-1", "k1"]
    assert (call.name, call.arguments, call.result) == ("bash", '{"command":"ls"}', "a.py")
    by_log, by_document = sessions(assembly, "old-1")
    assert by_log.title == by_document.title == "hi"
    assert by_document.started_at == datetime(2025, 9, 1, 10, 0, tzinfo=UTC)
    assert (by_log.is_hint, by_document.is_hint) == (False, True)
    document = assembly.ledgers["history-session-state/session_old-1.json"]
    assert list(document.counts) == [
        ("skipped", "legacy session", "repeated in the log of the session")
    ]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a: 1\nb:\nc: null\nd: ~\n", {"a": "1"}),
        ("name: 'it''s'\r\ncwd: C:\\a\\b: c\r\n", {"name": "it's", "cwd": "C:\\a\\b: c"}),
        ('name: "a: \\"b\\" \\u00e9"', {"name": 'a: "b" é'}),
        ('name: "folded\n  over lines"\nx: y', {"name": "folded over lines", "x": "y"}),
        (
            "s: |-\n  one\n\n  two: three\n    four\nx: y",
            {"s": "one\n\ntwo: three\n  four", "x": "y"},
        ),
        ("s: >-\n  one\n  two\n\n  three\n", {"s": "one two\nthree"}),
        ("s: plain\n  goes on\n# comment\nnot a pair\n", {"s": "plain goes on"}),
        ("name: Fix #12 and: that\n", {"name": "Fix #12 and: that"}),
        ('\ufeffname: "bad \\q escape"', {"name": "bad \\q escape"}),
        ("url: http://x/y\nhttp://no: thing", {"url": "http://x/y"}),
    ],
)
def test_flat_yaml(text: str, values: dict[str, str]) -> None:
    assert read_flat_yaml(text) == values
