"""A session for its own agent: the kept files themselves, byte for byte."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from agent_journal.connectors import get_connector
from agent_journal.connectors.base import TRANSCRIPTS
from agent_journal.convert.accounting import MAPPED, account, everything
from agent_journal.convert.target import Converted, NewFile
from agent_journal.errors import JournalDamaged
from agent_journal.model import Session
from agent_journal.store.archive import Archive
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.store.content import KeptContent
from agent_journal.text.redaction.redact import redact, redact_all


def originals(
    db: Connection, archive: Archive, rows: Sequence[FileRow], family: Sequence[Session]
) -> Converted | None:
    """The kept files of a session; None where its agent could not resume from them."""
    main = family[0]
    connector = get_connector(main.agent)
    method = connector.resume_method
    if method is not None and method.needs_folder and main.project_path is None:
        return None  # nobody could say where to look for it
    files = Files(db)
    found: list[NewFile] = []
    for row in _rows_to_copy(rows):
        if row.name in connector.shared_files:
            continue
        version = files.versions(row.id)[-1]
        try:
            content = b"".join(KeptContent(files, archive, row, version).chunks())
        except JournalDamaged:
            return None
        found.append(NewFile(connector.resumable_name(row.name), content))

    def is_transcript(file: NewFile) -> bool:
        is_empty = not file.content.strip(b"\0\r\n")
        return not is_empty and connector.is_resumable(file.path, main.id, file.content)

    found.sort(key=lambda file: not is_transcript(file))  # the session itself comes first
    if not found or not is_transcript(found[0]):
        return None
    losses = account(family, everything(MAPPED), lambda message: None)
    return Converted(main.id, tuple(found), losses)


def _rows_to_copy(rows: Sequence[FileRow]) -> Iterator[FileRow]:
    """The files of a session, one of each name: those of the agent's own folder come first."""
    transcripts = (row for row in rows if row.role in TRANSCRIPTS and row.status != "copy")
    own = next(transcripts, None)
    own_root = own.root if own is not None else None
    names: set[str] = set()
    for row in sorted(rows, key=lambda row: row.root != own_root):
        is_copied = row.role != "export" and row.status != "copy" and row.version_id is not None
        if is_copied and row.name not in names:
            names.add(row.name)
            yield row


def without_secrets(converted: Converted, folder: str | None, home: str) -> Converted:
    """The files with secrets replaced by remarks; databases are left out, they cannot be redacted.

    The working `folder` stays: a session is found by it.
    """
    kept: list[NewFile] = []
    changed = 0
    for file in converted.files:
        if file.path.endswith((".db", ".db-wal")):
            converted.losses.dropped(
                "files", "databases cannot be redacted: --no-redact keeps them"
            )
            continue
        text = file.content.decode("utf-8", "replace")
        parts = text.split("\n") if file.path.endswith(".jsonl") else [text]
        redacted = [_redacted_part(part, folder, home) for part in parts]
        if redacted != parts:
            file = file._replace(content="\n".join(redacted).encode("utf-8", "replace"))
            changed += 1
        kept.append(file)
    converted.losses.dropped("files", "redacted: secrets and home folders were removed", changed)
    return converted._replace(files=tuple(kept))


def _redacted_part(text: str, folder: str | None, home: str) -> str:
    """A line of a log or a whole file; JSON value by value, so that no escapes hide a secret."""

    def without(value: str) -> str:
        if value == folder:
            return value
        return redact(value, home)

    try:
        value: Any = json.loads(text)
        redacted = redact_all(value, without)
        if redacted == value:
            return text
        return json.dumps(redacted, separators=(",", ":"), allow_nan=False)
    except (ValueError, RecursionError):
        pass  # it is not JSON, or has numbers that cannot be written again
    if folder and f"cwd: {folder}\n" in text:  # workspace.yaml
        before, line, after = text.partition(f"cwd: {folder}\n")
        return redact(before, home) + line + redact(after, home)
    return redact(text, home)
