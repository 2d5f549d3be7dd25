"""`aj import`: import session files by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import click

from agent_journal.cli.options import check_agents, complete_agents, json_option
from agent_journal.cli.output import echo, note, print_json
from agent_journal.config.loading import load
from agent_journal.errors import JournalError
from agent_journal.journal import Journal
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.sync.imported_folders import import_suffixes
from agent_journal.sync.importing import Imported, import_files
from agent_journal.text.human import plural, short_path
from agent_journal.text.plain import safe

_MOST_NAMED = 10  # files, unless all are to be named
_VERBS = {"new": "imported", "copy": "kept as a copy"}


@click.command("import")
@click.argument(
    "paths", metavar="FILE|DIR...", nargs=-1, required=True, type=click.Path(exists=True)
)
@click.option(
    "--as",
    "agent",
    metavar="AGENT",
    callback=check_agents,
    shell_complete=complete_agents,
    help="Treat the files as this agent's, whatever they look like; a folder as its own folder.",
)
@click.option("-v", "--verbose", is_flag=True, help="Name every file, also where there are many.")
@json_option
def import_command(paths: tuple[str, ...], agent: str | None, verbose: bool, as_json: bool) -> int:
    """Import session files from anywhere into the journal.

    Exported VS Code chats (chat.json), sessions of Claude Code on the web (JSON with 'loglines'),
    JSON from 'aj export', and the session files of every agent are recognised by their content. A
    folder is searched: an agent's own folder in it (.claude, .copilot, User) is imported as a
    whole, and elsewhere every session file. The files themselves are not changed. Of more than ten
    files, the sessions are counted by agent; -v names each file.

    \b
    Examples:
      aj import ~/Downloads/chat.json
      aj import old-laptop/.claude old-laptop/User
      aj import strange.jsonl --as claude-code
    """
    files = import_files(load(), paths, agent=agent)
    statuses = Counter(file.status for file in files)
    if as_json:
        from agent_journal.answers.imported import imported_answer

        print_json(imported_answer(files))
        return int(statuses["refused"] > 0)
    for file in files:
        if file.status == "refused":
            note(_refusal(file))
    _print_taken([file for file in files if file.status in _VERBS], verbose)
    if statuses["new"] or statuses["known"] or statuses["copy"]:
        _print_total(statuses)
    else:
        _print_nothing(files, agent)
    is_failed = statuses["refused"] > 0 or statuses["passed"] == len(files)
    return int(is_failed)


def _print_taken(files: Sequence[Imported], is_verbose: bool) -> None:
    """Name the files that were imported; where there are many, count their sessions."""
    if not files:
        return
    with Journal.open() as journal:
        if is_verbose or len(files) <= _MOST_NAMED:
            for file in files:
                path = safe(short_path(file.path))
                echo(f"{path}: {_VERBS[file.status]}, {_session_of(journal, file)}")
            return
        sessions = {(file.agent, file.session) for file in files if _is_listed(journal, file)}
    agents = Counter(agent for agent, _ in sessions)
    for agent, count in agents.most_common():
        echo(f"{agent}: {plural(count, 'session')}")


def _session_of(journal: Journal, file: Imported) -> str:
    """The session of a file by its id, and why 'aj ls' does not list it, if it does not."""
    if file.session is None:
        return f"{file.agent}, no session"
    name = f"{file.agent}:{safe(file.session)}"
    if _is_listed(journal, file):
        return name
    row = _find_row(journal, file)
    if row is not None and row.parent_id is not None:
        return f"{name} (a sub-agent of {safe(row.parent_id)})"
    return f"{name} (without messages)"


def _is_listed(journal: Journal, file: Imported) -> bool:
    """Whether 'aj ls' shows the session of a file."""
    row = _find_row(journal, file)
    if row is None:
        return False
    is_of_person = (row.parent_id is None and row.agent_name is None) or row.prompt_count > 0
    return is_of_person and bool(row.message_count or row.edit_count)


def _find_row(journal: Journal, file: Imported) -> SessionRow | None:
    if file.session is None:
        return None
    try:
        return journal.row(f"{file.agent}:{file.session}")
    except JournalError:
        return None


def _refusal(file: Imported) -> str:
    return f"{safe(short_path(file.path))}: {safe(file.reason or 'not a session')}"


def _print_total(statuses: Counter[str]) -> None:
    parts = [f"{plural(statuses['new'], 'file')} imported"]
    if statuses["copy"]:
        parts.append(_copies(statuses["copy"]))
    if statuses["known"]:
        parts.append(f"{statuses['known']:,} already in the journal")
    if statuses["passed"]:
        parts.append(_other_files(statuses["passed"]))
    text = ", ".join(parts)
    if statuses["new"]:
        text += "; 'aj ls' lists sessions, 'aj show ID' shows one"
    note(text)


def _print_nothing(files: Sequence[Imported], agent: str | None) -> None:
    """Say how many files were looked at, and why the first one in a folder was not taken."""
    for file in files:
        if file.status == "passed":
            note(_refusal(file))
            break
    reason = _why_no_file(agent)
    if files:
        reason = f"{plural(len(files), 'file')} looked at"
    note(f"no session was imported ({reason})")


def _why_no_file(agent: str | None) -> str:
    if agent is not None:
        return f"no file of {agent} was found"
    suffixes = ", ".join(import_suffixes())
    return f"no file was found whose name ends in {suffixes}"


def _copies(count: int) -> str:
    if count == 1:
        return "1 kept as a copy"
    return f"{count:,} kept as copies"


def _other_files(count: int) -> str:
    if count == 1:
        return "1 other file is not a session"
    return f"{count:,} other files are not sessions"
