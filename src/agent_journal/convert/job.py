"""One run of a conversion: from rows of the catalog to files in a folder."""

from __future__ import annotations

import os
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec.structs import replace

from agent_journal.config.loading import Config
from agent_journal.connectors import get_connector
from agent_journal.connectors.base import Env
from agent_journal.convert import originals, resuming
from agent_journal.convert.losses import Losses
from agent_journal.convert.target import Converted, NewFile, NewIdentity
from agent_journal.convert.targets import TARGETS, get_target, installed_files
from agent_journal.convert.writing import write_session
from agent_journal.errors import UsageError
from agent_journal.export.family import load_family, without_secrets
from agent_journal.export.files import write_file
from agent_journal.model import Message, Session
from agent_journal.store.archive import Archive
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import FileRow
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.sync.discovery import roots_of
from agent_journal.text.redaction.redact import redact

if TYPE_CHECKING:
    from agent_journal.convert.vscode.place import Placed

MARK = b"[redacted "


class Made(NamedTuple):
    """A converted session in memory."""

    row: SessionRow
    target: str
    converted: Converted
    folder: str | None  # in which it is resumed
    is_original: bool
    has_no_folder: bool
    size: int
    journal: str  # its folder, where files are noted until all are written

    def installed(self, where: str) -> Made:
        """It with the names that its files have in the agent's own folder."""
        kept = self.converted.files
        files = installed_files(self.target, kept, where, self.folder)
        paths = {_path_in(where, kept[0]), _path_in(where, files[0])}
        if self.is_original and any(map(os.path.lexists, paths)):
            title = resuming.get_method(self.row.agent).title
            raise UsageError(
                f"{self.row.agent}:{self.row.id} is already in {title}'s folder",
                f"'aj resume {self.row.id}' resumes it",
            )
        return self._replace(converted=self.converted._replace(files=files))

    def write(self, where: str, force: bool, is_installed: bool) -> str:
        """Writes it below a folder; the path of the session itself."""
        first = self.converted.files[0]
        suffix = os.path.splitext(first.path)[1]
        is_one_document = len(self.converted.files) == 1 and not is_installed
        if is_one_document and suffix and where.endswith(suffix):
            write_file(where, [first.content], force)
            return where
        files = self.converted.files
        if not is_installed:
            # A copy of a shared file would replace the agent's own
            files = tuple(file for file in files if not file.is_appended)
        write_session(where, files, force, follows_links=is_installed, journal=self.journal)
        return _path_in(where, files[0])

    def without_content(self) -> Made:
        """Return it without the bytes of its files, to free memory once they are written."""
        files = tuple(file._replace(content=b"") for file in self.converted.files)
        return self._replace(converted=self.converted._replace(files=files))

    def root(self, path: str) -> str:
        """The folder that was written to, by the path of the session in it."""
        for _ in self.converted.files[0].path.split("/"):
            path = os.path.dirname(path)
        return path or "."

    def command(self) -> resuming.Command | None:
        """The command that resumes it; None when its files are opened by hand."""
        agent = TARGETS[self.target].agent
        if agent is None:
            return None
        return resuming.command(agent, self.converted.session_id, self.folder)


class Job:
    """Conversions for one target."""

    def __init__(
        self, config: Config, env: Env, target: str, is_redacted: bool, made_by: str
    ) -> None:
        self.name = target
        self.target = get_target(target)
        self.agent = TARGETS[target].agent
        self.is_redacted = is_redacted
        self._made_by = made_by
        self._config = config
        self._env = env
        self._backups: dict[str, str] = {}  # of VS Code's databases, by path

    def usual_folder(self) -> str:
        """The folder of the target's agent, whether or not it exists."""
        assert self.agent is not None
        return roots_of(get_connector(self.agent), self._config, self._env)[0]

    def agent_folder(self) -> str:
        """The folder of the target's agent, to write into."""
        if self.agent is None:
            raise UsageError(f"{self.name} has no folder to install into", "write a file with -o")
        title = resuming.get_method(self.agent).title
        roots = roots_of(get_connector(self.agent), self._config, self._env)
        found = next((root for root in roots if os.path.isdir(root)), None)
        if found is None:
            raise UsageError(
                f"{title}'s folder does not exist: {roots[0]}",
                f"start {title} once, or write with -o DIR",
            )
        return found

    def convert(
        self,
        db: Connection,
        archive: Archive,
        row: SessionRow,
        rows: Sequence[FileRow],
        other_folder: str | None = None,
    ) -> Made:
        """Converts a session; `rows` are its files where it is a session of the target's agent.

        `other_folder` is where it is resumed, if not in its own.
        """
        # As the agent saw it: a result that was too long for one is too long for the other
        journal = self._config.home
        members = load_family(db, archive, row, with_spills=False)
        before = [member.session for member in members]
        kept = originals.originals(db, archive, rows, before) if rows else None
        if kept is not None:
            if self.is_redacted:
                kept = originals.without_secrets(kept, before[0].project_path, self._env.home)
            return Made(
                row, self.name, kept, before[0].project_path, True, False, _size(kept), journal
            )
        fresh = NewIdentity(
            str(uuid.uuid4()), datetime.now(UTC), lambda: str(uuid.uuid4()), self._made_by
        )
        own = self._own(db, archive, row, before[0], fresh)
        if own is not None:
            return Made(
                row, self.name, own, before[0].project_path, True, False, _size(own), journal
            )
        folder = other_folder or _real(before[0].project_path) or self._env.folder or None
        family = before
        if self.is_redacted:
            family = [without_secrets(session, self._env.home) for session in before]
        if self.agent is not None:
            # An agent finds sessions by their folder
            family = [replace(family[0], project_path=folder), *family[1:]]
        converted = self.target.convert(family, fresh)
        if self.is_redacted:
            for part in ("messages", "file_edits"):
                _report_redaction(part, before, family, converted.losses)
        return Made(
            row,
            self.name,
            converted,
            folder,
            False,
            before[0].project_path is None,
            _size(converted),
            journal,
        )

    def _own(
        self,
        db: Connection,
        archive: Archive,
        row: SessionRow,
        session: Session,
        fresh: NewIdentity,
    ) -> Converted | None:
        """A chat of VS Code for VS Code: its own document, repaired; None for all others."""
        if self.name != "vscode":
            return None
        from agent_journal.convert.vscode.own import convert_own, kept_document

        document = kept_document(db, archive, row)
        if document is None:
            return None
        if not self.is_redacted:
            return convert_own(document, fresh, session)
        home = self._env.home
        return convert_own(document, fresh, session, lambda text: redact(text, home))

    def place(self, made: Made, workspace: str) -> Placed:
        """Puts a chat into a workspace of VS Code."""
        from agent_journal.convert.vscode.place import place

        return place(
            made.converted,
            workspace,
            roots_of(get_connector("vscode-chat"), self._config, self._env),
            self._backups,
            self._config.home,
        )


def _path_in(where: str, file: NewFile) -> str:
    return os.path.join(where, *file.path.split("/"))


def _size(converted: Converted) -> int:
    return sum(len(file.content) for file in converted.files)


def _real(folder: str | None) -> str | None:
    """A working folder without links, as agents name it, where it exists.

    VS Code also opens files that list folders: of these it is the folder they are in.
    """
    if folder and folder.endswith(".code-workspace") and not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    if folder and os.path.isdir(folder):
        return os.path.realpath(folder)
    return folder


def _report_redaction(
    part: str, before: Sequence[Session], after: Sequence[Session], losses: Losses
) -> None:
    """Reports what redaction changed: a secret is lost, a home folder is written as ~."""
    for session, redacted in zip(before, after, strict=True):
        pairs = zip(getattr(session, part), getattr(redacted, part), strict=True)
        for original, changed in pairs:
            old = msgspec.json.encode(_without_place(original))
            new = msgspec.json.encode(_without_place(changed))
            if new.count(MARK) > old.count(MARK):
                losses.dropped(part, "secrets were removed: --no-redact keeps them")
            elif new != old:
                losses.adapted(part, "home folders are written as ~")


def _without_place(item: Any) -> Any:
    """An item without the path of the file it was read from, which no agent keeps."""
    if isinstance(item, Message):
        return replace(item, file=None)
    return item
