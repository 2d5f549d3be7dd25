"""The agents this version can read, each in its own module, imported when it is used."""

from __future__ import annotations

from importlib import import_module

from agent_journal.connectors.base import Connector

_MODULES = {
    "claude-code": "agent_journal.connectors.claude_code",
    "copilot-cli": "agent_journal.connectors.copilot_cli",
    "vscode-chat": "agent_journal.connectors.vscode_chat",
    "cursor": "agent_journal.connectors.cursor",
    "vscode-export": "agent_journal.connectors.vscode_export",
}
NAMES = tuple(_MODULES)


def get_connector(name: str) -> Connector:
    """The connector of an agent; KeyError when there is none of that name."""
    connector: Connector = import_module(_MODULES[name]).CONNECTOR
    return connector
