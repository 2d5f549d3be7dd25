"""Everything a user can set: names, kinds, defaults, and environment variables.

Every command reads this first, so it imports next to nothing.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from agent_journal.errors import ConfigError

Kind = Literal["path", "paths", "text", "int", "bool", "choice"]
Value = str | int | bool | list[str] | None


class Setting(NamedTuple):
    """One thing a user can set. A default of None is determined at run time."""

    key: str
    kind: Kind
    default: Value
    meaning: str
    choices: tuple[str, ...] = ()
    minimum: int = 0

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables that set it, the one that takes precedence first."""
        long = "AJ_" + self.key.replace(".", "_").upper()
        if self.key in SHORT_VARIABLES:
            return (SHORT_VARIABLES[self.key], long)
        return (long,)


SOURCES = "storage.sources."
_SOURCES = {
    "copilot_cli": "Where GitHub Copilot CLI keeps its files.",
    "claude_code": "Where Claude Code keeps its files.",
    "codex": "Where OpenAI Codex CLI keeps its files.",
    "gemini": "Where Gemini CLI keeps its files.",
    "qwen_code": "Where Qwen Code keeps its files.",
    "cline": "Where Cline keeps its files.",
    "roo_code": "Where Roo Code keeps its files.",
    "kilo_code": "Where Kilo Code up to version 5 keeps its files.",
    "continue": "Where Continue keeps its files.",
    "cursor": "Where Cursor keeps its files.",
    "pi": "Where Pi keeps its `sessions` folder.",
    "openclaw": "Where OpenClaw keeps its files.",
    "kimi_cli": "Where Kimi CLI keeps its files.",
    "kimi_code": "Where Kimi Code keeps its files.",
    "droid": "Where Factory Droid keeps its files.",
    "grok": "Where Grok Build keeps its files.",
    "opencode": "Where OpenCode keeps its files.",
    "kilo": "Where Kilo from version 7 on keeps its files.",
    "crush": "Projects of Crush, or the folders of its databases.",
    "goose": "Where Goose keeps its files.",
    "zed": "Where Zed keeps its files.",
    "amazon_q": "Where Amazon Q CLI keeps its database.",
    "kiro": "Where Kiro CLI keeps its database.",
    "aider": "Where Aider keeps its files; may be a glob pattern.",
    "vscode": "Where VS Code and its relatives keep their `User` folders.",
}
_STORAGE = (
    Setting(
        "storage.index_path",
        "path",
        None,
        "Folder of the index; default: `index` in the journal folder.",
    ),
    *(Setting(SOURCES + name, "paths", None, meaning) for name, meaning in _SOURCES.items()),
)
_INDEX = (
    Setting(
        "index.lucene_ram_buffer_mb", "int", 128, "Memory of the index writer, in MB.", minimum=1
    ),
    Setting(
        "index.vector_precision",
        "choice",
        "int8",
        "How vectors are stored.",
        choices=("f16", "f32", "int8"),
    ),
    Setting(
        "index.vector.enabled", "bool", True, "Whether to make vectors, for search by meaning."
    ),
    Setting("index.vector.model_path", "path", None, "Folder of an ONNX sentence model; optional."),
    Setting(
        "index.vector.fallback",
        "choice",
        "table",
        "What makes vectors when there is no model.",
        choices=("table", "hash", "none"),
    ),
)
_SYNC = (
    Setting(
        "sync.workers",
        "int",
        None,
        "Processes of a large sync, 1 or 2; default: 2 where there is more than one core.",
        minimum=1,
    ),
)
_SEARCH = (
    Setting(
        "search.default_mode",
        "choice",
        "hybrid",
        "How to search.",
        choices=("lexical", "semantic", "hybrid"),
    ),
    Setting("search.default_context", "int", 0, "Messages shown before and after a hit."),
    Setting("search.max_results", "int", 20, "Maximum number of hits.", minimum=1),
)
_EXPORT = (
    Setting(
        "export.default_format",
        "choice",
        "html",
        "Format of an export.",
        choices=("html", "markdown", "md", "json", "jsonl"),
    ),
    Setting(
        "export.html_theme",
        "choice",
        "auto",
        "Colours of an HTML export; `auto` follows the system.",
        choices=("dark", "light", "auto"),
    ),
    Setting("export.include_tool_calls", "bool", True, "Whether to export tool calls and results."),
)
_TUI = (
    Setting(
        "tui.default",
        "bool",
        True,
        "Whether `aj` alone opens the terminal UI; if not, it prints an overview.",
    ),
)
_MCP = (
    Setting(
        "mcp.exclude",
        "paths",
        None,
        "Projects that agents cannot ask about (`aj mcp`): folders, or parts of their names.",
    ),
)
SETTINGS = {
    setting.key: setting
    for setting in (*_STORAGE, *_SYNC, *_INDEX, *_SEARCH, *_EXPORT, *_TUI, *_MCP)
}
# The names people type; they take precedence over the long ones (AJ_STORAGE_SOURCES_CLAUDE_CODE).
SHORT_VARIABLES = {
    "storage.index_path": "AJ_INDEX_PATH",
    "storage.sources.copilot_cli": "AJ_COPILOT_PATH",
    "storage.sources.claude_code": "AJ_CLAUDE_PATH",
    "storage.sources.codex": "AJ_CODEX_PATH",
    "storage.sources.gemini": "AJ_GEMINI_PATH",
    "storage.sources.qwen_code": "AJ_QWEN_CODE_PATH",
    "storage.sources.cline": "AJ_CLINE_PATH",
    "storage.sources.roo_code": "AJ_ROO_CODE_PATH",
    "storage.sources.kilo_code": "AJ_KILO_CODE_PATH",
    "storage.sources.continue": "AJ_CONTINUE_PATH",
    "storage.sources.cursor": "AJ_CURSOR_PATH",
    "storage.sources.pi": "AJ_PI_PATH",
    "storage.sources.openclaw": "AJ_OPENCLAW_PATH",
    "storage.sources.kimi_cli": "AJ_KIMI_CLI_PATH",
    "storage.sources.kimi_code": "AJ_KIMI_CODE_PATH",
    "storage.sources.droid": "AJ_DROID_PATH",
    "storage.sources.grok": "AJ_GROK_PATH",
    "storage.sources.aider": "AJ_AIDER_PATH",
    "storage.sources.vscode": "AJ_VSCODE_PATH",
}
SPECIAL_VARIABLES = {
    "AJ_HOME": "The journal folder, instead of `~/.agent-journal`.",
    "AJ_DEBUG": "Show tracebacks.",
}


def get_setting(key: str) -> Setting:
    """The setting of that name; ConfigError with the nearest spelling when there is none."""
    setting = SETTINGS.get(key) or foreign_settings().get(key)
    if setting is None:
        from agent_journal.text.suggestions import did_you_mean

        hint = did_you_mean(key, SETTINGS) or "'aj config show' lists all settings"
        raise ConfigError(f"there is no setting {key!r}", hint)
    return setting


def foreign_settings() -> dict[str, Setting]:
    """The settings for the files of agents from other packages; looked up only when needed."""
    from agent_journal.connectors import plugins

    keys = {SOURCES + name.replace("-", "_"): name for name in plugins.declared()}
    settings = (
        Setting(key, "paths", None, f"Where the files of `{name}` are.")
        for key, name in keys.items()
    )
    return {setting.key: setting for setting in settings if setting.key not in SETTINGS}
