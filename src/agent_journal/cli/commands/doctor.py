"""`aj doctor`: what needs attention."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

import click

from agent_journal.answers.doctor import advice_on, doctor_answer
from agent_journal.cli.options import json_option
from agent_journal.cli.output import echo, print_json, style, use_colour
from agent_journal.cli.views.folders import kept_here, no_files_in, where_scattered
from agent_journal.health.examine import AgentHealth, Root, examine_all
from agent_journal.health.noted import noted_advice
from agent_journal.health.rescued import Rescued
from agent_journal.health.sources import NOT_INSTALLED
from agent_journal.journal import Journal
from agent_journal.store.catalog.marks import marks_advice
from agent_journal.store.catalog.seen import lost_versions_advice
from agent_journal.store.catalog.sources import Problem, UnknownKind
from agent_journal.sync.other_copies import OtherCopy
from agent_journal.text.human import human_size, plural, short_path
from agent_journal.text.plain import one_line, safe

_MOST_SHOWN = 5
_MOST_KINDS = 20
_SEE_COPIES = "'aj restore --all -o DIR' writes them; 'AJ_HOME=NEW aj import FILE' reads one alone"
_STATUSES = ("mapped", "skipped", "unknown", "malformed")

_Row = TypeVar("_Row")


@click.command()
@click.option(
    "--all",
    "show_all",
    is_flag=True,
    help="List every problem, not only the first few, and compare all earlier versions of files.",
)
@click.option(
    "--secrets", is_flag=True, help="List secrets found in sessions instead; they are masked."
)
@json_option
def doctor(show_all: bool, secrets: bool, as_json: bool) -> int:
    """Report what needs attention.

    For each agent: its folders, the number of sessions, problems, kinds of records that this
    version does not know, and files that the agent is about to delete. Exits with 1 when there is
    something to do.

    \b
    Examples:
      aj doctor
      aj doctor --all
      aj doctor --json
      aj doctor --secrets
    """
    if secrets:
        from agent_journal.cli.views.secrets import print_leaks

        return print_leaks(show_all, as_json)
    with Journal.open() as journal:
        db = journal.find_db()
        agents = examine_all(db, journal.config, journal.env, is_thorough=show_all)
        config = journal.config
        lost = ""
        if db is not None:
            lost = lost_versions_advice(db, config.seen_path)
        marks = marks_advice(config.marks_path)
    advice = [line for health in agents for line in advice_on(health)]
    advice += [*noted_advice(config), *config.warnings]
    advice += [safe(line) for line in (lost, marks) if line]
    if as_json:
        print_json(doctor_answer(agents, advice))
    else:
        for health in agents:
            if _is_present(health):
                _print_agent(health, show_all)
        echo(f"journal: {short_path(config.index_path)}")
        _print_verdict(agents, advice)
    return int(bool(advice))


def _is_present(health: AgentHealth) -> bool:
    return bool(health.roots or health.sessions or health.broken or not health.is_installed)


def _print_verdict(agents: Sequence[AgentHealth], advice: Sequence[str]) -> None:
    colour = use_colour()
    for line in advice:
        echo(style("→ ", "yellow", on=colour) + line)
    if advice:
        return
    losses = list(_losses(agents))
    if not any(_has_folder(health) for health in agents):
        echo("no agent's folder was found on this machine")
    elif losses:
        echo(f"no action needed; {', '.join(losses)}")
    else:
        echo(style("all is well", "green", on=colour))


def _losses(agents: Sequence[AgentHealth]) -> Iterator[str]:
    """Say what is lost or out of sight, and can no longer be helped."""
    damaged = sum(health.trouble_count for health in agents)
    if damaged:
        yield f"{plural(damaged, 'damaged record')} in the agents' files"
    gone = sum(len(health.lost) for health in agents)
    if gone:
        yield f"{plural(gone, 'session')} gone that {_were(gone)} never kept"
    earlier = sum(len(health.earlier) for health in agents)
    if earlier:
        yield f"{plural(earlier, 'session')} that only an earlier version of a file has"
    yield from _earlier_messages(agents)
    copies = sum(len(health.other_copies) for health in agents)
    if copies:
        files = plural(copies, "kept file")
        yield f"{files} with messages of a session that are not shown"


def _earlier_messages(agents: Sequence[AgentHealth]) -> Iterator[str]:
    found = [item for health in agents for item in health.earlier_messages]
    if found:
        messages = plural(sum(item.messages for item in found), "message")
        files = plural(len({item.path for item in found}), "file")
        yield f"{messages} only in earlier versions of {files} (kept)"
    uncompared = sum(health.uncompared_files for health in agents)
    if uncompared:
        files = plural(uncompared, "file")
        yield f"{files} not compared with earlier versions"


def _were(count: int) -> str:
    if count == 1:
        return "was"
    return "were"


def _has_folder(health: AgentHealth) -> bool:
    return any(root.exists and not _is_empty_project(health, root) for root in health.roots)


def _print_agent(health: AgentHealth, show_all: bool) -> None:
    echo(style(health.title, "bold", on=use_colour()))
    for line in _folder_lines(health):
        echo(f"  {line}")
    line = f"  {plural(health.sessions, 'session')} in the journal"
    if health.vanished_files:
        line += f"; {plural(health.vanished_files, 'file')} deleted by the agent"
        line += kept_here(health.vanished_files, health.lost_files)
    echo(line)
    if health.records:
        echo(f"  {_records(health)}")
    _print_unknown(health.unknown, show_all)
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
    for difference in health.differences:
        counts = f"{title} reports {difference.own:,}, the journal {difference.journal:,}"
        echo(f"  {difference.what}: {counts} ({difference.why})")
    echo()


def _folder_lines(health: AgentHealth) -> Iterator[str]:
    empty = []
    for root in health.roots:
        if _is_empty_project(health, root):
            empty.append(root.path)
            continue
        yield f"{short_path(root.path)}: {_root_state(root)}"
        for line in root.unlisted:
            yield f"  cannot be listed: {safe(line)}"
    if empty:
        yield no_files_in(empty)
    if health.is_scattered and not any(root.is_configured for root in health.roots):
        yield where_scattered(health.agent)
    if not health.is_installed:
        yield NOT_INSTALLED


def _is_empty_project(health: AgentHealth, root: Root) -> bool:
    """Whether a folder is one of the user's own, and the agent has no files in it."""
    return health.is_scattered and not (root.files or root.unlisted or root.is_configured)


def _root_state(root: Root) -> str:
    if not root.exists:
        return "missing"
    line = plural(root.files, "file")
    kept = root.files - root.unkept_files - root.refused_files
    if root.refused_files:
        line += f", {kept:,} of {root.files:,} kept"
    elif not root.unkept_files:
        line += _all_kept(root.files)
    if root.unkept_files:
        line += f", {root.unkept_files:,} not kept yet"
    if root.retention_days is not None:
        line += f"; the agent deletes after {plural(root.retention_days, 'day')}"
        if root.due_files:
            due_kept = root.due_files - root.due_unkept
            line += f": {root.due_files:,} due within a week, {due_kept:,} of them kept here"
    return line


def _all_kept(files: int) -> str:
    if files == 1:
        return ", kept"
    return ", all kept"


def _records(health: AgentHealth) -> str:
    counts = ", ".join(f"{health.records.get(status, 0):,} {status}" for status in _STATUSES)
    if not health.pending_bytes:
        return f"records: {counts}"
    return f"records: {counts}; {human_size(health.pending_bytes)} of an incomplete record"


def _print_unknown(kinds: Sequence[UnknownKind], show_all: bool) -> None:
    shown = _first(kinds, _MOST_KINDS, show_all)
    for unknown in shown:
        line = f"unknown kind '{one_line(unknown.kind, 80)}': {plural(unknown.records, 'record')}"
        line += ", kept as an event" if unknown.records == 1 else ", kept as events"
        if unknown.versions:
            line += f" (versions {safe(', '.join(unknown.versions))})"
        echo(f"    {line}")
    _print_more(len(kinds) - len(shown), " kinds")


def _print_problems(problems: Sequence[Problem], show_all: bool) -> None:
    # A folder that cannot be listed is shown with the folders.
    places = [place for place in problems if not place.reason.startswith("cannot be listed")]
    shown = _first(places, _MOST_SHOWN, show_all)
    for problem in shown:
        where = safe(short_path(problem.path))
        if problem.offset is not None:
            where += f" at byte {problem.offset:,}"
        echo(f"    problem: {where}: {safe(problem.reason)}")
    _print_more(len(places) - len(shown))


def _print_rescued(what: str, sessions: Sequence[Rescued], show_all: bool) -> None:
    if not sessions:
        return
    echo(f"  {plural(len(sessions), 'session')} {what}:")
    shown = _first(sessions, _MOST_SHOWN, show_all)
    for rescued in shown:
        line = f"{safe(rescued.session[:8])}  {one_line(rescued.title or '(no title)', 60)}"
        if rescued.reason:
            line += f" ({one_line(short_path(rescued.reason), 200)})"
        echo(f"    {line}")
    _print_more(len(sessions) - len(shown))


def _print_earlier_messages(health: AgentHealth, show_all: bool) -> None:
    found = health.earlier_messages
    if found:
        versions = plural(len(found), "earlier version")
        echo(f"  {versions} of a file with messages of a session that are not shown:")
    shown = _first(found, _MOST_SHOWN, show_all)
    for item in shown:
        echo(f"    {safe(item.session[:8])}  {one_line(item.title or '(no title)', 60)}")
        messages = plural(item.messages, "message")
        path = safe(short_path(item.path))
        echo(f"      {messages} only in version {item.version} of {path}")
        echo(f"      to see this version: {item.command}")
    _print_more(len(found) - len(shown))
    if health.uncompared_files:
        files = plural(health.uncompared_files, "file")
        echo(f"  {files} not compared with earlier versions, as that takes long (aj doctor --all)")


def _print_copies(copies: Sequence[OtherCopy], show_all: bool) -> None:
    if not copies:
        return
    files = plural(len(copies), "kept file")
    echo(f"  {files} with messages of a session that are not shown ({_SEE_COPIES}):")
    shown = _first(copies, _MOST_SHOWN, show_all)
    for copy in shown:
        title = one_line(copy.title or "(no title)", 60)
        echo(f"    {safe(copy.session[:8])}  {title}")
        echo(f"      shown: {safe(short_path(copy.path))}")
        messages = plural(copy.messages, "other message")
        echo(f"      kept, with {messages}: {safe(short_path(copy.other_path))}")
    _print_more(len(copies) - len(shown))


def _first(rows: Sequence[_Row], count: int, show_all: bool) -> Sequence[_Row]:
    if show_all:
        return rows
    return rows[:count]


def _print_more(count: int, what: str = "") -> None:
    if count > 0:
        echo(f"    … and {count} more{what} (aj doctor --all)")
