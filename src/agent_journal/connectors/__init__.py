"""The agents this version can read, each in its own module, imported when it is used."""

from __future__ import annotations

from importlib import import_module

from agent_journal.connectors.base import Connector, FileIdentity, Reader

_MODULES = {
    "claude-code": "agent_journal.connectors.claude_code",
    "copilot-cli": "agent_journal.connectors.copilot_cli",
    "vscode-chat": "agent_journal.connectors.vscode_chat",
    "vscode-export": "agent_journal.connectors.vscode_export",
}
NAMES = tuple(_MODULES)


def get_connector(name: str) -> Connector:
    """The connector of an agent; KeyError when there is none of that name."""
    connector: Connector = import_module(_MODULES[name]).CONNECTOR
    return connector


def make_reader(connector: Connector, file: FileIdentity, state: bytes | None) -> Reader:
    """A reader for a file of an agent: the agent's own, or that of our exports, which hold sessions of any agent."""
    if file.role == "export":
        from agent_journal.connectors.exported import ExportReader

        return ExportReader(file)
    return connector.reader(file, state)
