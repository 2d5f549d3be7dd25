"""`aj restore`: the original files back."""

from __future__ import annotations

import click

from agent_journal.cli.options import complete_sessions, json_option
from agent_journal.cli.output import human_size, note, plural, print_json, safe, short_path
from agent_journal.errors import UsageError
from agent_journal.journal import Journal


@click.command()
@click.argument("session_ids", metavar="[ID]...", nargs=-1, shell_complete=complete_sessions)
@click.option("--all", "everything", is_flag=True, help="Every file in the journal.")
@click.option(
    "--output",
    "-o",
    required=True,
    metavar="DIR",
    type=click.Path(file_okay=False),
    help="Where to write.",
)
@click.option(
    "--all-versions",
    is_flag=True,
    help="Also what files were before they were rewritten, as FILE.v1 …",
)
@json_option
def restore(
    session_ids: tuple[str, ...], everything: bool, output: str, all_versions: bool, as_json: bool
) -> int:
    """Write original files back, byte for byte, under DIR.

    The files of ~/.claude come to DIR/.claude, those of ~/.copilot to DIR/.copilot, with their
    times and mode 0600. A file that exists with other bytes is never overwritten.

    \b
    Examples:
      aj restore last --output /tmp/back
      aj restore 4f2a9c claude-code:77b1 -o back
      aj restore --all -o everything
    """
    from agent_journal.store.catalog.files import Files
    from agent_journal.store.restore import files_of
    from agent_journal.store.restore import restore as write_back

    if not session_ids and not everything:
        raise UsageError(
            "say which sessions to restore: one or more ids, or --all", "'aj ls' lists the ids"
        )
    if session_ids and everything:
        raise UsageError("give ids or --all, not both")
    if not output:
        raise UsageError("--output needs the name of a folder")
    with Journal.open() as journal:
        if everything:
            rows = Files(journal.db).all("version_id IS NOT NULL")
        else:
            found = [
                file for text in session_ids for file in files_of(journal.db, journal.row(text))
            ]
            rows = list(dict.fromkeys(found))
        written = list(write_back(journal.db, journal.archive, rows, output, all_versions))
    damaged = [item for item in written if item.reason is not None]
    if as_json:
        print_json("restored", [item._asdict() for item in written], problems=len(damaged))
        return 1 if damaged else 0
    new = [item for item in written if item.is_new]
    size = human_size(sum(item.size for item in new))
    note(f"{plural(len(new), 'file')} written ({size}) to {short_path(output)}")
    if len(new) + len(damaged) < len(written):
        note(
            f"{plural(len(written) - len(new) - len(damaged), 'file')} already there with the same bytes"
        )
    for item in damaged:
        note(f"not written: {safe(item.path)}: {safe(item.reason or '')}")
    if any("archive" in (item.reason or "") for item in damaged):
        note(
            "run 'aj sync --full' while the agent's files still exist, or put the archive back from a backup"
        )
    return 1 if damaged else 0
