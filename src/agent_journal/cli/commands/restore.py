"""`aj restore`: the original files back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from agent_journal.cli.options import complete_sessions, json_option
from agent_journal.cli.output import note, print_json
from agent_journal.connectors.base import ROWS_MARK
from agent_journal.errors import UsageError
from agent_journal.journal import Journal
from agent_journal.text.human import human_size, plural, short_path
from agent_journal.text.plain import safe, shell_word

if TYPE_CHECKING:
    from agent_journal.store.catalog.files import FileRow
    from agent_journal.store.restore import Restored


@click.command()
@click.argument("session_ids", metavar="[ID]...", nargs=-1, shell_complete=complete_sessions)
@click.option("--all", "everything", is_flag=True, help="Restore every file in the journal.")
@click.option(
    "--output",
    "-o",
    metavar="DIR",
    type=click.Path(file_okay=False),
    help="The folder to write into.",
)
@click.option(
    "--from",
    "backup",
    metavar="BACKUP",
    type=click.Path(exists=True),
    help="Restore a whole journal from what 'aj backup' wrote, a folder or a file.",
)
@click.option(
    "--all-versions",
    is_flag=True,
    help="Also restore earlier versions of files that were rewritten, as FILE.v1 and so on.",
)
@json_option
def restore(
    session_ids: tuple[str, ...],
    everything: bool,
    output: str | None,
    backup: str | None,
    all_versions: bool,
    as_json: bool,
) -> int:
    """Restore original files, byte for byte, into a folder; or a whole journal from a backup.

    Files of ~/.claude are written to DIR/.claude, those of ~/.copilot to DIR/.copilot, with their
    times and mode 0600. A file that exists with other content is never overwritten. Exits with 1 if
    a file could not be restored.

    Of databases that hold other things, too (those of VS Code, Cursor, OpenCode, Goose and more),
    only the rows with conversations are kept. They are written where the database was, as
    state.vscdb#rows-NAME. The agents do not read such files; 'aj import DIR' does.

    With --from, the journal of a backup is written to AJ_HOME, or to DIR, where no journal may be;
    its catalog and indexes are rebuilt. 'aj import-journal' adds a backup to a journal that exists.

    \b
    Examples:
      aj restore last --output /tmp/back
      aj restore 4f2a9c claude-code:77b1 -o back
      aj restore --all -o everything
      aj restore --from /media/disk/journal
      aj restore --from journal-2026-11-30.tar.zst -o /tmp/journal
    """
    if backup is not None:
        from agent_journal.cli.journal_restoring import restore_backup

        if session_ids or everything or all_versions:
            raise UsageError("--from restores a whole journal", "leave out the ids and --all")
        return restore_backup(backup, output, as_json)
    from agent_journal.store.restore import restore as write_back

    if not session_ids and not everything:
        raise UsageError("no session given", "name one or more ids, or --all; 'aj ls' lists them")
    if session_ids and everything:
        raise UsageError("give ids or --all, not both")
    if not output:
        raise UsageError("no folder given", "name the folder to write into with -o")
    with Journal.open() as journal:
        rows = _chosen_files(journal, session_ids)
        files = list(write_back(journal.db, journal.archive, rows, output, all_versions))
    if as_json:
        from agent_journal.answers.restored import restored_answer

        print_json(restored_answer(files))
    else:
        _print(files, output)
    return int(any(file.reason is not None for file in files))


def _chosen_files(journal: Journal, session_ids: Sequence[str]) -> list[FileRow]:
    """Return the files of some sessions, or all files when none is named."""
    from agent_journal.store.catalog.files import Files
    from agent_journal.store.restore import files_of

    if not session_ids:
        return Files(journal.db).kept()
    rows: list[FileRow] = []
    for text in session_ids:
        rows += files_of(journal.db, journal.row(text))
    return list(dict.fromkeys(rows))


def _about_rows(count: int, output: str) -> str:
    form = "a form of aj's own (#rows in the name)"
    reader = f"'aj import {shell_word(output)}' does"
    if count == 1:
        return f"1 file has {form}: agents do not read it, {reader}"
    return f"{count:,} files have {form}: agents do not read them, {reader}"


def _print(files: Sequence[Restored], output: str) -> None:
    written = [file for file in files if file.is_new]
    failed = [file for file in files if file.reason is not None]
    size = human_size(sum(file.size for file in written))
    note(f"{plural(len(written), 'file')} written ({size}) to {short_path(output)}")
    unchanged = len(files) - len(written) - len(failed)
    if unchanged:
        note(f"{plural(unchanged, 'file')} already there with the same content")
    rows = sum(ROWS_MARK in file.path for file in files)
    if rows:
        note(_about_rows(rows, output))
    for file in failed:
        note(f"not written: {safe(file.path)}: {safe(file.reason or '')}")
    if any("archive" in (file.reason or "") for file in failed):
        note(
            "run 'aj sync --full' while the agent's files still exist, "
            "or restore the archive from a backup"
        )
