"""Conversions for tests: families from a journal, files from a target, read again."""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agent_journal.convert.parts import Edits
from agent_journal.convert.target import Converted, NewIdentity
from agent_journal.convert.targets import TARGETS, get_target
from agent_journal.export.family import load_family
from agent_journal.journal import Journal
from agent_journal.model import Session
from agent_journal.query.tree import Query

ROOTS = {
    "claude-code": ".claude",
    "codex": ".codex",
    "copilot-cli": ".copilot",
    "gemini": ".gemini",
}


def fresh(seed: str = "0") -> NewIdentity:
    """What is new in a conversion, the same each time."""
    numbers = iter(range(1, 10**9))

    def new_id() -> str:
        made = bytearray(uuid.uuid5(uuid.NAMESPACE_OID, f"{seed} {next(numbers)}").bytes)
        return str(uuid.UUID(bytes=bytes(made), version=4))

    return NewIdentity(
        new_id(), datetime(2026, 11, 15, 18, tzinfo=UTC), new_id, "agent-journal test"
    )


def families(journal: Journal) -> Iterator[list[Session]]:
    """Every session of a journal that is not another's sub-agent, with its sub-agents."""
    rows = journal.rows(Query(include_all=True))
    known = {(row.agent, row.id) for row in rows}
    for row in rows:
        if (row.agent, row.parent_id) not in known:
            yield [member.session for member in load_family(journal.db, journal.archive, row)]


def has_words(family: Sequence[Session]) -> bool:
    """Whether there is anything to go on from."""
    return any(m.kind != "system_prompt" and (m.text or m.tool_calls) for m in family[0].messages)


def convert(name: str, family: Sequence[Session]) -> Converted:
    """A family for a target."""
    return get_target(name).convert(family, fresh(family[0].id))


def install(name: str, converted: Converted, home: Path) -> None:
    """The files in the agent's own folder."""
    for file in converted.files:
        path = home / ROOTS[TARGETS[name].agent or name] / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        if file.is_appended and path.exists():
            path.write_bytes(path.read_bytes() + file.content)
        else:
            path.write_bytes(file.content)


# -- what survives -----------------------------------------------------------------------------


def texts(family: Iterable[Session]) -> Counter[str]:
    return Counter(
        m.text.strip()
        for s in family
        for m in s.messages
        if m.text.strip() and m.kind != "system_prompt"
    )


def reasoning(family: Iterable[Session]) -> Counter[str]:
    return Counter(m.reasoning for s in family for m in s.messages if m.reasoning)


def calls(family: Iterable[Session]) -> Counter[Any]:
    found = (c for s in family for m in s.messages for c in m.tool_calls)
    return Counter((c.name, arguments(c.arguments)) for c in found)


def arguments(text: str | None) -> str:
    try:
        value = json.loads(text or "{}")
    except ValueError:
        value = text
    return json.dumps(value, sort_keys=True)


def results(family: Iterable[Session]) -> Counter[Any]:
    return Counter(c.result for s in family for m in s.messages for c in m.tool_calls if c.result)


def edits(family: Iterable[Session]) -> Counter[Any]:
    made = ((e, Edits(s)) for s in family for e in s.file_edits if e.kind != "backup")
    return Counter((edit.path, changed(of.diff(edit))) for edit, of in made)


def changed(diff: str | None) -> str:
    lines = (diff or "").partition("@@")[2].split("\n")
    return "\n".join(line for line in lines if line[:1] in ("+", "-"))


def usage(family: Iterable[Session]) -> Counter[str]:
    return Counter(
        {
            "tokens": sum(
                (u.input_tokens or 0) + (u.output_tokens or 0) for s in family for u in s.usage
            )
        }
    )


PARTS = {
    "messages": texts,
    "calls": calls,
    "results": results,
    "edits": edits,
    "reasoning": reasoning,
    "usage": usage,
}


def survival(before: Sequence[Session], after: Sequence[Session]) -> dict[str, tuple[int, int]]:
    """Of each part, how many there were and how many came back."""
    shares = {}
    for name, part in PARTS.items():
        old, new = part(before), part(after)
        shares[name] = ((old & new).total(), old.total())
    return shares
