"""`aj import-journal`: add another journal to this one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from agent_journal.cli.options import json_option
from agent_journal.cli.output import ProgressBar, note, print_json
from agent_journal.journal import Journal
from agent_journal.text.human import human_size, plural, short_path
from agent_journal.text.plain import safe

if TYPE_CHECKING:
    from agent_journal.sync.merging import Merged

_MOST_NAMED = 10


@click.command("import-journal")
@click.argument("source", metavar="DIR|FILE.tar.zst", type=click.Path(exists=True))
@json_option
def import_journal(source: str, as_json: bool) -> int:
    """Add another journal or a backup to this one.

    For the journal of another machine, also one with another home folder or user name, and for a
    backup. The other journal is only read. Every version of every file is added that is not here
    yet; the same bytes are kept once, and the same session is shown once. Where a file differs,
    both versions are kept, and the newer one is shown. Paths stay as they were there.

    Your marks and what you have pruned are merged, and the newest decision counts. Sessions that
    were deleted here for good are left out. Running it again adds nothing, and completes an import
    that was interrupted. Exits with 1 if the other journal is damaged: what it has is added.

    \b
    Examples:
      aj import-journal /media/disk/journal
      aj import-journal old-laptop.tar.zst
      aj import-journal /mnt/old/home/ann/.agent-journal
    """
    from agent_journal.sync.from_archive import read_archive
    from agent_journal.sync.merging import merge_journal

    source = os.path.abspath(source)
    with Journal.open() as journal:
        bar = ProgressBar("copying")

        def tell(done: int, total: int, name: str) -> None:
            bar.show(done, total, f"{human_size(done)} of {human_size(total)}")

        try:
            before = read_archive(journal.config, journal.env).sessions
            merged = merge_journal(journal.config, source, tell)
            bar.done()
            bar = ProgressBar("reading")
            after = read_archive(journal.config, journal.env, bar).sessions
        finally:
            bar.done()
    if as_json:
        from agent_journal.answers.merged import merged_answer

        print_json(merged_answer(merged, before, after))
    else:
        _print(source, merged, before, after)
    return int(bool(merged.lacking))


def _print(source: str, merged: Merged, before: int, after: int) -> None:
    files = plural(merged.files, "file")
    note(f"{short_path(source)}: {files}, {merged.files - merged.new_files:,} already here")
    if merged.new_files:
        added = plural(merged.new_files, "file")
        versions = plural(merged.versions, "version")
        note(f"added {added}, {versions}, {human_size(merged.bytes)}")
    if merged.marks:
        note(f"added {plural(merged.marks, 'mark')}")
    if merged.pruned_files:
        note(
            f"left out {plural(merged.pruned_files, 'file')} of sessions that were deleted here; "
            "'aj prune --forget all' lets them in"
        )
    note(
        f"every version of {plural(merged.proven_files, 'file')} is here; "
        f"{after:,} sessions, {before:,} before"
    )
    for line in merged.lacking[:_MOST_NAMED]:
        note(f"lacking: {safe(line)}")
    if len(merged.lacking) > _MOST_NAMED:
        note(f"and {len(merged.lacking) - _MOST_NAMED:,} more")
