"""Where each agent keeps its MCP servers, and what our entry there looks like."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from agent_journal.config.loading import home
from agent_journal.connectors.base import Env
from agent_journal.convert.own_program import program_words
from agent_journal.convert.settings_entries import Entry

NAME = "agent-journal"
_BACKUP = ".before-aj-mcp"


class McpClient(NamedTuple):
    """An agent that starts MCP servers."""

    title: str
    user_file: Callable[[Env], str]
    project_file: str  # below the folder of a project
    names: tuple[str, ...]  # that lead to its servers
    extra: Mapping[str, Any]  # what an entry has beside the command


def _claude_code(env: Env) -> str:
    folder = env.variable("CLAUDE_CONFIG_DIR") or env.home
    return os.path.join(folder, ".claude.json")


def _vscode(env: Env) -> str:
    if env.platform == "darwin":
        base = env.path("Library", "Application Support")
    elif env.platform == "win32":
        base = env.variable("APPDATA") or env.path("AppData", "Roaming")
    else:
        base = env.variable("XDG_CONFIG_HOME") or env.path(".config")
    return os.path.join(base, "Code", "User", "mcp.json")


def _copilot_cli(env: Env) -> str:
    return os.path.join(env.variable("COPILOT_HOME") or env.path(".copilot"), "mcp-config.json")


def _cursor(env: Env) -> str:
    return env.path(".cursor", "mcp.json")


def _codex(env: Env) -> str:
    return os.path.join(env.variable("CODEX_HOME") or env.path(".codex"), "config.toml")


def _gemini(env: Env) -> str:
    home = env.variable("GEMINI_CLI_HOME") or env.home
    return os.path.join(home, ".gemini", "settings.json")


CLIENTS = {
    "claude-code": McpClient(
        "Claude Code", _claude_code, ".mcp.json", ("mcpServers",), {"type": "stdio"}
    ),
    "vscode": McpClient("VS Code", _vscode, ".vscode/mcp.json", ("servers",), {"type": "stdio"}),
    "copilot-cli": McpClient(
        "Copilot CLI",
        _copilot_cli,
        ".github/mcp.json",
        ("mcpServers",),
        {"type": "local", "tools": ["*"]},
    ),
    "cursor": McpClient("Cursor", _cursor, ".cursor/mcp.json", ("mcpServers",), {}),
    "codex": McpClient("Codex", _codex, ".codex/config.toml", ("mcp_servers",), {}),
    "gemini": McpClient("Gemini CLI", _gemini, ".gemini/settings.json", ("mcpServers",), {}),
}


def mcp_entry(agent: str, env: Env, *, of_project: bool) -> Entry:
    """Our entry in the settings of an agent: the user's, or those of the project here."""
    client = CLIENTS[agent]
    path = client.user_file(env)
    words = program_words()
    if of_project:
        path = os.path.join(env.folder, client.project_file)
        words = ["aj"]  # the file is shared: the path of our program is another one elsewhere
    command, *arguments = words
    value: dict[str, Any] = {"command": command, "args": [*arguments, "mcp"]}
    if "type" in client.extra:
        value = {"type": client.extra["type"], **value}
    value |= {name: extra for name, extra in client.extra.items() if name != "type"}
    if env.variable("AJ_HOME") and not of_project:  # an agent that no shell started lacks it
        value["env"] = {"AJ_HOME": home(env.variables)}
    return Entry(path, (*client.names, NAME), value, _BACKUP)
