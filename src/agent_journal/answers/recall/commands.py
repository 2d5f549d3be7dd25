"""`how_run`: the commands with which something was run, those that worked first."""

from __future__ import annotations

from typing import NamedTuple, TypedDict

from agent_journal.answers.answer import Answer, iso_time
from agent_journal.answers.recall.arguments import Arguments
from agent_journal.answers.recall.calls import (
    Calls,
    all_of,
    called_with,
    same_command,
    words_of_text,
)
from agent_journal.answers.recall.lines import day, indented, quoted_title
from agent_journal.answers.recall.moment import Moment
from agent_journal.answers.recall.reply import Reply
from agent_journal.errors import UsageError
from agent_journal.query.tree import Field, Node, Or, Value
from agent_journal.store.catalog.call_rows import CallRow
from agent_journal.store.catalog.session_filters import SESSION_ROWS
from agent_journal.text.human import plural

_CANDIDATES = 400  # calls of tools
_MOST_CALLS = 100  # calls of a shell that are looked at
_MOST_WORDS = 8
_LONGEST = 1_000  # letters of a command
_IDLE_WORDS = frozenset(
    (
        *("a", "an", "and", "are", "do", "does", "for", "how", "i", "in", "is", "it", "my"),
        *("of", "on", "run", "start", "the", "this", "to", "we", "with"),
    )
)


class CommandItem(TypedDict):
    """A command, how often it worked, and the newest call that says so."""

    command: str
    ok: int
    failed: int
    unknown: int
    session: str
    message: int
    timestamp: str | None
    project: str | None


class CommandGroup(NamedTuple):
    """All calls of one command, the newest first."""

    command: str
    calls: list[CallRow]
    is_own: bool

    def count(self, success: bool | None) -> int:
        """How many of the calls ended like this."""
        return sum(call.success is success for call in self.calls)

    @property
    def best(self) -> CallRow:
        """The newest call that worked; where none did, the newest."""
        worked = [call for call in self.calls if call.success]
        return (worked or self.calls)[0]

    @property
    def rank(self) -> tuple[bool, bool, float, int]:
        """The smallest comes first: the own project, what worked, how surely, how lately."""
        ok, failed = self.count(True), self.count(False)
        rate = (ok + 1) / (ok + failed + 2)
        return not self.is_own, ok == 0, -rate, -(self.best.timestamp or 0)


def tell_commands(moment: Moment, given: Arguments) -> Reply:
    """Find the commands that were run with some words, and how they ended."""
    limit = given.number("limit")
    calls = Calls(moment)
    groups = _groups(moment, calls, _find(moment, calls, given))
    shown = groups[:limit]
    items = [_item(moment, calls, group) for group in shown]
    answer = Answer(
        "commands", items, total=len(groups), limit=limit, has_more=len(groups) > len(shown)
    )

    def head(count: int) -> str:
        if not items:
            return f"No such command was found. {moment.synced()}"
        return f"{count} of {plural(len(groups), 'command')}. {moment.synced()}"

    def parts() -> list[str]:
        return [_part(moment, calls, group, item) for group, item in zip(shown, items, strict=True)]

    return Reply(answer, parts, head, 'read(session="AGENT:ID", at=N, depth="steps") shows more')


def _find(moment: Moment, calls: Calls, given: Arguments) -> list[CallRow]:
    words = [word for word in words_of_text(given.text("what") or "") if word not in _IDLE_WORDS]
    if not words:
        raise UsageError("what has no words to look for")
    conditions = called_with(words[:_MOST_WORDS])
    ways = [conditions]
    if len(conditions) > 1:
        ways.append([Or(tuple(conditions))])  # where nothing has all of the words
    for nodes in ways:
        rows = _shell_calls(moment, calls, nodes, given.text("project"))
        if rows:
            return rows
    return []


def _shell_calls(
    moment: Moment, calls: Calls, nodes: list[Node], project: str | None
) -> list[CallRow]:
    """The newest calls of a shell; of the own project as many as of all others."""
    places: list[Node | None] = [None]
    if project:
        places = [Field("project", (Value(project),))]
    elif moment.own:
        rows = tuple(Value(str(row_id)) for row_id in sorted(moment.own))
        places = [Field(SESSION_ROWS, rows), None]
    found: dict[int, CallRow] = {}
    for place in places:
        narrow = [place] if place is not None else []
        hits = moment.find(
            all_of([*nodes, *narrow]), "lexical", _CANDIDATES, per_session=False
        ).hits
        shells = [row for row in calls.rows(hit.item_id for hit in hits) if row.kind == "shell"]
        found |= {row.id: row for row in shells[:_MOST_CALLS]}
    return sorted(found.values(), key=lambda row: -(row.timestamp or 0))


def _groups(moment: Moment, calls: Calls, rows: list[CallRow]) -> list[CommandGroup]:
    found: dict[tuple[bool, str], CommandGroup] = {}
    for row in rows:
        command = calls.command(row)
        is_own = row.session_id in moment.own
        key = (is_own, same_command(command))
        if key[1]:
            group = found.setdefault(key, CommandGroup(command, [], is_own))
            group.calls.append(row)
    return sorted(found.values(), key=lambda group: group.rank)


def _item(moment: Moment, calls: Calls, group: CommandGroup) -> CommandItem:
    best = group.best
    row = calls.session(best)
    name, project = "", None
    if row is not None:
        name, project = moment.session_name(row), row.project_path
    return CommandItem(
        command=moment.cleaning.text(calls.command(best))[:_LONGEST],
        ok=group.count(True),
        failed=group.count(False),
        unknown=group.count(None),
        session=name,
        message=best.at,
        timestamp=iso_time(best.timestamp),
        project=project,
    )


def _part(moment: Moment, calls: Calls, group: CommandGroup, item: CommandItem) -> str:
    counts = f"{item['ok']} ok, {item['failed']} failed"
    if item["unknown"]:
        counts += f", {item['unknown']} unknown"
    row = calls.session(group.best)
    where = ""
    if row is not None:
        where = quoted_title(moment, row)
    place = f"{item['session']} at={item['message']}  {day(group.best.timestamp)}  {where}"
    return f"{counts}  {place}\n{indented(item['command'], '  $ ')}"
