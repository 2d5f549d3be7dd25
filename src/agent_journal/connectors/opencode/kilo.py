"""Kilo from version 7 on, the command line and the extension: OpenCode under other names."""

from __future__ import annotations

from typing import Any

from agent_journal.connectors.base import Recognition
from agent_journal.connectors.hooks import ResumeMethod
from agent_journal.connectors.opencode import OpenCode


class Kilo(OpenCode):
    """The connector for Kilo."""

    name = "kilo"
    title = "Kilo"
    resume_method = ResumeMethod("Kilo", ("kilo", "--session", "{}"), OpenCode.resume_method.ids)
    folder = "kilo"
    database = "kilo"
    databases = ("kilo.db",)
    database_variable = "KILO_DB"

    def recognise_document(self, path: str, document: Any, content: bytes) -> Recognition | None:
        """An export looks like one of OpenCode, which is asked first."""
        return None


CONNECTOR = Kilo()
