"""`aj verify`: proof."""

from __future__ import annotations

import click

from agent_journal.cli.options import json_option
from agent_journal.cli.output import ProgressBar, echo, human_size, note, plural, print_json, safe
from agent_journal.errors import JournalDamaged
from agent_journal.journal import LOST_HINT, Journal, is_lost


@click.command()
@json_option
def verify(as_json: bool) -> int:
    """Prove that the journal is complete and unchanged.

    Reads every kept byte and checks its sha256, checks that every record and separator is accounted
    for, derives everything again from the archive and compares it with the catalog, and the catalog
    with its sums, the search index and the tables of 'aj sql'. Exits with 1 when anything differs.

    \b
    Examples:
      aj verify
      aj verify --json
    """
    with Journal.open() as journal:
        if not journal.exists:
            return _without_index(journal, as_json)
        from agent_journal.health.verify import verify as prove
        from agent_journal.sync.indexes import lexical, mirror

        bar = ProgressBar("verifying")
        try:
            result = prove(
                journal.db, journal.archive, bar, lexical(journal.config), mirror(journal.config)
            )
        finally:
            bar.done()
    if as_json:
        item = result._asdict()
        item["differences"] = [difference._asdict() for difference in result.differences]
        print_json("verify", [item], problems=len(result.differences))
        return 1 if result.differences else 0
    for difference in result.differences:
        echo(f"{safe(difference.where)}: {safe(difference.what)}")
    if result.differences:
        note(
            f"{plural(len(result.differences), 'difference')} found; 'aj sync --full' mends what still exists on disk"
        )
    else:
        versions = (
            f" in {plural(result.versions, 'version')}" if result.versions != result.files else ""
        )
        size = human_size(result.bytes)
        note(
            f"{plural(result.files, 'file')}{versions}, {size}: every byte has the sha256 it was kept with"
        )
    if result.unkept_files:
        note(
            f"{plural(result.unkept_files, 'file')} could never be read and is not kept (aj doctor)"
        )
    waiting = f", {human_size(result.pending_bytes)} half written" if result.pending_bytes else ""
    note(
        f"{plural(result.records, 'record')}: {result.unknown:,} unknown, {result.malformed:,} malformed{waiting}"
    )
    for agent in result.unread_agents:
        note(
            f"what the files of {safe(agent)} say was not derived again: its connector is not there"
        )
    if not result.differences:
        note(
            f"{plural(result.sessions, 'session')} (with sub-agents and empty ones) derived again: equal to the catalog"
        )
    return 1 if result.differences else 0


def _without_index(journal: Journal, as_json: bool) -> int:
    """No catalog: fine when there is nothing to prove, a finding when the archive has something."""
    if is_lost(journal.config):
        raise JournalDamaged(f"the index is missing: {journal.config.index_path}", LOST_HINT)
    if as_json:
        print_json("verify", [])
    else:
        note("the journal is empty: there is nothing to prove")
    return 0
