"""Every field of a session that has a value, with what a target makes of it: nothing is left behind
unsaid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from agent_journal.convert.losses import Fate, Losses
from agent_journal.model import Event, Message, Session, Usage
from agent_journal.text.plain import one_line

TITLE = 200  # characters
# The lists whose entries are accounted for one by one, each under the name that the list has in the
# model.
_LISTS = ("messages", "events", "file_edits", "plans", "todos", "usage", "documents")
_INNER = {"messages": ("tool_calls", "attachments"), "tool_calls": ("attachments",)}


# What is decided for all of it at once.
EVENT_FIELDS = tuple(field.name for field in msgspec.structs.fields(Event))
USAGE_FIELDS = tuple(field.name for field in msgspec.structs.fields(Usage))


class Verdict(NamedTuple):
    """What becomes of a field, and why it is not the same any more.

    `is_kept`: it goes into the metadata of a chat, which VS Code keeps and does not show.
    """

    fate: Fate
    why: str = ""
    is_kept: bool = False


MAPPED = Verdict("mapped")
Rule = Verdict | Callable[[Any], Verdict]  # a function is asked for each struct that has the field


def adapted(why: str) -> Verdict:
    """The verdict on what is told in another form."""
    return Verdict("adapted", why)


def dropped(why: str) -> Verdict:
    """The verdict on what stays behind."""
    return Verdict("dropped", why)


def title(session: Session) -> Verdict:
    """The verdict on a title, which every agent has on one line."""
    return (
        MAPPED
        if one_line(session.title, TITLE) == session.title
        else adapted("on one line, and cut where it is long")
    )


def where_written(written: set[int], rule: Rule, otherwise: Rule) -> Rule:
    """A rule for what has a place in the new files (`written`, by identity), and another for the
    rest.
    """

    def chosen(item: Any) -> Verdict:
        rule_for = rule if id(item) in written else otherwise
        return rule_for if isinstance(rule_for, Verdict) else rule_for(item)

    return chosen


def account(
    family: Sequence[Session], rules: Mapping[str, Rule], left_out: Callable[[Message], str | None]
) -> Losses:
    """The report on a family; `left_out` tells why a whole message stays behind, None when it does
    not.
    """
    losses = Losses()
    for session in family:
        _count("session", [session], rules, losses)
        for name in _LISTS:
            entries = getattr(session, name)
            if name != "messages":
                _count(name, entries, rules, losses)
                continue
            for message in entries:
                why = left_out(message)
                _count(name, [message], rules, losses, None if why is None else dropped(why))
    return losses


def _count(
    group: str,
    items: Iterable[msgspec.Struct],
    rules: Mapping[str, Rule],
    losses: Losses,
    all_of_it: Verdict | None = None,
) -> None:
    for item in items:
        for name in fields_with_value(item):
            if name in _LISTS and group == "session":
                continue
            if name in _INNER.get(group, ()):
                _count(name, getattr(item, name), rules, losses, all_of_it)
                continue
            field = f"{group}.{name}"
            rule = all_of_it or rules[field]
            verdict = rule if isinstance(rule, Verdict) else rule(item)
            losses.add(field, verdict.fate, verdict.why)


def fields_with_value(item: msgspec.Struct) -> Iterator[str]:
    """The fields of a struct that say something."""
    for field in msgspec.structs.fields(item):
        value = getattr(item, field.name)
        if field.required or (value != field.default and value not in ((), {})):
            yield field.name
