"""A session for the agent it is of already: the kept files themselves, to the byte."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from agent_journal.connectors.base import TRANSCRIPTS
from agent_journal.convert.accounting import MAPPED, Rule, account
from agent_journal.convert.target import Converted, NewFile
from agent_journal.errors import JournalDamaged
from agent_journal.model import Session
from agent_journal.store.archive import Archive
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.store.content import KeptContent
from agent_journal.text.redaction.redact import redact, redact_all

_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
# The transcript that each agent resumes by its name; of any other shape or name it would not be
# found.
_TRANSCRIPTS = {
    "claude-code": re.compile(rf"projects/[^/]+/({_UUID})\.jsonl\Z"),
    "copilot-cli": re.compile(rf"session-state/({_UUID})/events\.jsonl\Z"),
}
_FLAT = re.compile(r"(session-state/[^/]+)\.jsonl\Z")
_START = re.compile(rb'\{[^\n]{0,400}"session\.start"')


def originals(
    db: Connection, archive: Archive, rows: Sequence[FileRow], family: Sequence[Session]
) -> Converted | None:
    """The kept files of a session; None where its agent could not resume from them."""
    files = Files(db)
    found: list[NewFile] = []
    read = next(
        (row.root for row in rows if row.role in TRANSCRIPTS and row.status != "copy"), None
    )
    seen: set[str] = set()
    # What was imported again comes after its own
    for row in sorted(rows, key=lambda one: one.root != read):
        if (
            row.role == "export"
            or row.status == "copy"
            or row.version_id is None
            or row.name in seen
        ):
            continue
        seen.add(row.name)
        version = files.versions(row.id)[-1]
        # Copilot CLI no longer takes transcripts that are one file; the same in a folder it does.
        name = _FLAT.sub(r"\1/events.jsonl", row.name) if row.agent == "copilot-cli" else row.name
        try:
            found.append(
                NewFile(name, b"".join(KeptContent(files, archive, row, version).chunks()))
            )
        except JournalDamaged:
            return None
    main = family[0]
    found.sort(key=lambda file: not _is_transcript(file, main))  # the session itself comes first
    if not found or not _is_transcript(found[0], main):
        return None
    everything: defaultdict[str, Rule] = defaultdict(lambda: MAPPED)
    return Converted(main.id, tuple(found), account(family, everything, lambda message: None))


def _is_transcript(file: NewFile, session: Session) -> bool:
    name = _TRANSCRIPTS[session.agent].match(file.path)
    if name is None or name[1] != session.id or not file.content.strip(b"\0\r\n"):
        return False
    return session.agent != "copilot-cli" or _START.match(file.content) is not None


def without_secrets(converted: Converted, folder: str | None, home: str) -> Converted:
    """The files with remarks in the place of secrets; databases stay behind, for they cannot be
    looked through.

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
        left = [_part(part, folder, home) for part in parts]
        content = file.content if left == parts else "\n".join(left).encode("utf-8", "replace")
        changed += content != file.content
        kept.append(file._replace(content=content))
    converted.losses.dropped("files", "secrets and home folders were taken out of them", changed)
    return converted._replace(files=tuple(kept))


def _part(text: str, folder: str | None, home: str) -> str:
    """A line of a log or a whole file: JSON value by value, so that nothing in it stays hidden
    behind backslashes.
    """

    def without(value: str) -> str:
        return value if value == folder else redact(value, home)

    try:
        value: Any = json.loads(text)
        left = redact_all(value, without)
        return text if left == value else json.dumps(left, separators=(",", ":"))
    except (ValueError, RecursionError):
        pass
    if folder and f"cwd: {folder}\n" in text:  # workspace.yaml
        before, line, after = text.partition(f"cwd: {folder}\n")
        return redact(before, home) + line + redact(after, home)
    return redact(text, home)
