"""Accounts for every field of a session that has a value: what a target makes of it, and why."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from agent_journal.convert.losses import Fate, Losses
from agent_journal.model import Event, Message, Session, Usage
from agent_journal.text.plain import one_line

TITLE = 200  # characters
# The lists whose entries are accounted for one by one, under the name of the list in the model
_LISTS = {
    "session": ("messages", "events", "file_edits", "plans", "todos", "usage", "documents"),
    "messages": ("tool_calls", "attachments"),
    "tool_calls": ("attachments",),
}
# For targets that treat all fields of these alike
EVENT_FIELDS = tuple(field.name for field in msgspec.structs.fields(Event))
USAGE_FIELDS = tuple(field.name for field in msgspec.structs.fields(Usage))


class Verdict(NamedTuple):
    """What becomes of a field, and why it is not the same any more.

    is_kept: it goes into the metadata of a chat, which VS Code keeps and does not show.
    """

    fate: Fate
    why: str = ""
    is_kept: bool = False


MAPPED = Verdict("mapped")
Rule = Verdict | Callable[[Any], Verdict]  # a function is asked about each part with the field
Rules = Mapping[str, Mapping[str, Rule]]  # by the name of the list in the model, and by field


def adapted(why: str) -> Verdict:
    """The verdict on a field that is written in another form."""
    return Verdict("adapted", why)


def dropped(why: str) -> Verdict:
    """The verdict on a field that is lost."""
    return Verdict("dropped", why)


def mapped_if(is_same: bool, otherwise: Verdict) -> Verdict:
    """The verdict on a field that is written unchanged under a condition."""
    if is_same:
        return MAPPED
    return otherwise


def title(session: Session) -> Verdict:
    """The verdict on a title, which every agent has on one line."""
    is_short_line = one_line(session.title, TITLE) == session.title
    return mapped_if(is_short_line, adapted("on one line, and cut where it is long"))


class Written:
    """The parts of a session that have a place in the new files.

    By identity: two parts with the same values are two parts, and only one may have a place.
    """

    def __init__(self, parts: Iterable[object] = ()) -> None:
        self._parts: dict[int, object] = {}
        self.update(parts)

    def add(self, part: object) -> None:
        """Adds a part."""
        self._parts[id(part)] = part  # the reference keeps the id from being used again

    def update(self, parts: Iterable[object]) -> None:
        """Adds several parts."""
        for part in parts:
            self.add(part)

    def __contains__(self, part: object) -> bool:
        return id(part) in self._parts

    def __iter__(self) -> Iterator[object]:
        return iter(self._parts.values())


def where_written(written: Written, rule: Rule, otherwise: Rule) -> Rule:
    """A rule for the parts that have a place in the new files, and another for the rest."""

    def verdict(part: Any) -> Verdict:
        return verdict_of(rule if part in written else otherwise, part)

    return verdict


def all_where_written(
    written: Written, rules: Mapping[str, Rule], otherwise: Rule
) -> dict[str, Rule]:
    """Rules for the parts that have a place in the new files, and one rule for the rest."""
    return {name: where_written(written, rule, otherwise) for name, rule in rules.items()}


def verdict_of(rule: Rule, part: Any) -> Verdict:
    """What a rule says about a part."""
    if isinstance(rule, Verdict):
        return rule
    return rule(part)


class Account:
    """Counts what becomes of every field that has a value."""

    def __init__(self) -> None:
        self.losses = Losses()

    def add(
        self,
        group: str,
        part: msgspec.Struct,
        rules: Mapping[str, Rule],
        exceptions: Mapping[str, Verdict] | None = None,
        without: Collection[str] = (),
    ) -> dict[str, Any]:
        """Adds a part of the model to the report; the fields for the metadata are returned.

        exceptions: verdicts on this part that differ from the rules. without: fields that are
        accounted for elsewhere.
        """
        kept: dict[str, Any] = {}
        for name in fields_with_value(part):
            if name in without:
                continue
            value = getattr(part, name)
            verdict = exceptions.get(name) if exceptions else None
            if verdict is None:
                verdict = verdict_of(rules[name], part)
            self.losses.add(f"{group}.{name}", verdict.fate, verdict.why, _count(value))
            if verdict.is_kept:
                kept[name] = value.isoformat() if isinstance(value, datetime) else value
        return kept

    def add_with_parts(self, group: str, part: msgspec.Struct, rules: Rules) -> None:
        """Adds a part of the model and the parts in its lists."""
        lists = _LISTS.get(group, ())
        self.add(group, part, rules[group], without=lists)
        for name in lists:
            for inner in getattr(part, name):
                self.add_with_parts(name, inner, rules)


def account(
    family: Sequence[Session], rules: Rules, left_out: Callable[[Message], str | None]
) -> Losses:
    """The report on a family; `left_out` says why a whole message is lost, None when it is not."""
    report = Account()
    for session in family:
        report.add("session", session, rules["session"], without=_LISTS["session"])
        for message in session.messages:
            why = left_out(message)
            report.add_with_parts("messages", message, rules if why is None else _all_lost(why))
        for name in _LISTS["session"]:
            if name != "messages":
                for part in getattr(session, name):
                    report.add_with_parts(name, part, rules)
    return report.losses


def everything(verdict: Verdict) -> Rules:
    """Rules with one verdict on every field."""
    return defaultdict(lambda: defaultdict(lambda: verdict))


def _all_lost(why: str) -> Rules:
    return everything(dropped(why))


def _count(value: object) -> int:
    """How often a field counts: a list of parts as often as it has parts."""
    if isinstance(value, tuple) and value and not isinstance(value[0], str):
        return len(value)
    return 1


def fields_with_value(part: msgspec.Struct) -> Iterator[str]:
    """The fields of a part of the model that have a value: an empty text is one, no text is not."""
    for field in _fields(type(part)):
        value = getattr(part, field.name)
        if field.required or (value != field.default and value not in ((), {})):
            yield field.name


@functools.cache
def _fields(type_: type[msgspec.Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    return msgspec.structs.fields(type_)  # which evaluates the annotations each time
