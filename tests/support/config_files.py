"""A config.toml with every section."""

from __future__ import annotations

from pathlib import Path

from agent_journal.config import loading as config

EXAMPLE = """\
# ~/.agent-journal/config.toml

[storage]
# Global index location (shared across all agents)
index_path = "~/.agent-journal/index"

# Per-agent source locations (auto-discovered if not specified)
[storage.sources]
copilot_cli = "~/.copilot-cli/sessions"
claude_code = "~/.claude/projects"
cursor = "~/.cursor/conversations"      # Platform-specific
aider = "**/.aider.chat.history.md"     # Glob pattern

[index]
# Search engine settings
lucene_ram_buffer_mb = 64
vector_precision = "f16"                 # f16 (compact) or f32 (precise)

[index.vector]
# Vector search settings
enabled = true
model_path = "~/.chats/models"          # ONNX model location
fallback = "hash"                        # "hash" or "none" when model absent

[search]
# Default search behavior
default_mode = "hybrid"                  # lexical, semantic, hybrid
default_context = 3                      # Messages before/after match
max_results = 20

[export]
# Export defaults
default_format = "html"
html_theme = "dark"                      # dark, light, auto
include_tool_calls = true
"""


def write_config(env: dict[str, str], text: str | bytes) -> str:
    path = Path(config.home(env)) / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(text, str):
        text = text.encode()
    path.write_bytes(text)
    return str(path)
