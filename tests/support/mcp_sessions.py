"""Sessions with tool calls for tests: commands that fail, edits, and commands that work."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.journals import append, claude_line


class ClaudeSession:
    """Writes a transcript of Claude Code line by line."""

    def __init__(self, home: Path, name: str, folder: str = "/work/app") -> None:
        encoded = folder.replace("/", "-")
        self.path = home / ".claude/projects" / encoded / f"{name}.jsonl"
        self.name = name
        self._folder = folder
        self._number = 0

    def prompt(self, text: str) -> None:
        """Adds what a person typed."""
        self._add(claude_line("user", self._number, text, self.name))

    def answer(self, text: str) -> None:
        """Adds what the agent said."""
        self._add(claude_line("assistant", self._number, text, self.name))

    def call(
        self, tool: str, arguments: dict[str, Any], result: str, *, is_error: bool = False
    ) -> str:
        """Adds a call with its result, and returns its id."""
        call_id = f"toolu_{self.name}_{self._number}"
        line = claude_line("assistant", self._number, "", self.name)
        line["message"]["content"] = [
            {"type": "tool_use", "id": call_id, "name": tool, "input": arguments}
        ]
        self._add(line)
        back = claude_line("user", self._number, "", self.name)
        block = {"type": "tool_result", "tool_use_id": call_id, "content": result}
        if is_error:
            block["is_error"] = True
        back["message"]["content"] = [block]
        self._add(back)
        return call_id

    def bash(self, command: str, result: str, *, is_error: bool = False) -> str:
        """Adds a shell command."""
        return self.call("Bash", {"command": command}, result, is_error=is_error)

    def edit(self, path: str, old: str, new: str) -> str:
        """Adds an edit of a file."""
        arguments = {"file_path": path, "old_string": old, "new_string": new}
        return self.call("Edit", arguments, f"The file {path} has been updated.")

    def _add(self, line: dict[str, Any]) -> None:
        line["cwd"] = self._folder
        append(self.path, json.dumps(line) + "\n")
        self._number += 1
