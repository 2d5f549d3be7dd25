"""`aj backup`: a copy of the whole journal."""

from __future__ import annotations

import os

import click

from agent_journal.cli.options import json_option
from agent_journal.cli.output import ProgressBar, note, print_json
from agent_journal.journal import Journal
from agent_journal.store.backup.folder import BackedUp
from agent_journal.text.human import human_size, plural, short_path
from agent_journal.text.plain import safe, shell_word


@click.command()
@click.argument("target", metavar="DIR|FILE.tar.zst", type=click.Path())
@click.option(
    "--with-index",
    is_flag=True,
    help="Also copy the catalog, so that the backup can be read where it is. Without it, "
    "'aj restore --from' rebuilds the catalog.",
)
@json_option
def backup(target: str, with_index: bool, as_json: bool) -> int:
    """Back the journal up into a folder or a file.

    Copies everything that cannot be rebuilt: the archive, your settings and marks, and when files
    were seen. Syncs may run meanwhile. What was written is read back and its SHA-256 compared.

    A folder is updated: the next backup copies only what is new, and nothing that is damaged in
    the journal replaces what the backup has. If a backup is interrupted, the folder is the backup
    it was before. A file ending in .tar.zst is written whole, and must not exist yet.

    'aj restore --from' gives the journal back. Exits with 1 if something in the journal is damaged.

    \b
    Examples:
      aj backup /media/disk/journal
      aj backup journal-2026-11-30.tar.zst
      aj backup /media/disk/journal --with-index
      aj restore --from /media/disk/journal
    """
    from agent_journal.health.sources import agent_folders
    from agent_journal.store.backup.folder import back_up_to_folder
    from agent_journal.store.backup.tarball import back_up_to_file
    from agent_journal.store.backup.targets import check_target, is_file_name

    target = os.path.abspath(target)
    bar = ProgressBar("backing up")

    def tell(done: int, total: int, name: str) -> None:
        bar.show(done, total, f"{human_size(done)} of {human_size(total)}")

    with Journal.open() as journal:
        config = journal.config
        check_target(target, config.home, agent_folders(config, journal.env))
        journal_paths = (config.home, config.index_path)
        try:
            if is_file_name(target):
                backed_up = back_up_to_file(
                    *journal_paths, target, with_index=with_index, tell=tell
                )
            else:
                backed_up = back_up_to_folder(
                    *journal_paths, target, with_index=with_index, tell=tell
                )
        finally:
            bar.done()
    if as_json:
        from agent_journal.answers.backup import backup_answer

        print_json(backup_answer(target, backed_up))
    else:
        _print(target, backed_up)
    return int(bool(backed_up.warnings))


def _print(target: str, backed_up: BackedUp) -> None:
    for warning in backed_up.warnings:
        note(f"aj: {safe(warning)}")
    size = human_size(sum(file.size for file in backed_up.files))
    new_bytes = sum(file.new_bytes for file in backed_up.files)
    files = plural(len(backed_up.files), "file")
    copied = "nothing was new"
    if new_bytes:
        copied = f"{human_size(new_bytes)} copied and verified"
    note(f"{short_path(target)}: {copied}; the backup has {files}, {size}")
    note(f"'aj restore --from {shell_word(target)}' gives it back")
