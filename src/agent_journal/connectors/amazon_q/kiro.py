"""Kiro CLI, which Amazon Q CLI became: the same database with another table."""

from __future__ import annotations

from agent_journal.connectors.amazon_q import AmazonQ
from agent_journal.connectors.hooks import ResumeMethod


class Kiro(AmazonQ):
    """The connector for Kiro CLI."""

    name = "kiro"
    title = "Kiro CLI"
    resume_method = ResumeMethod(
        "Kiro CLI",
        instead="run 'kiro-cli chat --resume' in its folder: it continues the last conversation",
    )
    folder = "kiro-cli"
    table = "conversations_v2"


CONNECTOR = Kiro()
