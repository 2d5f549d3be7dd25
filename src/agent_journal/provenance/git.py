"""Asks git through its own program, so that nothing a repository says can run another one.

The settings of a repository belong to whoever made it. Git would run hooks, external diffs, text
conversions, filters, a file system monitor and programs for signatures and remotes that are named
there: all of them are switched off.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Sequence
from typing import NamedTuple

from agent_journal.errors import JournalError
from agent_journal.text.plain import one_line

_OFF = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "core.quotePath": "false",
    "core.attributesFile": os.devnull,
    "core.sshCommand": "false",
    "core.untrackedCache": "false",
    "core.commitGraph": "true",
    "diff.external": "",
    "diff.orderFile": "",
    "diff.submodule": "short",
    "log.showSignature": "false",
    "protocol.allow": "never",  # of a partial clone, nothing is fetched
    "submodule.recurse": "false",
    "color.ui": "false",
    "maintenance.auto": "false",
    "gc.auto": "0",
}
# What a repository can have git run on the text of files, for names of its own
_RUNS = (".clean", ".smudge", ".process", ".textconv", ".command")
_KEPT = ("GIT_INDEX_FILE", "GIT_SSL_NO_VERIFY", "GIT_CEILING_DIRECTORIES")
_UNSAFE = "dubious ownership"
_UNSAFE_FOLDER = re.compile(r"dubious ownership in repository at '(.+)'")
_NOT_THERE = "not a git repository"
_BARE = "must be run in a work tree"
_NO_REVISIONS = "could not open object name list: "
PATIENCE = 300  # seconds; a setting may name a pipe as a file, of which nothing is ever read
FIRST_COMMIT = "commit:"  # as store/repositories.py names such a project


class GitError(JournalError):
    """Git failed, or refused; the text says what it said."""

    code = "git"


class Done(NamedTuple):
    """How a command of git ended."""

    code: int
    output: bytes
    errors: str


class Git:
    """Git in one folder."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._settings: dict[str, str] | None = None
        self._environment = _environment(_OFF)

    def ask(self, *arguments: str, given: bytes = b"") -> Done:
        """Run a command, which may fail."""
        if self._settings is None:
            self._environment = _environment({**_OFF, **_programs(self.settings())})
        return self._run(arguments, given)

    def order(self, *arguments: str, given: bytes = b"") -> bytes:
        """Run a command that must succeed, and return what it printed."""
        done = self.ask(*arguments, given=given)
        if done.code:
            raise refusal(self.folder, arguments[0], done.errors)
        return done.output

    def settings(self) -> dict[str, str]:
        """What the settings say, by their names; of several values the last."""
        if self._settings is None:
            self._settings = self._read_settings()
        return self._settings

    def _read_settings(self) -> dict[str, str]:
        """Ask for the settings, which runs none of their programs, and check that ours win."""
        found = self._run(("config", "--list", "-z"), b"")
        if found.code:
            raise refusal(self.folder, "config", found.errors)
        settings = {}
        for entry in found.output.decode("utf-8", "surrogateescape").split("\0"):
            name, _, value = entry.partition("\n")
            settings[name] = value
        if any(settings.get(name.lower()) != value for name, value in _OFF.items()):
            hint = "install git 2.31 or later: others run what a repository names as programs"
            raise GitError("git is too old", hint)
        return settings

    def moved(self, folder: str) -> Git:
        """The same in another folder of the repository."""
        other = Git(folder)
        other._settings = self._settings
        other._environment = self._environment
        return other

    def _run(self, arguments: Sequence[str], given: bytes) -> Done:
        command = ["git", "--no-pager", "--literal-pathspecs", *arguments]
        try:
            done = subprocess.run(
                command,
                cwd=self.folder,
                env=self._environment,
                input=given,
                capture_output=True,
                timeout=PATIENCE,
            )
        except subprocess.TimeoutExpired as error:
            message = f"git {arguments[0]} did not end within {PATIENCE} s in {self.folder}"
            raise GitError(message, "see whether it ends when you run it there") from error
        except OSError as error:
            raise self._not_run(error) from error
        return Done(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))

    def _not_run(self, error: OSError) -> JournalError:
        if not os.path.isdir(self.folder):
            return JournalError(f"there is no folder {self.folder}")
        if isinstance(error, FileNotFoundError):
            hint = "install git, or put it where PATH names it"
            return GitError("git is not installed", hint)
        return GitError(f"git cannot be run: {error.strerror or error}")


def _programs(settings: dict[str, str]) -> dict[str, str]:
    """Settings that name programs which git would run on the text of files, with none instead."""
    off = {}
    for name in settings:
        if not name.startswith(("filter.", "diff.")):
            continue
        if name.endswith(_RUNS):
            off[name] = ""
        elif name.endswith(".required"):
            off[name] = "false"
    return off


def _environment(settings: dict[str, str]) -> dict[str, str]:
    """What git gets to know: settings that win over all files, and none of our caller's."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name in _KEPT
    }
    kept.update(
        LC_ALL="C",
        GIT_OPTIONAL_LOCKS="0",  # nothing is written, not even the index
        GIT_TERMINAL_PROMPT="0",
        GIT_NO_LAZY_FETCH="1",
        GIT_NO_REPLACE_OBJECTS="1",
        GIT_ATTR_NOSYSTEM="1",
        GIT_CONFIG_COUNT=str(len(settings)),
    )
    for number, (name, value) in enumerate(settings.items()):
        kept[f"GIT_CONFIG_KEY_{number}"] = name
        kept[f"GIT_CONFIG_VALUE_{number}"] = value
    return kept


def refusal(folder: str, command: str, errors: str) -> JournalError:
    """The error for a command that failed, from what git said."""
    if _UNSAFE in errors:
        found = _UNSAFE_FOLDER.search(errors)  # the repository, not a folder in it
        whole = found[1] if found else folder
        return GitError(
            f"git refuses {whole}: it belongs to another user",
            f"if you trust it: git config --global --add safe.directory {shlex.quote(whole)}",
        )
    if _NO_REVISIONS in errors:
        named = one_line(errors.partition(_NO_REVISIONS)[2], 300)
        return GitError(
            f"git blame needs {named}, which the setting blame.ignoreRevsFile names",
            "make an empty file with this name, or take the setting out",
        )
    if _BARE in errors:
        return GitError(f"{folder} is a repository without files", "go to a clone of it")
    if _NOT_THERE in errors:
        return GitError(f"{folder} is not in a git repository", "go to one, or name a file of one")
    said = one_line(errors, 300) or "it did not say why"
    return GitError(f"git {command} failed: {said}")


# -- repositories ------------------------------------------------------------------------------


class Repository(NamedTuple):
    """A repository as one of its working trees sees it."""

    git: Git
    root: str  # the working tree
    roots: tuple[str, ...]  # of all its working trees
    has_commits: bool

    def relative(self, path: str) -> str:
        """The path of a file as git has it, from its absolute path."""
        folder, name = os.path.split(path)
        whole = os.path.join(os.path.realpath(folder), name)
        relative = os.path.relpath(whole, self.root)
        if relative == os.pardir or relative.startswith(os.pardir + os.sep):
            raise JournalError(f"{path} is not in {self.root}")
        return relative.replace(os.sep, "/")


def open_repository(folder: str) -> Repository:
    """The repository that a folder is in."""
    git = Git(folder)
    done = git.ask("rev-parse", "--show-toplevel", "--git-common-dir", "HEAD")
    top, common, *_ = [*done.output.decode("utf-8", "surrogateescape").split("\n"), "", ""]
    if not top:
        raise refusal(folder, "rev-parse", done.errors)
    root = os.path.realpath(top)
    git = git.moved(root)
    roots: tuple[str, ...] = (root,)
    if not _has_one_tree(root, os.path.join(folder, common)):
        roots = _working_trees(git)
    return Repository(git, root, roots, done.code == 0)


def _has_one_tree(root: str, common: str) -> bool:
    """Whether a repository is in its only working tree, so that git need not be asked."""
    is_within = os.path.realpath(common) == os.path.join(root, ".git")
    return is_within and not os.path.lexists(os.path.join(common, "worktrees"))


def _working_trees(git: Git) -> tuple[str, ...]:
    """The folders of all working trees, that of `git` first."""
    trees = git.ask("worktree", "list", "--porcelain").output.decode("utf-8", "surrogateescape")
    roots = [git.folder]
    for line in trees.split("\n"):
        if line.startswith("worktree "):
            roots.append(os.path.realpath(line.removeprefix("worktree ")))
    return tuple(dict.fromkeys(roots))


def projects_of(repository: Repository) -> set[str]:
    """The projects that sessions in a repository, or in a clone of it, may belong to."""
    from agent_journal.store.repositories import project_of
    from agent_journal.text.names import repository_name

    found = {project_of(repository.root)}
    for name, address in repository.git.settings().items():
        if not (name.startswith("remote.") and name.endswith(".url")):
            continue
        found.add(repository_name(address))
        folder = address.removeprefix("file://")
        if os.path.isabs(folder):  # a clone of a repository on this machine
            found.add(project_of(folder))
    return {name for name in found if name}


def first_commits(repository: Repository) -> set[str]:
    """The projects of a repository without a remote: the commits that it began with.

    Git has to go through the whole history for them.
    """
    if not repository.has_commits:
        return set()
    done = repository.git.ask("rev-list", "--max-parents=0", "HEAD")
    return {f"{FIRST_COMMIT}{sha}" for sha in done.output.decode("ascii", "replace").split()}


def folder_of(path: str) -> str:
    """The nearest folder above a path that exists: the file may have been deleted."""
    folder = os.path.abspath(path)
    while not os.path.isdir(folder):
        above = os.path.dirname(folder)
        if above == folder:
            break
        folder = above
    return folder
