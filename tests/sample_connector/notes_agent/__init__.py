"""Notes Agent: lists the notebooks under `~/.notes-agent`; `reader` imports what reads them."""

from __future__ import annotations

import os
from collections.abc import Iterator

from agent_journal.connectors.base import (
    Env,
    FileIdentity,
    FoundFile,
    Reader,
    Recognition,
    Unlisted,
    found_file,
    listing,
)


class NotesAgent:
    """The connector."""

    name = "notes-agent"  # as in pyproject.toml, and in `aj ls --agent notes-agent`
    title = "Notes Agent"
    version = 1  # raise it when pieces or reasons change: kept files are then read again

    def roots(self, env: Env) -> list[str]:
        """`$NOTES_AGENT_HOME`, or `~/.notes-agent`."""
        return [env.variable("NOTES_AGENT_HOME") or env.path(".notes-agent")]

    def normalize_root(self, path: str) -> str:
        """The folder around `notebooks`, if a person configured that one."""
        parent, last = os.path.split(path)
        if last == "notebooks":
            return parent
        return path

    def retention_days(self, root: str) -> int | None:
        """Notes Agent deletes nothing."""
        return None

    def discover(self, root: str) -> Iterator[FoundFile | Unlisted]:
        """All notebooks, their names and sketches: listed, never opened."""
        unlisted: list[Unlisted] = []
        for entry in listing(os.path.join(root, "notebooks"), unlisted.append):
            if entry.name.endswith(".jsonl"):
                session_id = entry.name.removesuffix(".jsonl")
                yield from found_file(entry, f"notebooks/{entry.name}", "log", unlisted, session_id)
        for entry in listing(root, unlisted.append):
            if entry.name == "names.json":
                yield from found_file(entry, entry.name, "document", unlisted)
        for entry in listing(os.path.join(root, "sketches"), unlisted.append):
            yield from found_file(entry, f"sketches/{entry.name}", "kept", unlisted)
        yield from unlisted

    def reader(self, file: FileIdentity, state: bytes | None) -> Reader:
        """A reader for one file; for a notebook at the start, or where `state` was saved."""
        if file.role == "log":
            from notes_agent.reading import NotebookReader

            return NotebookReader(file, state)
        from notes_agent.documents import NamesReader, sketch_reader

        if file.role == "document":
            return NamesReader(file)
        return sketch_reader(file)

    def recognise(self, path: str, head: bytes) -> Recognition | None:
        """Optional: recognise a notebook for `aj import`."""
        if not head.startswith(b'{"kind":"open"'):
            return None
        return Recognition("log", os.path.basename(path).removesuffix(".jsonl"))


CONNECTOR = NotesAgent()
