"""`aj restore --from`: a whole journal back from a backup."""

from __future__ import annotations

import os

from agent_journal.cli.output import ProgressBar, note, print_json
from agent_journal.journal import Journal
from agent_journal.store.backup.restoring import SETTINGS_STAY, restore_journal
from agent_journal.store.restore import Restored
from agent_journal.sync.from_archive import is_index_apart, read_archive
from agent_journal.sync.report import Report
from agent_journal.text.human import human_size, plural, short_path
from agent_journal.text.plain import safe, shell_word


def restore_backup(source: str, output: str | None, as_json: bool) -> int:
    """Write a journal back, rebuild what is derived, and return the exit code."""
    source = os.path.abspath(source)
    if output is not None:
        output = os.path.abspath(output)
    with Journal.open(output) as journal:
        home = journal.config.home
    bar = ProgressBar("restoring")

    def tell(done: int, total: int, name: str) -> None:
        bar.show(done, total, f"{human_size(done)} of {human_size(total)}")

    try:
        files = restore_journal(source, home, tell)
    finally:
        bar.done()
    report = _read(output)
    failed = [file for file in files if file.reason not in (None, SETTINGS_STAY)]
    if as_json:
        from agent_journal.answers.restored import restored_answer

        print_json(restored_answer(files))
    else:
        _print(files, home, output, report)
    return int(bool(failed))


def _read(output: str | None) -> Report | None:
    """Rebuild the catalog and its indexes, with the settings that were restored.

    Not where these keep the index in a place that another journal may use.
    """
    with Journal.open(output) as journal:
        config = journal.config
        if is_index_apart(config) and os.path.exists(config.index_path):
            return None
        bar = ProgressBar("reading")
        try:
            return read_archive(config, journal.env, bar)
        finally:
            bar.done()


def _print(files: list[Restored], home: str, output: str | None, report: Report | None) -> None:
    written = [file for file in files if file.is_new]
    size = human_size(sum(file.size for file in written))
    note(f"{plural(len(written), 'file')} written ({size}) to {short_path(home)}")
    for file in files:
        if file.reason is not None:
            note(f"{safe(short_path(file.path))}: {safe(file.reason)}")
    if report is None:
        note(
            "the catalog was not rebuilt: storage.index_path in config.toml is outside of the "
            "journal and in use; change it and run 'aj sync'"
        )
        return
    prefix = ""
    if output is not None:
        prefix = f"AJ_HOME={shell_word(output)} "
    note(f"{plural(report.sessions, 'session')}; '{prefix}aj verify' checks every byte")
