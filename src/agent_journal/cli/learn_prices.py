"""A process that looks up the prices of all models in the journal, for `aj statusline`.

Importing the price table takes longer than a status line may.
"""

from __future__ import annotations

import os
import sys

from agent_journal.journal import Journal


def main() -> int:
    """Look the prices up and save them beside the catalog; the exit code of the process."""
    os.umask(0o077)
    with Journal.open() as journal:
        learn(journal)
    return 0


def learn(journal: Journal) -> None:
    """Look up the prices of all models."""
    from agent_journal.query.tree import Query
    from agent_journal.usage.report import report

    report(journal.find_db(), journal.prices(), "model", Query(), str)


if __name__ == "__main__":
    sys.exit(main())
