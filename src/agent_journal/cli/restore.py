"""`aj restore`: the original files back."""

from __future__ import annotations

import click

from agent_journal.cli.options import complete_sessions, json_option
from agent_journal.cli.output import human_size, note, plural, print_json, short_path
from agent_journal.errors import NoSuchSession, UsageError
from agent_journal.journal import Journal


@click.command()
@click.argument("session_ids", metavar="[ID]...", nargs=-1, shell_complete=complete_sessions)
@click.option("--all", "everything", is_flag=True, help="Every file in the journal.")
@click.option("--output", "-o", required=True, metavar="DIR", type=click.Path(file_okay=False), help="Where to write.")
@click.option("--all-versions", is_flag=True, help="Also what files were before they were rewritten, as FILE.v1 …")
@json_option
def restore(session_ids: tuple[str, ...], everything: bool, output: str, all_versions: bool, as_json: bool) -> None:
    """Write original files back, byte for byte, under DIR.

    Paths are those under the agent's folder. A file that exists with other bytes is never overwritten.

    \b
    Examples:
      aj restore last --output /tmp/back
      aj restore 4f2a9c claude-code:77b1 -o back
      aj restore --all -o everything
    """
    from agent_journal.archive import Archive
    from agent_journal.catalog.files import Files
    from agent_journal.restore import files_of
    from agent_journal.restore import restore as write_back

    if bool(session_ids) == everything:
        raise UsageError("say which sessions to restore: one or more ids, or --all", "'aj ls' lists the ids")
    with Journal.open() as journal:
        if journal.db is None:
            raise NoSuchSession("there is no journal yet", "run 'aj sync' first")
        if everything:
            rows = Files(journal.db).all("version_id IS NOT NULL")
        else:
            found = [file for text in session_ids for file in files_of(journal.db, journal.row(text))]
            rows = list(dict.fromkeys(found))
        archive = Archive(journal.config.archive_path)
        written = list(write_back(journal.db, archive, rows, output, all_versions))
        archive.close()
    if as_json:
        print_json("restored", [item._asdict() for item in written])
        return
    new = [item for item in written if item.is_new]
    size = human_size(sum(item.size for item in new))
    note(f"{plural(len(new), 'file')} written ({size}) to {short_path(output)}")
    if len(new) < len(written):
        note(f"{plural(len(written) - len(new), 'file')} already there with the same bytes")
