"""Sessions to convert: every committed home of every agent, and one in which every field of the
model is set.
"""

from __future__ import annotations

import itertools
import types
import typing
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from agent_journal.convert.target import NewIdentity
from agent_journal.export.family import load_family
from agent_journal.model import Message, Session, ToolCall
from agent_journal.query.tree import Query
from tests.support.journals import aj, open_journal
from tests.support.paths import ROOT

HOMES = sorted((ROOT / "tests/connectors").glob("*/*/home"))
NOW = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)


def fresh(number: int = 1) -> NewIdentity:
    count = itertools.count(number * 1_000_000)
    return NewIdentity(
        str(uuid.UUID(int=number)),
        NOW,
        lambda: str(uuid.UUID(int=next(count))),
        "agent-journal test",
    )


def families(home: Path) -> list[list[Session]]:
    """All sessions of a home, each with its sub-agents, by the real pipeline."""
    done = aj(home, "sync", "--no-index", env={"AJ_AIDER_PATH": str(home)})
    assert done.returncode == 0, done.stderr
    with open_journal(home) as journal:
        if not journal.exists:
            return []
        return [
            [
                member.session
                for member in load_family(journal.db, journal.archive, row, with_spills=False)
            ]
            for row in journal.rows(Query())
        ]


def talk(*messages: Message, **fields: Any) -> Session:
    """A little session."""
    return Session(agent="claude-code", id="s", messages=messages, **fields)


def said(role: Any, kind: Any, text: str = "", number: int = 0, **fields: Any) -> Message:
    return Message(session_id="s", id=f"{kind}-{number}", role=role, kind=kind, text=text, **fields)


def called(name: str, call_id: str = "call_1", **fields: Any) -> ToolCall:
    return ToolCall(session_id="s", id=call_id, name=name, **fields)


def filled(type_: type[msgspec.Struct], **given: Any) -> Any:
    """A part of the model with a value in every field, whatever fields it has."""
    hints = typing.get_type_hints(type_)
    return type_(**{name: given.get(name, _value(name, hint)) for name, hint in hints.items()})


def _value(name: str, hint: Any) -> Any:
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return _value(name, next(one for one in inner if one is not type(None)))
    if origin is typing.Literal:
        return inner[-1]
    if origin is tuple:
        return (_value(name, inner[0]),)
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return hint(1, 2, ("a",)) if hint.__name__ == "Quote" else filled(hint)
    simple = {str: f"some {name}", int: 7, float: 1.5, bool: True, datetime: NOW}
    return simple.get(hint, f"some {name}" if hint is Any else None) or hint()


def everything() -> Sequence[Session]:
    """A session with a sub-agent in which every field of every class is set."""
    call = filled(ToolCall, id="c1", child_session_id="child", kind="agent", result="a result")
    prompt = filled(Message, id="m1", role="user", kind="prompt", tool_calls=(), is_branch=False)
    answer = filled(Message, id="m2", role="assistant", kind="answer", tool_calls=(call,))
    session = filled(Session, agent="claude-code", id="s", messages=(prompt, answer))
    child = replace(
        session,
        id="child",
        parent_id="s",
        parent_call_id="c1",
        messages=(replace(prompt, id="m3"),),
    )
    return session, child
