"""`aj provenance`: how much of a repository recorded sessions wrote."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from agent_journal.provenance.attribution import attribute
from agent_journal.provenance.blame import now
from agent_journal.provenance.candidates import Finder
from agent_journal.provenance.history import Commit, blame, is_file
from agent_journal.provenance.verdicts import LineClass, Verdict

Grouping = Literal["agent", "model", "session", "folder"]
_REGULAR = "100"  # how the modes of files begin; links and other repositories have others
_LOOKED_AT = 8_000  # bytes in which a file that is no text has a zero, as git has it
_LARGEST = 5 * 2**20  # bytes of a file: larger ones are data


class Group(NamedTuple):
    """The lines of an agent, model, session or folder; `key` is None for lines of no session."""

    key: str | None
    session: int | None
    classes: Counter[LineClass]
    files: Counter[str]

    @property
    def lines(self) -> int:
        """How many lines these are."""
        return self.classes.total()


class RepositoryShares(NamedTuple):
    """The lines of a repository by what they were asked for."""

    root: str
    head: Commit | None
    groups: list[Group]
    lines: int
    files: int
    skipped: list[str]  # files without lines: data, links
    finder: Finder


def repository_shares(
    finder: Finder,
    head: Commit | None,
    by: Grouping,
    since: int | None = None,
    tell: Callable[[int, int], None] | None = None,
) -> RepositoryShares:
    """Add up who wrote the lines of all files that git knows; `since` in microseconds."""
    repository = finder.repository
    groups: dict[str | None, Group] = {}
    paths = list(_files(finder))
    skipped = []
    lines = files = 0
    for number, path in enumerate(paths):
        if tell is not None:
            tell(number, len(paths))
        if not _is_text(os.path.join(repository.root, *path.split("/"))):
            skipped.append(path)
            continue
        file = blame(repository, path, now())
        verdicts = [
            verdict
            for verdict in attribute(finder, [file]).files[0].verdicts
            if since is None or file.commits[verdict.line.commit].authored >= since
        ]
        files += bool(verdicts)
        lines += len(verdicts)
        _add(finder, groups, path, verdicts, by)
    ordered = sorted(groups.values(), key=lambda group: (group.key is None, -group.lines))
    return RepositoryShares(repository.root, head, ordered, lines, files, skipped, finder)


def _add(
    finder: Finder,
    groups: dict[str | None, Group],
    path: str,
    verdicts: list[Verdict],
    by: Grouping,
) -> None:
    for verdict in verdicts:
        key = _key(finder, path, verdict, by)
        group = groups.get(key)
        if group is None:
            session = verdict.session if by == "session" else None
            group = groups[key] = Group(key, session, Counter(), Counter())
        group.classes[verdict.line_class] += 1
        group.files[path] += 1


def _key(finder: Finder, path: str, verdict: Verdict, by: Grouping) -> str | None:
    if by == "folder":
        folder, _, _ = path.rpartition("/")
        return folder.partition("/")[0] or "."
    if verdict.session is None:
        return None
    row = finder.sessions.row(verdict.session)
    if by == "agent":
        return row.agent
    if by == "session":
        return f"{row.agent}:{row.uid}"
    return _models(row.models)


def _models(listed: str | None) -> str:
    """The models of a session; which of several wrote a line is not recorded with it."""
    import json

    from agent_journal.text.names import model_name

    names = dict.fromkeys(model_name(name) for name in json.loads(listed or "[]"))
    return ", ".join(names) or "unknown"


def _files(finder: Finder) -> Iterator[str]:
    """The files that git knows, as it has them."""
    output = finder.repository.git.order("ls-files", "-s", "-z")
    for entry in output.decode("utf-8", "surrogateescape").split("\0"):
        facts, _, path = entry.partition("\t")
        if path and facts.startswith(_REGULAR):
            yield path


def _is_text(whole: str) -> bool:
    """Whether a file has lines; one that was deleted is left out, too."""
    if not is_file(whole):
        return False
    try:
        with open(whole, "rb") as file:
            is_small = os.fstat(file.fileno()).st_size <= _LARGEST
            return is_small and b"\0" not in file.read(_LOOKED_AT)
    except OSError:
        return False
