"""`aj prune`: hide sessions, bring them back, or delete them for good."""

from __future__ import annotations

from datetime import datetime

import click

from agent_journal.cli.options import (
    agent_option,
    complete_sessions,
    json_option,
    project_option,
)
from agent_journal.errors import UsageError


def _parse_age(ctx: click.Context, param: click.Parameter, value: str | None) -> datetime | None:
    """Return the moment that was so long ago."""
    if value is None:
        return None
    from agent_journal.text.dates import parse_age

    try:
        return parse_age(value)
    except ValueError as error:
        raise click.BadParameter(str(error), ctx, param) from error


@click.command()
@click.argument("session_ids", metavar="[ID]...", nargs=-1, shell_complete=complete_sessions)
@click.option(
    "--older-than",
    metavar="AGE",
    callback=_parse_age,
    help="Sessions whose last activity was before: 90d, 6mo, 1y, 2025-12-31.",
)
@agent_option
@project_option
@click.option("--matching", metavar="QUERY", help="Sessions with a match (docs/query.md).")
@click.option(
    "--purge",
    is_flag=True,
    help="Delete for good: also the bytes in the archive. Without ids, all that is hidden.",
)
@click.option("--undo", is_flag=True, help="Bring hidden sessions back: ids, or 'all'.")
@click.option(
    "--forget",
    is_flag=True,
    help="Let sessions that were deleted be read again while their files exist: ids, or 'all'.",
)
@click.option("--list", "lists", is_flag=True, help="List what was pruned.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@json_option
def prune(
    session_ids: tuple[str, ...],
    older_than: datetime | None,
    agent: tuple[str, ...],
    project: str | None,
    matching: str | None,
    purge: bool,
    undo: bool,
    forget: bool,
    lists: bool,
    yes: bool,
    as_json: bool,
) -> int:
    """Hide sessions from every command, or delete them for good.

    Says what it would hide and free, and asks. A hidden session is in no list, search, sum or
    table, and the next sync does not read it again. Its bytes stay in the archive, and --undo
    brings it back. Sub-agents go with their session.

    --purge deletes: the archive is rewritten without the bytes of the session's files, the catalog
    is compacted, and the search index, the vectors and the tables of 'aj sql' are rebuilt. Only the
    id is remembered, so that the session stays away. Files that also hold other sessions
    (histories, databases) stay; they are named before you are asked.

    The agents' own files are never touched. The next 'aj backup' into a folder also removes there
    what was purged.

    \b
    Examples:
      aj prune --older-than 1y --agent codex
      aj prune --project secret-client
      aj prune 4f2a9c --purge
      aj prune --list
      aj prune --undo 4f2a9c
      aj prune --undo all
      aj prune --purge --yes
    """
    from agent_journal.cli import pruning
    from agent_journal.query.tree import Query

    has_filter = bool(older_than or agent or project or matching)
    actions = [
        name for name, is_on in (("--undo", undo), ("--forget", forget), ("--list", lists)) if is_on
    ]
    if len(actions) > 1 or (actions and (purge or has_filter)):
        raise UsageError(f"{actions[0]} takes no options but ids", "see 'aj prune --help'")
    if lists:
        return pruning.list_pruned(as_json)
    if undo or forget:
        return pruning.bring_back(session_ids, is_purged=forget, as_json=as_json)
    if purge and not session_ids and not has_filter:
        return pruning.purge_hidden(is_sure=yes, as_json=as_json)
    if not session_ids and not has_filter:
        raise UsageError(
            "nothing was chosen", "name sessions, or say which: --older-than 1y, --project …"
        )
    if session_ids and has_filter:
        raise UsageError("give ids or conditions, not both")
    choice = pruning.Choice(session_ids, Query(agent or None, project), older_than, matching or "")
    return pruning.prune_chosen(choice, with_purge=purge, is_sure=yes, as_json=as_json)
