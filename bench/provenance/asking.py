"""Asks `aj blame` about every line of a repository, in this process."""

from __future__ import annotations

import contextlib
import io
import json
import os
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from agent_journal.cli.main import cli
from agent_journal.config.loading import load
from agent_journal.journal import Journal


class Answer(NamedTuple):
    """What `aj blame` says about a line. `session` is None where no session is named."""

    path: str
    line: int
    kind: str  # the class: `written`, `beside`, …
    session: str | None
    others: tuple[str, ...]
    commit: str | None


def sync(home: str) -> None:
    """Make the journal of a home folder."""
    with _environment(home) as variables, Journal(load(variables), variables) as journal:
        journal.sync()


def blame(home: str, repository: str, paths: list[str]) -> list[Answer]:
    """Return what is said about each line of these files."""
    answers: list[Answer] = []
    with _environment(home), contextlib.chdir(repository):
        for path in paths:
            answers += _blame_file(path)
    return answers


def _blame_file(path: str) -> list[Answer]:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        cli.main(["blame", path, "--json"], standalone_mode=False)
    return [_answer(item) for item in json.loads(printed.getvalue())["items"]]


def _answer(item: dict[str, object]) -> Answer:
    session = item["session"]
    others = item["others"]
    assert isinstance(others, list)
    return Answer(
        path=str(item["path"]),
        line=int(str(item["line"])),
        kind=str(item["class"]),
        session=None if session is None else str(session),
        others=tuple(str(other["session"]) for other in others),
        commit=str(item["commit"]),
    )


@contextlib.contextmanager
def _environment(home: str) -> Iterator[Mapping[str, str]]:
    """Let every command see this home folder and its journal."""
    kept = dict(os.environ)
    os.environ["HOME"] = home
    os.environ["AJ_HOME"] = os.path.join(home, ".agent-journal")
    try:
        yield dict(os.environ)
    finally:
        os.environ.clear()
        os.environ.update(kept)
