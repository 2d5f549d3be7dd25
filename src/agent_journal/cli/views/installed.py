"""What the settings of agents have of ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from agent_journal.answers.installed import InstalledItem
from agent_journal.cli.output import echo
from agent_journal.text.human import short_path
from agent_journal.text.plain import one_line

_WORDS: Mapping[str, str] = {
    "installed": "installed",
    "absent": "not installed",
    "changed": "installed, with another command",
}


def print_installed(items: Iterable[InstalledItem], other: str = "") -> None:
    """Print each; `other` says what stands there when it is not ours."""
    for item in items:
        echo(f"{item['agent']}: {installed_words(item, other)}")


def installed_words(item: InstalledItem, other: str = "") -> str:
    """What was found, and where."""
    words = _WORDS.get(item["state"], f"not installed: {other}")
    if item["error"] is not None:
        words = f"unknown: {one_line(item['error'], 200)}"
    return f"{words} ({short_path(item['path'])})"
