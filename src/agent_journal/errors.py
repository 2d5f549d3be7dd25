"""Everything agent-journal refuses to do, as exceptions a user can act on.

    JournalError                    exit 1   something of ours failed
    ├── UsageError                  exit 2   the command was given wrongly
    │   ├── NoSuchSession                    no session has that id
    │   │   └── NoSessionYet                 the journal seems to be empty
    │   ├── AmbiguousSession                 several sessions have that prefix
    │   └── ConfigError                      a setting has a value it cannot have
    ├── JournalBusy                          another process is writing the journal
    ├── JournalTooNew                        written by a newer agent-journal
    ├── JournalDamaged                       our own file cannot be read
    │   └── CatalogDamaged                   the catalog: 'aj sync' rebuilds it
    │       └── WrittenEarly                 it is not damaged, but of an early version
    ├── CannotWrite                          disk full, no permission, read-only
    └── Declined                             the person answered a question with no

Damage in an agent's files is never an exception: it is a Problem in the ledger.
"""

from __future__ import annotations


class JournalError(Exception):
    """A failure of ours: `code` for programs, the text for people, `hint` for the cure."""

    code = "failed"
    exit_code = 1

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(JournalError):
    """The command or call was given wrongly."""

    code = "usage"
    exit_code = 2


class NoSuchSession(UsageError):
    """No session in the journal has the id that was asked for."""

    code = "no-such-session"


class NoSessionYet(NoSuchSession):
    """The journal seems to be empty."""


class AmbiguousSession(UsageError):
    """Several sessions share the prefix that was asked for."""

    code = "ambiguous-session"


class ConfigError(UsageError):
    """A setting has a value it cannot have, or does not exist."""

    code = "config"


class JournalBusy(JournalError):
    """Another process holds the write lock."""

    code = "busy"


class JournalTooNew(JournalError):
    """The journal was written by a newer agent-journal than this one."""

    code = "journal-too-new"


class JournalDamaged(JournalError):
    """One of the journal's own files cannot be read."""

    code = "journal-damaged"


class CatalogDamaged(JournalDamaged):
    """The catalog cannot be read; it is derived, and a sync rebuilds it from the archive."""


class WrittenEarly(CatalogDamaged):
    """The catalog is whole, and of an early version that only a sync can read."""

    code = "journal-outdated"


class CannotWrite(JournalError):
    """The journal cannot be written: disk full, no permission, read-only file system."""

    code = "cannot-write"


class Declined(JournalError):
    """The person was asked, and said no."""

    code = "declined"


def permission_hint(error: OSError) -> str | None:
    """What to check when the system denied access; None for other errors."""
    if isinstance(error, PermissionError):
        return "check the owner and mode of the folder"
    return None
