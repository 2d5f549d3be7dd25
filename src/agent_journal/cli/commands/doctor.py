"""`aj doctor`: what needs attention."""

from __future__ import annotations

from collections.abc import Sequence

import click

from agent_journal.cli.options import json_option
from agent_journal.cli.output import (
    NOT_INSTALLED,
    echo,
    human_size,
    no_files_in,
    one_line,
    plural,
    print_json,
    safe,
    short_path,
    style,
    use_colour,
    where_scattered,
)
from agent_journal.connectors import BUILT_IN
from agent_journal.health.examine import AgentHealth, Root, examine_all
from agent_journal.health.rescued import Rescued
from agent_journal.journal import Journal


@click.command()
@click.option(
    "--all",
    "show_all",
    is_flag=True,
    help="List every problem, not only the first five of an agent.",
)
@click.option(
    "--secrets", is_flag=True, help="List where secrets lie in the sessions, masked, instead."
)
@json_option
def doctor(show_all: bool, secrets: bool, as_json: bool) -> int:
    """Find what needs attention.

    For each agent: where it was found, sessions, problems, record kinds this version does not know,
    and what the agent is about to delete. Exits with 1 when something should be done.

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
        agents = examine_all(journal.find_db(), journal.config, journal.env)
        warnings = journal.config.warnings
        index_path = journal.config.index_path
    needs = [need for health in agents for need in _needs(health)] + warnings
    if as_json:
        items = [_as_item(health) for health in agents]
        print_json(
            "doctor", items, problems=sum(health.trouble_count for health in agents), advice=needs
        )
        return 1 if needs else 0
    colour = use_colour()
    for health in agents:
        if health.roots or health.sessions or health.broken or not health.is_installed:
            _print(health, show_all, colour)
    echo(f"journal: {short_path(index_path)}")
    for need in needs:
        echo(style("→ ", "yellow", on=colour) + need)
    if not needs:
        echo(_verdict(agents, colour))
    return 1 if needs else 0


def _verdict(agents: list[AgentHealth], colour: bool) -> str:
    if not any(
        root.exists and not _is_aside(health, root) for health in agents for root in health.roots
    ):
        return "no agent's folder was found on this machine"
    troubles = sum(health.trouble_count for health in agents)
    if troubles:
        return (
            f"nothing to do; {plural(troubles, 'place')} in the agents' own files could not be read"
        )
    return style("all is well", "green", on=colour)


def _print(health: AgentHealth, show_all: bool, colour: bool) -> None:
    echo(style(health.title, "bold", on=colour))
    aside = [root.path for root in health.roots if _is_aside(health, root)]
    for root in (one for one in health.roots if one.path not in aside):
        echo(f"  {short_path(root.path)}: {_root_line(root)}")
        for line in root.unlisted:
            echo(f"    cannot be listed: {safe(line)}")
    if aside:
        echo(f"  {no_files_in(aside)}")
    if health.is_scattered and not any(root.is_configured for root in health.roots):
        echo(f"  {where_scattered(health.agent)}")
    if not health.is_installed:
        echo(f"  {NOT_INSTALLED}")
    gone = plural(health.vanished_files, "file")
    echo(f"  {plural(health.sessions, 'session')} in the journal; {gone} gone from disk, kept here")
    if health.records:
        counts = [
            f"{health.records.get(status, 0):,} {status}"
            for status in ("mapped", "skipped", "unknown", "malformed")
        ]
        waiting = (
            f"; {human_size(health.pending_bytes)} half written, read when complete"
            if health.pending_bytes
            else ""
        )
        echo(f"  records: {', '.join(counts)}{waiting}")
    for unknown in health.unknown if show_all else health.unknown[:20]:
        versions = f" (versions {safe(', '.join(unknown.versions))})" if unknown.versions else ""
        kind, records = one_line(unknown.kind, 80), plural(unknown.records, "record")
        echo(f"    unknown kind '{kind}': {records}, kept as events{versions}")
    if len(health.unknown) > 20 and not show_all:
        echo(f"    … and {len(health.unknown) - 20} more kinds (aj doctor --all)")
    places = [
        trouble for trouble in health.troubles if not trouble.reason.startswith("cannot be listed")
    ]
    shown = places if show_all else places[:5]
    for trouble in shown:
        place = f" at byte {trouble.offset:,}" if trouble.offset is not None else ""
        echo(f"    problem: {safe(short_path(trouble.path))}{place}: {safe(trouble.reason)}")
    if len(places) > len(shown):
        echo(f"    … and {len(places) - len(shown)} more (aj doctor --all)")
    _print_rescued("read in spite of damage", health.recovered, show_all)
    _print_rescued(
        f"on disk that {health.title} itself does not list any more", health.hidden, show_all
    )
    _print_rescued(
        f"that {health.title} lists but whose files are gone and were never kept",
        health.lost,
        show_all,
    )
    for one in health.differences:
        echo(
            f"  {one.what}: {health.title} counts {one.own:,}, the journal {one.journal:,}: {one.why}"
        )
    echo()


def _is_aside(health: AgentHealth, root: Root) -> bool:
    """Whether a folder is one of a person's own, in which an agent may have files and has none."""
    return health.is_scattered and not (root.files or root.unlisted or root.is_configured)


def _print_rescued(what: str, sessions: Sequence[Rescued], show_all: bool) -> None:
    if not sessions:
        return
    echo(f"  {plural(len(sessions), 'session')} {what}:")
    for one in sessions if show_all else sessions[:5]:
        reason = f": {one_line(short_path(one.reason), 200)}" if one.reason else ""
        echo(f"    {safe(one.session[:8])}  {one_line(one.title or '(no title)', 60)}{reason}")
    if len(sessions) > 5 and not show_all:
        echo(f"    … and {len(sessions) - 5} more (aj doctor --all)")


def _root_line(root: Root) -> str:
    if not root.exists:
        return "not there"
    line = plural(root.files, "file")
    line += f", {root.unkept_files:,} not kept yet" if root.unkept_files else ", all kept"
    if root.retention_days is not None:
        line += f"; the agent deletes after {plural(root.retention_days, 'day')}"
        if root.due_files:
            safe_files = root.due_files - root.due_unkept
            line += f": {root.due_files:,} due within a week, {safe_files:,} of them safe here"
    return line


def _needs(health: AgentHealth) -> list[str]:
    needs = [f"{safe(health.broken)}: update or remove its package"] if health.broken else []
    for root in health.roots:
        if root.is_configured and not root.exists:
            needs.append(
                f"the folder the settings name for {health.title} is not there: {short_path(root.path)}"
            )
        if root.due_unkept:
            files = plural(root.due_unkept, "file")
            needs.append(
                f"{health.title} will delete {files} within a week, not kept yet: run 'aj sync'"
            )
        elif root.unkept_files:
            files = plural(root.unkept_files, "file")
            needs.append(f"{files} of {health.title} changed since the last sync: run 'aj sync'")
        if root.unlisted:
            places = plural(len(root.unlisted), "place")
            needs.append(
                f"{places} of {health.title} cannot be listed: check names and permissions"
            )
    needs += [
        f"{short_path(path)} of {health.title} is there, but the settings do not name it"
        for path in health.unlooked
    ]
    if any(
        trouble.kind == "file" and trouble.reason.startswith("cannot be read: ")
        for trouble in health.troubles
    ):
        needs.append(
            f"some files of {health.title} cannot be opened: check their permissions, then run 'aj sync'"
        )
    return needs + _mistakes(health)


def _mistakes(health: AgentHealth) -> list[str]:
    """What to do where a reader failed, and the agent's files may be as they should."""
    is_ours = health.agent in BUILT_IN
    words = (f"the {health.title} reader failed: ", "cannot be read: ")
    kinds = [trouble.kind for trouble in health.troubles if trouble.reason.startswith(words)]
    failed = sum(kind == "reader" if is_ours else kind != "file" for kind in kinds)
    package = "agent-journal" if is_ours else "the package of its connector"
    places = plural(failed, "place")
    return (
        [f"the reader of {health.title} failed at {places}: update {package}, or report it there"]
        if failed
        else []
    )


def _as_item(health: AgentHealth) -> dict[str, object]:
    item: dict[str, object] = health._asdict()
    item["records"] = dict(health.records)
    item["roots"] = [root._asdict() for root in health.roots]
    item["unknown"] = [unknown._asdict() for unknown in health.unknown]
    for kind in ("recovered", "hidden", "lost"):
        item[kind] = [session._asdict() for session in getattr(health, kind)]
    item["differences"] = [one._asdict() for one in health.differences]
    item["troubles"] = [trouble._asdict() for trouble in health.troubles]
    return item
