"""Amazon Q CLI: conversations in a database that also holds credentials.

    ~/.local/share/amazon-q/data.sqlite3

Only the rows with conversations are taken. What Kiro CLI does otherwise is said by its class
(kiro.py). This module only lists files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from agent_journal.connectors.base import (
    ROWS_MARK,
    Env,
    Extract,
    FileIdentity,
    FoundFile,
    Reader,
    Recognition,
    Unlisted,
    found_file,
    listing,
    with_unlisted,
)
from agent_journal.connectors.hooks import AgentConnector, ResumeMethod
from agent_journal.connectors.restored_rows import restored_rows

DATABASE = "data.sqlite3"
COPY_MARK = ".copy-"  # in the name of an extract, behind the id of the session


class AmazonQ(AgentConnector):
    """The connector for Amazon Q CLI."""

    name = "amazon-q"
    title = "Amazon Q CLI"
    version = 1
    databases = (DATABASE,)
    has_shared_database_names = True  # with Kiro CLI
    resume_method = ResumeMethod(
        "Amazon Q CLI",
        instead="run 'q chat --resume' in its folder: it continues the last conversation there",
    )
    folder = "amazon-q"
    table = "conversations"

    def roots(self, env: Env) -> list[str]:
        """Return the folder in the local data of the user."""
        if env.platform == "darwin":
            return [env.path("Library", "Application Support", self.folder)]
        if env.platform == "win32":
            data = env.variable("LOCALAPPDATA") or env.path("AppData", "Local")
            return [os.path.join(data, self.folder)]
        data = env.variable("XDG_DATA_HOME") or env.path(".local", "share")
        return [os.path.join(data, self.folder)]

    def normalize_root(self, path: str) -> str:
        """Return the path: it is the folder of the database."""
        return path

    def retention_days(self, root: str) -> int | None:
        """Return None: a conversation is lost when the next one begins in its folder."""
        return None

    def discover(self, root: str) -> Iterator[FoundFile | Unlisted]:
        """Yield the database, of which only rows are kept."""
        return with_unlisted(self._files, root)

    def _files(self, root: str, unlisted: list[Unlisted]) -> Iterator[FoundFile]:
        entries = listing(root, unlisted.append)
        for entry in entries:
            if entry.name == DATABASE:
                yield from found_file(entry, DATABASE, "rows", unlisted)
        yield from restored_rows(entries, "", DATABASE, _recognise_rows, unlisted)

    def extract(self, path: str) -> tuple[list[Extract], str | None]:
        """Return the conversations in the database."""
        from agent_journal.connectors.amazon_q.extracts import extracts

        return extracts(path, self.table), None

    def reader(self, file: FileIdentity, state: bytes | None) -> Reader:
        """Return a reader for a conversation."""
        from agent_journal.connectors.amazon_q.reading import ConversationReader

        return ConversationReader(file, self.name)

    def recognise(self, path: str, head: bytes) -> Recognition | None:
        """A conversation that was restored."""
        is_ours = head.startswith(b'{"table":"' + self.table.encode() + b'"')
        if is_ours and os.path.basename(path).startswith(DATABASE + ROWS_MARK):
            return _recognise_rows(path)
        return None


CONNECTOR = AmazonQ()


def _recognise_rows(path: str) -> Recognition | None:
    from agent_journal.connectors.row_lines import recognise_session

    found = recognise_session(path, 0)
    if found is None or found.session_id is None:
        return found
    return found._replace(session_id=found.session_id.partition(COPY_MARK)[0])
