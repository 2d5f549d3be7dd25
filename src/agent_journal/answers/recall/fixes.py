"""`find_fix`: failed calls with an error, and what was done before the same call worked.

An answer rests on tool calls and their success alone: on nothing that somebody said about them.
"""

from __future__ import annotations

from typing import NamedTuple, TypedDict

from agent_journal.answers.answer import Answer, iso_time
from agent_journal.answers.recall.arguments import Arguments
from agent_journal.answers.recall.calls import Calls, is_alike, same_command, words_of_text
from agent_journal.answers.recall.lines import day, first_line, indented, quoted_title
from agent_journal.answers.recall.moment import Moment
from agent_journal.answers.recall.reply import Reply
from agent_journal.answers.searching import narrowed
from agent_journal.errors import UsageError
from agent_journal.query.tree import And, Field, Node, Parsed, Value, Word
from agent_journal.store.catalog.call_rows import CallRow, calls_from
from agent_journal.text.human import plural
from agent_journal.text.plain import one_line

_CANDIDATES = 60  # failed calls that are looked at
_MOST_WORDS = 40
_ENOUGH = 0.6  # of the words of the error
_LATER = 150  # calls after a failure that are looked at
_AFTERWARDS = 40  # calls after one that worked: does it fail again?
_LEAST_FIXES = 10  # that are compared
_MOST_STEPS = 12
_LONGEST = 300  # letters of a command or an error
_LONGEST_NAME = 60  # letters of a tool
_CHANGING = ("shell", "edit", "mcp", "other")  # kinds of calls that may change something


class FixStep(TypedDict):
    """A call between the failure and the call that worked."""

    tool: str
    what: str
    message: int
    success: bool | None


class FixItem(TypedDict):
    """A call that failed, and what was done before it worked."""

    session: str
    project: str | None
    tool: str
    command: str
    error: str
    timestamp: str | None
    failed_at: int
    worked_at: int | None
    worked_with: str | None
    failed_again_at: int | None
    steps: list[FixStep]


class Fix(NamedTuple):
    """The last failure of a call, and the first time that it or a like one worked afterwards."""

    failed: CallRow
    worked: CallRow | None
    failed_again: CallRow | None
    between: list[CallRow]
    share: float  # of the words of the error that the failure has
    is_own: bool

    @property
    def rank(self) -> tuple[bool, bool, bool, float, int]:
        """The smallest comes first: what worked and went on working, the own project, the words."""
        return (
            self.worked is None,
            self.failed_again is not None,
            not self.is_own,
            -round(self.share, 1),
            -(self.failed.timestamp or 0),
        )


def tell_fixes(moment: Moment, given: Arguments) -> Reply:
    """Find what made an error go away."""
    limit = given.number("limit")
    error = given.text("error") or ""
    words = words_of_text(error)[:_MOST_WORDS]
    if not words:
        raise UsageError("error has no words to look for")
    calls = Calls(moment)
    most = max(_LEAST_FIXES, limit)
    fixes = _fixes(moment, calls, words, given.text("project"), most)
    shown = fixes[:limit]
    items = [_item(moment, calls, fix, words) for fix in shown]
    answer = Answer("fixes", items, total=len(fixes), limit=limit, has_more=len(fixes) > len(shown))

    def head(count: int) -> str:
        if not items:
            return f"No failed call with these words was found. {moment.synced()}"
        return f"{count} of {plural(len(fixes), 'failure')} with this error. {moment.synced()}"

    def parts() -> list[str]:
        return [_part(moment, calls, fix, item) for fix, item in zip(shown, items, strict=True)]

    return Reply(answer, parts, head, 'read(session="AGENT:ID", at=N, depth="steps") shows more')


def _fixes(
    moment: Moment, calls: Calls, words: list[str], project: str | None, most: int
) -> list[Fix]:
    found: dict[tuple[int, str], Fix] = {}
    for row in _failures(moment, calls, words, project):
        share = _share(calls.result(row), words)
        if share < _ENOUGH:
            continue
        key = (row.session_id, same_command(calls.command(row)))
        if key not in found:
            found[key] = _follow(moment, calls, row, share)
        if len(found) >= most:
            break
    return sorted(found.values(), key=lambda fix: fix.rank)


def _failures(moment: Moment, calls: Calls, words: list[str], project: str | None) -> list[CallRow]:
    """Failed calls that have words of the error, the best first."""
    terms: tuple[Node, ...] = tuple(Word(word) for word in words)
    narrow: list[Node] = [Field("is", (Value("failed"),))]
    if project:
        narrow.append(Field("project", (Value(project),)))
    tree = terms[0] if len(terms) == 1 else And(terms)
    parsed = narrowed(Parsed(tree, "relevance"), narrow)
    found = moment.find(parsed, "lexical", _CANDIDATES, per_session=False)
    return calls.rows(hit.item_id for hit in found.hits)


def _share(result: str, words: list[str]) -> float:
    """How many of the words a result has, from 0 to 1."""
    known = set(words_of_text(result))
    return sum(word in known for word in words) / len(words)


def _follow(moment: Moment, calls: Calls, row: CallRow, share: float) -> Fix:
    """What became of a call that failed."""
    key = same_command(calls.command(row))
    failed = row
    worked: CallRow | None = None
    failed_again: CallRow | None = None
    between: list[CallRow] = []
    left = _AFTERWARDS
    for later in calls_from(moment.journal.db, row.session_id, row.seq, _LATER):
        if later.id == row.id:
            continue
        is_same = later.name == row.name and is_alike(same_command(calls.command(later)), key)
        if worked is not None:
            left -= 1
            if is_same and later.success is False:
                failed_again = later
            if failed_again is not None or not left:
                break
        elif not is_same:
            between.append(later)
        elif later.success:
            worked = later
        elif later.success is False:
            failed, between = later, []
    is_own = row.session_id in moment.own
    return Fix(failed, worked, failed_again, between, share, is_own)


def _item(moment: Moment, calls: Calls, fix: Fix, words: list[str]) -> FixItem:
    session = calls.session(fix.failed)
    name, project = "", None
    if session is not None:
        name, project = moment.session_name(session), session.project_path
    command = calls.command(fix.failed)
    worked_at = worked_with = failed_again_at = None
    if fix.worked is not None:
        worked_at = fix.worked.at
        worked_with = one_line(moment.cleaning.text(calls.command(fix.worked)), _LONGEST)
    if fix.failed_again is not None:
        failed_again_at = fix.failed_again.at
    changing = [row for row in fix.between if row.kind in _CHANGING]
    if fix.worked is None:
        changing = []  # nothing says that any of it helped
    return FixItem(
        session=name,
        project=project,
        tool=_tool(moment, fix.failed),
        command=one_line(moment.cleaning.text(command), _LONGEST),
        error=_telling_line(calls.printed(fix.failed), words),
        timestamp=iso_time(fix.failed.timestamp),
        failed_at=fix.failed.at,
        worked_at=worked_at,
        worked_with=worked_with,
        failed_again_at=failed_again_at,
        steps=[_step(moment, calls, row) for row in changing[-_MOST_STEPS:]],
    )


def _telling_line(printed: str, words: list[str]) -> str:
    """The line that has most words of the error."""
    lines = [line for line in printed.splitlines() if line.strip()]
    if not lines:
        return ""
    best = max(lines, key=lambda line: _share(line, words))
    return one_line(best, _LONGEST)


def _tool(moment: Moment, row: CallRow) -> str:
    return one_line(moment.cleaning.text(row.name or ""), _LONGEST_NAME) or "unknown tool"


def _step(moment: Moment, calls: Calls, row: CallRow) -> FixStep:
    what = moment.cleaning.text(calls.command(row))
    return FixStep(
        tool=_tool(moment, row),
        what=first_line(what, _LONGEST),
        message=row.at,
        success=row.success,
    )


def _part(moment: Moment, calls: Calls, fix: Fix, item: FixItem) -> str:
    session = calls.session(fix.failed)
    where = ""
    if session is not None:
        where = quoted_title(moment, session)
    lines = [
        f"{item['session']}  {day(fix.failed.timestamp)}  {where}",
        f"  failed at={item['failed_at']}: {item['tool']} {item['command']}",
        indented(item["error"], "    = "),
    ]
    for step in item["steps"]:
        outcome = {True: "ok", False: "failed", None: "?"}[step["success"]]
        lines.append(f"  then at={step['message']}: {step['tool']} {step['what']} ({outcome})")
    if item["worked_at"] is None:
        lines.append("  Such a call was not seen to work afterwards in this session.")
    else:
        lines.append(f"  worked at={item['worked_at']}: {item['tool']} {item['worked_with']}")
    if item["failed_again_at"] is not None:
        lines.append(f"  failed again at={item['failed_again_at']}")
    return "\n".join(lines)
