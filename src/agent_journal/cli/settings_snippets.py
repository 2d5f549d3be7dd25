"""What a person puts into a settings file that we do not write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from agent_journal.cli.output import echo
from agent_journal.errors import CannotWrite, ConfigError


@contextmanager
def printing_on_failure(snippet: Callable[[], str]) -> Iterator[None]:
    """Print an entry when the file that it belongs into cannot be written."""
    try:
        yield
    except ConfigError as error:
        echo(snippet())
        raise ConfigError(error.message, "the entry above goes there") from error
    except CannotWrite as error:
        echo(snippet())
        raise CannotWrite(error.message, "the entry above goes there") from error
