"""Git repositories for tests, and sessions that write into them."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

DAY = 86_400
NOON = 1_793_534_400  # 2026-11-01 12:00 UTC


class Repository:
    """A repository with one file or a few; times are minutes after noon of the first day."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, minute: int = 0, root: Path | None = None) -> str:
        time = f"@{NOON + 60 * minute} +0000"
        done = subprocess.run(
            ["git", "-c", "core.hooksPath=/dev/null", *arguments],
            cwd=root or self.root,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self.root),
                "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_CONFIG_GLOBAL": os.devnull,
                "GIT_AUTHOR_NAME": "Ada",
                "GIT_AUTHOR_EMAIL": "ada@example.org",
                "GIT_COMMITTER_NAME": "Ada",
                "GIT_COMMITTER_EMAIL": "ada@example.org",
                "GIT_AUTHOR_DATE": time,
                "GIT_COMMITTER_DATE": time,
            },
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())

    def commit(self, subject: str, minute: int, **files: str) -> str:
        """Commits everything; files may be given by name, with `__` for a slash."""
        for name, text in files.items():
            self.write(name.replace("__", "/"), text)
        self.git("add", "-A", minute=minute)
        self.git("commit", "-q", "-m", subject, minute=minute)
        return self.git("rev-parse", "HEAD")


class ClaudeSession:
    """A session of Claude Code that is written as the test says."""

    def __init__(self, home: Path, name: str, folder: Path | str, minute: int = 0) -> None:
        self.name = name
        self.folder = str(folder)
        self.minute = minute
        self._path = home / ".claude/projects/-work-app" / f"{name}.jsonl"
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._count = 0

    def prompt(self, text: str) -> None:
        self._line("user", {"role": "user", "content": text})

    def say(self, text: str) -> None:
        self._answer([{"type": "text", "text": text}])

    def write(self, path: str, content: str) -> None:
        """Writes a whole file."""
        tool_input = {"file_path": self._whole(path), "content": content}
        self._call("Write", tool_input, "File created successfully at: it")

    def edit(self, path: str, old: str, new: str) -> None:
        tool_input = {"file_path": self._whole(path), "old_string": old, "new_string": new}
        self._call("Edit", tool_input, "The file has been updated.")

    def run(self, command: str, output: str) -> None:
        self._call("Bash", {"command": command}, output)

    def link_pull_request(self, repository: str, number: int) -> None:
        """What Claude Code notes of a pull request, with the repository that it is in."""
        with self._path.open("a", encoding="utf-8") as out:
            line = {
                "type": "pr-link",
                "sessionId": self.name,
                "prNumber": number,
                "prUrl": f"https://example.org/{repository}/pull/{number}",
                "prRepository": repository,
                "timestamp": "2026-11-01T12:20:00.000Z",
            }
            out.write(json.dumps(line) + "\n")

    def fail(self, path: str, old: str, new: str) -> None:
        """An edit that the tool refused."""
        tool_input = {"file_path": self._whole(path), "old_string": old, "new_string": new}
        self._call("Edit", tool_input, "String to replace not found in file.", is_error=True)

    def _whole(self, path: str) -> str:
        if "\\" in self.folder:
            return self.folder + "\\" + path.replace("/", "\\")
        return f"{self.folder}/{path}"

    def _call(
        self, name: str, tool_input: dict[str, Any], result: str, is_error: bool = False
    ) -> None:
        uid = f"{self.name}-t{self._count}"
        self._answer([{"type": "tool_use", "id": uid, "name": name, "input": tool_input}])
        content: dict[str, Any] = {"type": "tool_result", "tool_use_id": uid, "content": result}
        if is_error:
            content["is_error"] = True
        self._line("user", {"role": "user", "content": [content]})

    def _answer(self, content: list[dict[str, Any]]) -> None:
        message = {
            "id": f"msg_{self.name}_{self._count}",
            "type": "message",
            "role": "assistant",
            "model": "claude-opus-5-5",
            "content": content,
            "stop_reason": "end_turn",
        }
        self._line("assistant", message)

    def _line(self, kind: str, message: dict[str, Any]) -> None:
        number = self._count
        self._count += 1
        seconds = 60 * self.minute + number
        day, rest = divmod(12 * 3600 + seconds, DAY)
        clock = f"{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}"
        line = {
            "parentUuid": f"{self.name}-u{number - 1}" if number else None,
            "isSidechain": False,
            "userType": "external",
            "cwd": self.folder,
            "sessionId": self.name,
            "version": "2.1.325",
            "gitBranch": "main",
            "type": kind,
            "message": message,
            "uuid": f"{self.name}-u{number}",
            "timestamp": f"2026-11-{1 + day:02d}T{clock}.000Z",
        }
        with self._path.open("a", encoding="utf-8") as out:
            out.write(json.dumps(line) + "\n")
