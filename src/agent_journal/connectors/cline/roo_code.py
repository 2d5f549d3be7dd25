"""Roo Code: the files of Cline under its own name."""

from __future__ import annotations

from agent_journal.connectors.cline import TaskAgent
from agent_journal.connectors.cline.products import ROO_CODE

CONNECTOR = TaskAgent(ROO_CODE)
