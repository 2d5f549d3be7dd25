"""The agents this version can read, each imported on use, and those of other packages."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from agent_journal.connectors import plugins
from agent_journal.connectors.base import Connector, FileIdentity, Reader
from agent_journal.connectors.hooks import AgentConnector

# Where the connector of each agent is: in CONNECTOR, unless another name is given
_MODULES = {
    "aider": "agent_journal.connectors.aider",
    "claude-code": "agent_journal.connectors.claude_code",
    "codex": "agent_journal.connectors.codex",
    "copilot-cli": "agent_journal.connectors.copilot_cli",
    "gemini": "agent_journal.connectors.gemini",
    "qwen-code": "agent_journal.connectors.qwen_code",
    "cline": "agent_journal.connectors.cline",
    "roo-code": "agent_journal.connectors.cline:ROO",
    "kilo-code": "agent_journal.connectors.cline:KILO",
    "continue": "agent_journal.connectors.continue_dev",
    "vscode-chat": "agent_journal.connectors.vscode_chat",
    "cursor": "agent_journal.connectors.cursor",
    "pi": "agent_journal.connectors.pi",
    "openclaw": "agent_journal.connectors.openclaw",
    "kimi-cli": "agent_journal.connectors.kimi_cli",
    "kimi-code": "agent_journal.connectors.kimi_code",
    "droid": "agent_journal.connectors.droid",
    "grok": "agent_journal.connectors.grok",
    "opencode": "agent_journal.connectors.opencode",
    "kilo": "agent_journal.connectors.opencode.kilo",
    "crush": "agent_journal.connectors.crush",
    "goose": "agent_journal.connectors.goose",
    "zed": "agent_journal.connectors.zed",
    "amazon-q": "agent_journal.connectors.amazon_q",
    "kiro": "agent_journal.connectors.amazon_q.kiro",
    "vscode-export": "agent_journal.connectors.vscode_export",
}
BUILT_IN = tuple(_MODULES)
# With those of other packages, which are looked up on each use: do not ask for it at import time
NAMES: tuple[str, ...]


def __getattr__(name: str) -> Any:
    if name != "NAMES":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return (*BUILT_IN, *(agent for agent in plugins.declared() if agent not in _MODULES))


def is_agent(name: str) -> bool:
    """Whether there is an agent of that name; ours first, since other packages take time."""
    return name in _MODULES or name in plugins.declared()


def get_connector(name: str) -> AgentConnector:
    """The connector of an agent.

    Raises KeyError if there is none of that name, BrokenConnector if it cannot be used.
    """
    if name in _MODULES:
        module, _, attribute = _MODULES[name].partition(":")
        connector: AgentConnector = getattr(import_module(module), attribute or "CONNECTOR")
        return connector
    place = plugins.declared()[name]
    from agent_journal.connectors.foreign import load

    return load(name, place)


def make_reader(connector: Connector, file: FileIdentity, state: bytes | None) -> Reader:
    """A reader for a file of an agent; our exports hold sessions of any agent."""
    if file.role == "export":
        from agent_journal.connectors.exported import ExportReader

        return ExportReader(file)
    return connector.reader(file, state)
