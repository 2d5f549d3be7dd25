"""What git says of lines: the commit of each line of a file, and the lines that a commit added."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from agent_journal.errors import JournalError
from agent_journal.provenance.git import GitError, Repository

UNCOMMITTED = ""
_NO_COMMIT = ("0" * 40, "0" * 64)  # the latter with SHA-256
_HUNK = re.compile(rb"@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@")
_MICROS = 1_000_000
_BLAME = ("-w", "--porcelain", "--no-textconv", "--encoding=UTF-8")
_UNKNOWN_TO_GIT = ("no such path", "no such ref", "unknown revision", "bad revision")
_FORMAT = "--format=%H%x00%P%x00%at%x00%ct%x00%an%x00%s"


class Commit(NamedTuple):
    """A commit; without an id it is what is not committed yet. Times are microseconds."""

    sha: str
    authored: int
    committed: int
    subject: str
    author: str = ""
    parents: tuple[str, ...] = ()


class Line(NamedTuple):
    """A line of a file, the commit it is from, and the path of the file there."""

    number: int
    text: str
    commit: str
    path: str


class Blamed(NamedTuple):
    """The lines of a file, and their commits by id."""

    path: str
    lines: list[Line]
    commits: dict[str, Commit]


def decoded(data: bytes) -> str:
    """A line of a file as text, in whatever encoding it is."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


# -- blame -------------------------------------------------------------------------------------


def blame(repository: Repository, path: str, now: int, *, may_be_gone: bool = False) -> Blamed:
    """The lines of a file as it is now, with what is not committed; `now` in microseconds.

    One that `may_be_gone` has no lines where only an earlier commit had it.
    """
    whole = os.path.join(repository.root, *path.split("/"))
    pending = _pending(_changed_at(whole, now), now)
    revision: tuple[str, ...] = ()
    if not os.path.lexists(whole):
        revision = ("HEAD",)
    elif not is_file(whole):  # opening a pipe would never end
        raise JournalError(f"{path} is not a file", "name a file")
    arguments = ("blame", *_BLAME, *revision, "--", path)
    done = repository.git.ask(*arguments)
    if done.code == 0:
        return _parsed(path, done.output, pending)
    is_unknown = any(text in done.errors for text in _UNKNOWN_TO_GIT)
    if is_unknown and not revision:  # not added yet, or there is no commit yet
        return _uncommitted(path, whole, pending)
    if is_unknown and may_be_gone and _was_there(repository, path):
        return Blamed(path, [], {})
    if is_unknown:
        raise JournalError(f"there is no file {path}, and none in the last commit")
    repository.git.order(*arguments)  # raises what it says
    raise GitError(f"git blame failed for {path}")


def _was_there(repository: Repository, path: str) -> bool:
    """Whether a commit that led to the last one had a file."""
    found = repository.git.ask("log", "-1", "--format=%H", "HEAD", "--", path)
    return found.code == 0 and bool(found.output.strip())


def is_file(whole: str) -> bool:
    """Whether a path is that of a file, and not of a link, a folder or a pipe."""
    with suppress(OSError):
        return stat.S_ISREG(os.lstat(whole).st_mode)
    return False


def _uncommitted(path: str, whole: str, pending: Commit) -> Blamed:
    try:
        with open(whole, "rb") as file:
            data = file.read()
    except OSError as error:
        raise JournalError(f"cannot read {whole}: {error.strerror or error}") from error
    if not data:
        return Blamed(path, [], {})
    texts = data.removesuffix(b"\n").split(b"\n")
    lines = [Line(n, decoded(text), UNCOMMITTED, path) for n, text in enumerate(texts, 1)]
    return Blamed(path, lines, {UNCOMMITTED: pending})


def _pending(changed: int, now: int) -> Commit:
    return Commit(UNCOMMITTED, changed, now, "not committed yet")


def _changed_at(whole: str, now: int) -> int:
    """When a file was changed: what is not committed may have waited for long."""
    with suppress(OSError):
        return min(now, os.stat(whole).st_mtime_ns // 1_000)
    return now


def _parsed(path: str, output: bytes, pending: Commit) -> Blamed:
    """Read what `git blame --porcelain` prints: facts of a commit come with its first line."""
    lines: list[Line] = []
    facts: dict[str, dict[str, str]] = {}
    paths: dict[str, str] = {}
    sha = ""
    number = 0
    for raw in output.split(b"\n"):
        if raw.startswith(b"\t"):
            commit = UNCOMMITTED if sha in _NO_COMMIT else sha
            lines.append(Line(number, decoded(raw[1:]), commit, paths.get(sha, path)))
            continue
        head, _, rest = raw.partition(b" ")
        if len(head) in (40, 64) and rest[:1].isdigit():
            sha = head.decode("ascii")
            number = int(rest.split(b" ")[1])
            facts.setdefault(sha, {})
        elif head == b"filename":
            paths[sha] = _unquoted(rest)
        elif head:
            facts[sha][head.decode("ascii", "replace")] = decoded(rest)
    commits = {}
    for sha, found in facts.items():
        if sha in _NO_COMMIT:
            commits[UNCOMMITTED] = pending
        else:
            commits[sha] = _commit(sha, found)
    return Blamed(path, lines, commits)


def _commit(sha: str, facts: dict[str, str]) -> Commit:
    return Commit(
        sha,
        _time(facts.get("author-time")),
        _time(facts.get("committer-time")),
        facts.get("summary", ""),
        facts.get("author", ""),
    )


def _time(text: str | None) -> int:
    try:
        return int(text or "0") * _MICROS
    except ValueError:
        return 0


def _unquoted(path: bytes) -> str:
    """A path as git prints it: in quotes, with escapes, where it has odd characters."""
    if path.startswith(b'"') and path.endswith(b'"'):
        inner = path[1:-1].decode("latin-1")
        try:
            path = inner.encode("latin-1").decode("unicode_escape").encode("latin-1")
        except (UnicodeDecodeError, UnicodeEncodeError):
            pass
    return path.decode("utf-8", "surrogateescape")


# -- commits -----------------------------------------------------------------------------------


def find_commit(repository: Repository, revision: str) -> Commit:
    """The commit that a revision names."""
    # `:/text` names a commit by its message: nothing can be added to that, only to what it names
    named = _object_named(repository, revision)
    sha = named and _object_named(repository, f"{named}^{{commit}}")
    if not sha:
        raise JournalError(f"git knows no commit {revision!r} in {repository.root}")
    for commit in commits_of(repository, ("-1", sha)):
        return commit
    raise JournalError(f"git knows no commit {revision!r} in {repository.root}")


def _object_named(repository: Repository, revision: str) -> str | None:
    """The id of what a revision names."""
    asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", revision)
    found = repository.git.ask(*asked)
    named = found.output.decode("ascii", "replace").strip().split("\n")[-1]
    if found.code or not named.isalnum():  # `^HEAD` names all but a commit
        return None
    return named


def commits_of(repository: Repository, arguments: tuple[str, ...]) -> Iterator[Commit]:
    """Commits as `git log` lists them."""
    asked = ("log", "-z", "--no-show-signature", "--no-color", "--encoding=UTF-8", _FORMAT)
    output = repository.git.order(*asked, *arguments)
    fields = output.decode("utf-8", "replace").split("\0")
    for at in range(0, len(fields) - 5, 6):
        sha, parents, authored, committed, author, subject = fields[at : at + 6]
        yield Commit(
            sha.strip(), _time(authored), _time(committed), subject, author, tuple(parents.split())
        )


def added_by(repository: Repository, commit: Commit) -> list[Blamed]:
    """The lines that a commit added, file by file; white space alone makes no line new."""
    if len(commit.parents) > 1:
        return []
    arguments = ("diff-tree", "--root", "-r", *_DIFF, commit.sha)
    return _added(repository.git.order(*arguments), commit)


def staged(repository: Repository, now: int) -> list[Blamed]:
    """The lines that the next commit will add: those that are staged."""
    base = "HEAD"
    if not repository.has_commits:
        empty_tree = repository.git.order("hash-object", "-t", "tree", "--stdin")
        base = empty_tree.decode("ascii", "replace").strip()
    output = repository.git.order("diff-index", "--cached", *_DIFF, base, "--")
    return _added(output, _pending(now, now))


_DIFF = (
    *("-p", "-U0", "-M", "-w", "--no-ext-diff", "--no-textconv", "--no-color"),
    *("--src-prefix=a/", "--dst-prefix=b/", "--submodule=short", "--ignore-submodules"),
)


def _added(output: bytes, commit: Commit) -> list[Blamed]:
    files: list[Blamed] = []
    path: str | None = None
    number = 0
    left = 0
    for raw in output.split(b"\n"):
        if left and raw.startswith(b"+"):
            assert path is not None
            files[-1].lines.append(Line(number, decoded(raw[1:]), commit.sha, path))
            number += 1
            left -= 1
        elif raw.startswith(b"+++ "):
            path = _unquoted(raw[4:].rstrip(b"\t")).removeprefix("b/")
            if path != "/dev/null":
                files.append(Blamed(path, [], {commit.sha: commit}))
        elif raw.startswith(b"@@"):
            found = _HUNK.match(raw)
            if found is not None and path != "/dev/null":
                number = int(found[1])
                left = int(found[2] or 1)
    return [file for file in files if file.lines]
