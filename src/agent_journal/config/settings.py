"""The table of everything a user can set: names, kinds, defaults, and the variables that set them.

Every command reads this first, so it imports next to nothing.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from agent_journal.errors import ConfigError
from agent_journal.text.suggestions import did_you_mean

Kind = Literal["path", "paths", "text", "int", "bool", "choice"]
Value = str | int | bool | list[str] | None


class Setting(NamedTuple):
    """One thing a user can set. A default of None is worked out at run time; `meaning` says how."""

    key: str
    kind: Kind
    default: Value
    meaning: str
    choices: tuple[str, ...] = ()
    minimum: int = 0

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables that set it, the one that wins first."""
        long = "AJ_" + self.key.replace(".", "_").upper()
        return (SHORT_VARIABLES[self.key], long) if self.key in SHORT_VARIABLES else (long,)


_FALLBACKS = ("table", "hash", "none")
_FORMATS = ("html", "markdown", "md", "json", "jsonl")
SETTINGS: dict[str, Setting] = {
    setting.key: setting
    for setting in (
        Setting(
            "storage.index_path",
            "path",
            None,
            "Folder of the database; `index` in the journal folder.",
        ),
        Setting(
            "storage.sources.copilot_cli",
            "paths",
            None,
            "Where GitHub Copilot CLI keeps its files.",
        ),
        Setting("storage.sources.claude_code", "paths", None, "Where Claude Code keeps its files."),
        Setting("storage.sources.codex", "paths", None, "Where OpenAI Codex CLI keeps its files."),
        Setting("storage.sources.gemini", "paths", None, "Where Gemini CLI keeps its files."),
        Setting("storage.sources.cursor", "paths", None, "Where Cursor keeps its files."),
        Setting(
            "storage.sources.aider",
            "paths",
            None,
            "Where Aider keeps its files; may be a glob pattern.",
        ),
        Setting(
            "storage.sources.vscode",
            "paths",
            None,
            "Where VS Code and its relatives keep their `User` folders.",
        ),
        Setting(
            "index.lucene_ram_buffer_mb",
            "int",
            128,
            "Memory of the index writer, in MB.",
            minimum=1,
        ),
        Setting(
            "index.vector_precision",
            "choice",
            "int8",
            "How vectors are stored.",
            ("f16", "f32", "int8"),
        ),
        Setting(
            "index.vector.enabled", "bool", True, "Whether vectors are made, for search by meaning."
        ),
        Setting(
            "index.vector.model_path",
            "path",
            None,
            "Folder of an ONNX model of sentences; none is needed.",
        ),
        Setting(
            "index.vector.fallback",
            "choice",
            "table",
            "What makes vectors when there is no model.",
            _FALLBACKS,
        ),
        Setting(
            "search.default_mode",
            "choice",
            "hybrid",
            "How search looks.",
            ("lexical", "semantic", "hybrid"),
        ),
        Setting("search.default_context", "int", 0, "Messages shown before and after a hit."),
        Setting("search.max_results", "int", 20, "Most hits shown.", minimum=1),
        Setting("export.default_format", "choice", "html", "Format of an export.", _FORMATS),
        Setting(
            "export.html_theme",
            "choice",
            "dark",
            "Colours of an HTML export.",
            ("dark", "light", "auto"),
        ),
        Setting(
            "export.include_tool_calls",
            "bool",
            True,
            "Whether an export has tool calls and their results.",
        ),
    )
}
# The names people type; they win over the long ones (AJ_STORAGESOURCES_CLAUDE_CODE).
SHORT_VARIABLES = {
    "storage.index_path": "AJ_INDEX_PATH",
    "storage.sources.copilot_cli": "AJ_COPILOT_PATH",
    "storage.sources.claude_code": "AJ_CLAUDE_PATH",
    "storage.sources.codex": "AJ_CODEX_PATH",
    "storage.sources.gemini": "AJ_GEMINI_PATH",
    "storage.sources.cursor": "AJ_CURSOR_PATH",
    "storage.sources.aider": "AJ_AIDER_PATH",
    "storage.sources.vscode": "AJ_VSCODE_PATH",
}
SPECIAL_VARIABLES = {
    "AJ_HOME": "The journal folder, instead of `~/.agent-journal`.",
    "AJ_DEBUG": "Show tracebacks.",
}
SOURCES = "storage.sources."


def get_setting(key: str) -> Setting:
    """The setting of that name; ConfigError with the nearest spelling when there is none."""
    setting = SETTINGS.get(key) or foreign_settings().get(key)
    if setting is None:
        hint = did_you_mean(key, SETTINGS) or "'aj config show' lists all settings"
        raise ConfigError(f"there is no setting {key!r}", hint)
    return setting


def foreign_settings() -> dict[str, Setting]:
    """The settings for agents of other packages: where their files are. Looked up only for a name
    that is not ours.
    """
    from agent_journal.connectors import plugins

    keys = {SOURCES + name.replace("-", "_"): name for name in plugins.declared()}
    settings = (
        Setting(key, "paths", None, f"Where the files of `{name}` are.")
        for key, name in keys.items()
    )
    return {setting.key: setting for setting in settings if setting.key not in SETTINGS}
