"""`aj sync`: read what is new."""

from __future__ import annotations

import click

from agent_journal.cli.options import agent_option, json_option
from agent_journal.cli.output import ProgressBar, human_size, note, plural, print_json
from agent_journal.journal import Journal


@click.command()
@agent_option
@click.option("--full", is_flag=True, help="Compare every file with its kept bytes, not only its size and time.")
@click.option("--strict", is_flag=True, help="Exit with 3 when something could not be read.")
@click.option("--no-wait", is_flag=True, help="Do not wait for another sync that is running.")
@json_option
def sync(agent: tuple[str, ...], full: bool, strict: bool, no_wait: bool, as_json: bool) -> int:
    """Read what is new in the agents' folders into the journal.

    Nothing is ever deleted from the journal, and nothing is written into the agents' folders.

    \b
    Examples:
      aj sync
      aj sync --agent claude-code
      aj sync --full --json
    """
    bar = ProgressBar("reading")
    with Journal.open() as journal:
        for warning in journal.config.warnings:
            note(f"aj: {warning}")
        try:
            report = journal.sync(
                agent or None, full=full, wait=0 if no_wait else 3600, progress=bar,
                waiting=lambda holder: note(f"waiting for another aj to finish ({holder})"),
            )  # fmt: skip
        finally:
            bar.done()
    if as_json:
        print_json("sync", [report._asdict()], problems=report.problems)
    else:
        parts = [plural(report.sessions, "session"), f"{report.new_sessions:,} new"]
        if report.changed_files:
            parts.append(
                f"{plural(report.changed_files, 'file')} read ({human_size(report.read_bytes)}, {report.seconds:.1f} s)"
            )
        if report.rewritten_files:
            parts.append(
                f"{plural(report.rewritten_files, 'file')} rewritten by the agent, the earlier version is kept"
            )
        if report.mended_parts:
            parts.append(f"{plural(report.mended_parts, 'damaged part')} of the archive kept again")
        if report.vanished_files:
            parts.append(f"{plural(report.vanished_files, 'file')} gone from disk, kept here")
        if report.problems:
            parts.append(f"{plural(report.problems, 'problem')} (aj doctor)")
        note(", ".join(parts))
        if not report.sessions and not report.changed_files:
            note("nothing was found; 'aj sources' shows where aj looks")
    return 3 if strict and report.problems else 0
