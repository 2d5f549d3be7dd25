"""Kilo Code up to version 5: the files of Roo Code under its own name."""

from __future__ import annotations

from agent_journal.connectors.cline import TaskAgent
from agent_journal.connectors.cline.products import KILO_CODE

CONNECTOR = TaskAgent(KILO_CODE)
