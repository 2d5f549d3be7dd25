"""Codex: which files are found, and whose sessions they are."""

from __future__ import annotations

import pytest

from agent_journal.connectors.base import Env, FoundFile
from agent_journal.connectors.codex import CONNECTOR, session_of
from tests.connectors.codex.rollouts import home, sid


def test_roots_follow_the_environment() -> None:
    assert CONNECTOR.roots(Env("/h", {}, "linux")) == ["/h/.codex"]
    assert CONNECTOR.roots(Env("/h", {"CODEX_HOME": "/else"}, "darwin")) == ["/else"]


@pytest.mark.parametrize(
    ("path", "root"),
    [
        ("/h/.codex/sessions/", "/h/.codex"),
        ("/h/.codex/archived_sessions", "/h/.codex"),
        ("/h/.codex", "/h/.codex"),
    ],
)
def test_normalize_root(path: str, root: str) -> None:
    assert CONNECTOR.normalize_root(path) == root


@pytest.mark.parametrize(
    ("name", "session_id"),
    [
        (f"rollout-2026-11-02T09-00-00-{sid(1)}.jsonl", sid(1)),
        (f"rollout-2026-11-02T09-00-00-{sid(1)}.jsonl.zst", sid(1)),
        (f"rollout-{sid(1)}.jsonl", sid(1)),
        ("rollout-2026-01-02T03-04-05-codex-abc.jsonl", "codex-abc"),
        ("rollout-x.jsonl", "x"),
        ("rollout-.jsonl", None),
        ("rollout-2026.json", None),
        ("history.jsonl", None),
        (f"rollout-{sid(1)}.jsonl.zst.tmp", None),
    ],
)
def test_the_session_of_a_file(name: str, session_id: str | None) -> None:
    assert session_of(name) == session_id


def found_in(case: str) -> list[FoundFile]:
    return [file for file in CONNECTOR.discover(str(home(case))) if isinstance(file, FoundFile)]


def test_discover_lists_only_session_files() -> None:
    found = found_in("compressed")
    assert [(file.name.partition("/")[0], file.role, file.session_id) for file in found] == [
        ("sessions", "session", sid(50)),
        ("sessions", "log", sid(51)),
        ("sessions", "session", sid(51)),
        ("archived_sessions", "log", sid(52)),
    ]


def test_discover_lists_the_indexes() -> None:
    names = {file.name for file in found_in("conversation")}
    assert {"history.jsonl", "session_index.jsonl"} <= names
