"""How the state of an agent looks on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from agent_journal.answers.agent_state import Detail, folder_state, is_empty_project
from agent_journal.cli.output import echo, style, use_colour
from agent_journal.cli.views.flow import print_text
from agent_journal.cli.views.folders import kept_here, no_files_in, where_scattered
from agent_journal.health.examine import AgentHealth
from agent_journal.health.rescued import Rescued
from agent_journal.health.sources import NOT_INSTALLED
from agent_journal.store.catalog.sources import Problem, UnknownKind
from agent_journal.sync.other_copies import OtherCopy
from agent_journal.text.human import human_size, plural, short_path
from agent_journal.text.plain import one_line, safe

_MOST_SHOWN = 5
_SEE_COPIES = "'aj restore --all -o DIR' writes them; 'AJ_HOME=NEW aj import FILE' reads one alone"
_STATUSES = ("mapped", "skipped", "unknown", "malformed")

_Row = TypeVar("_Row")


def print_agent(health: AgentHealth, detail: Detail) -> None:
    """Print the state of an agent: its folders, and what is unusual about its sessions."""
    echo()
    echo(style(health.title, "bold", on=use_colour()))
    for line in _folder_lines(health, detail.is_verbose):
        print_text(line, "  ")
    line = f"{plural(health.sessions, 'session')} in the journal"
    if health.vanished_files:
        line += f"; {plural(health.vanished_files, 'file')} deleted by the agent"
        line += kept_here(health.vanished_files, health.lost_files)
    print_text(line, "  ")
    if health.records and detail.is_verbose:
        print_text(_records(health), "  ")
    show_all = detail.show_all
    _print_unknown(health.unknown, detail)
    _print_problems(health.troubles, show_all)
    title = health.title
    _print_rescued("recovered from a damaged file", health.recovered, show_all)
    _print_rescued(f"on disk that {title} no longer lists", health.hidden, show_all)
    lost = f"that {title} lists but whose files are gone and were never kept"
    _print_rescued(lost, health.lost, show_all)
    earlier = "that only an earlier version of a file has ('aj restore --all --all-versions')"
    _print_rescued(earlier, health.earlier, show_all)
    _print_earlier_messages(health, show_all)
    _print_copies(health.other_copies, show_all)
    if detail.is_verbose:
        _print_differences(health)


def _print_differences(health: AgentHealth) -> None:
    for difference in health.differences:
        own = f"{health.title} reports {difference.own:,}"
        counts = f"{own}, the journal {difference.journal:,}"
        print_text(f"{difference.what}: {counts} ({difference.why})", "  ")


def _folder_lines(health: AgentHealth, is_verbose: bool) -> Iterator[str]:
    empty = []
    for root in health.roots:
        if is_empty_project(health, root):
            empty.append(root.path)
            continue
        if root.exists or root.is_configured or is_verbose:
            yield f"{short_path(root.path)}: {folder_state(root)}"
        if root.due_files:
            kept = root.due_files - root.due_unkept
            yield f"  {root.due_files:,} due within a week, {kept:,} of them kept here (--expiring)"
        for line in root.unlisted:
            yield f"  cannot be listed: {safe(line)}"
    if empty and is_verbose:
        yield no_files_in(empty)
    if is_verbose and health.is_scattered and not any(root.is_configured for root in health.roots):
        yield where_scattered(health.agent)
    if not health.is_installed:
        yield NOT_INSTALLED


def _records(health: AgentHealth) -> str:
    counts = ", ".join(f"{health.records.get(status, 0):,} {status}" for status in _STATUSES)
    if not health.pending_bytes:
        return f"records: {counts}"
    return f"records: {counts}; {human_size(health.pending_bytes)} of an incomplete record"


def _print_unknown(kinds: Sequence[UnknownKind], detail: Detail) -> None:
    if not kinds:
        return
    if not detail.is_verbose:
        records = plural(sum(unknown.records for unknown in kinds), "record")
        of_kinds = plural(len(kinds), "kind")
        line = f"{records} of {of_kinds} that this version does not know, kept as events (-v)"
        print_text(line, "  ")
        return
    for unknown in kinds:
        line = f"unknown kind '{one_line(unknown.kind, 80)}': {plural(unknown.records, 'record')}"
        line += ", kept as an event" if unknown.records == 1 else ", kept as events"
        if unknown.versions:
            line += f" (versions {safe(', '.join(unknown.versions))})"
        print_text(line, "    ")


def _print_problems(problems: Sequence[Problem], show_all: bool) -> None:
    # A folder that cannot be listed is shown with the folders.
    places = [place for place in problems if not place.reason.startswith("cannot be listed")]
    shown = _first(places, _MOST_SHOWN, show_all)
    for problem in shown:
        where = safe(short_path(problem.path))
        if problem.offset is not None:
            where += f" at byte {problem.offset:,}"
        print_text(f"problem: {where}: {safe(problem.reason)}", "    ")
    _print_more(len(places) - len(shown))


def _print_rescued(what: str, sessions: Sequence[Rescued], show_all: bool) -> None:
    if not sessions:
        return
    print_text(f"{plural(len(sessions), 'session')} {what}:", "  ")
    shown = _first(sessions, _MOST_SHOWN, show_all)
    for rescued in shown:
        line = f"{safe(rescued.session[:8])}  {one_line(rescued.title or '(no title)', 60)}"
        if rescued.reason:
            line += f" ({one_line(short_path(rescued.reason), 200)})"
        print_text(line, "    ")
    _print_more(len(sessions) - len(shown))


def _print_earlier_messages(health: AgentHealth, show_all: bool) -> None:
    found = health.earlier_messages
    if found:
        versions = plural(len(found), "earlier version")
        print_text(f"{versions} of a file with messages of a session that are not shown:", "  ")
    shown = _first(found, _MOST_SHOWN, show_all)
    for item in shown:
        print_text(f"{safe(item.session[:8])}  {one_line(item.title or '(no title)', 60)}", "    ")
        messages = plural(item.messages, "message")
        path = safe(short_path(item.path))
        print_text(f"{messages} only in version {item.version} of {path}", "      ")
        echo(f"      to see this version: {item.command}")
    _print_more(len(found) - len(shown))
    if health.uncompared_files:
        files = plural(health.uncompared_files, "file")
        why = "as that takes long (aj doctor --all)"
        print_text(f"{files} not compared with earlier versions, {why}", "  ")


def _print_copies(copies: Sequence[OtherCopy], show_all: bool) -> None:
    if not copies:
        return
    files = plural(len(copies), "kept file")
    print_text(f"{files} with messages of a session that are not shown ({_SEE_COPIES}):", "  ")
    shown = _first(copies, _MOST_SHOWN, show_all)
    for copy in shown:
        title = one_line(copy.title or "(no title)", 60)
        print_text(f"{safe(copy.session[:8])}  {title}", "    ")
        print_text(f"shown: {safe(short_path(copy.path))}", "      ")
        messages = plural(copy.messages, "other message")
        print_text(f"kept, with {messages}: {safe(short_path(copy.other_path))}", "      ")
    _print_more(len(copies) - len(shown))


def _first(rows: Sequence[_Row], count: int, show_all: bool) -> Sequence[_Row]:
    if show_all:
        return rows
    return rows[:count]


def _print_more(count: int) -> None:
    if count > 0:
        print_text(f"… and {count} more (aj doctor --all)", "    ")
