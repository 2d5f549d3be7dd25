"""The plugin of Claude Code: its files have the documented shape, and say what we do."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from agent_journal import __version__
from agent_journal.answers.recall.tools import TOOLS
from agent_journal.cli.group import COMMANDS
from tests.support.paths import ROOT

PLUGIN = ROOT / "plugin"
MARKETPLACE = ROOT / ".claude-plugin/marketplace.json"
NAME = {"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"}
PERSON = {
    "type": "object",
    "required": ["name"],
    "properties": {name: {"type": "string"} for name in ("name", "email", "url")},
    "additionalProperties": False,
}
# As the reference of plugins describes them: the fields that we use, and no others
PLUGIN_SCHEMA = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": NAME,
        "version": {"type": "string", "pattern": r"^\d+\.\d+\.\d+$"},
        "description": {"type": "string", "minLength": 1},
        "author": PERSON,
        "homepage": {"type": "string", "format": "uri"},
        "repository": {"type": "string"},
        "license": {"type": "string"},
        "keywords": {"type": "array", "items": {"type": "string"}},
    },
    "additionalProperties": False,
}
MARKETPLACE_SCHEMA = {
    "type": "object",
    "required": ["name", "owner", "plugins"],
    "properties": {
        "name": NAME,
        "owner": PERSON,
        "metadata": {"type": "object", "properties": {"description": {"type": "string"}}},
        "plugins": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "source"],
                "properties": {
                    "name": NAME,
                    "source": {"type": "string", "pattern": r"^\./"},
                    "description": {"type": "string"},
                },
                "additionalProperties": False,
            },
        },
    },
    "additionalProperties": False,
}
HOOK = {
    "type": "object",
    "required": ["type", "command"],
    "properties": {
        "type": {"const": "command"},
        "command": {"type": "string"},
        "timeout": {"type": "number"},
    },
    "additionalProperties": False,
}
GROUP = {
    "type": "object",
    "required": ["hooks"],
    "properties": {"matcher": {"type": "string"}, "hooks": {"type": "array", "items": HOOK}},
    "additionalProperties": False,
}
HOOKS_SCHEMA = {
    "type": "object",
    "required": ["hooks"],
    "properties": {
        "description": {"type": "string"},
        "hooks": {
            "type": "object",
            "propertyNames": {"enum": ["SessionEnd", "PreCompact"]},
            "additionalProperties": {"type": "array", "items": GROUP},
        },
    },
    "additionalProperties": False,
}
SERVERS_SCHEMA = {
    "type": "object",
    "required": ["mcpServers"],
    "properties": {
        "mcpServers": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "required": ["command"],
                "properties": {
                    "type": {"const": "stdio"},
                    "command": {"type": "string"},
                    "args": {"type": "array", "items": {"type": "string"}},
                },
                "additionalProperties": False,
            },
        }
    },
    "additionalProperties": False,
}


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("path", "schema"),
    [
        (PLUGIN / ".claude-plugin/plugin.json", PLUGIN_SCHEMA),
        (MARKETPLACE, MARKETPLACE_SCHEMA),
        (PLUGIN / "hooks/hooks.json", HOOKS_SCHEMA),
        (PLUGIN / ".mcp.json", SERVERS_SCHEMA),
    ],
    ids=lambda value: value.name if isinstance(value, Path) else "",
)
def test_files_have_the_documented_shape(path: Path, schema: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator(schema).validate(read(path))


def test_the_plugin_is_of_this_version_and_in_the_marketplace() -> None:
    plugin = read(PLUGIN / ".claude-plugin/plugin.json")
    assert plugin["version"] == __version__
    (listed,) = read(MARKETPLACE)["plugins"]
    assert listed["name"] == plugin["name"]
    assert (ROOT / listed["source"] / ".claude-plugin/plugin.json").exists()
    assert sorted(path.name for path in PLUGIN.iterdir()) == [
        ".claude-plugin",
        ".mcp.json",
        "hooks",
        "skills",
    ]


def test_hooks_only_start_a_sync_in_the_background() -> None:
    hooks = read(PLUGIN / "hooks/hooks.json")["hooks"]
    assert list(hooks) == ["SessionEnd", "PreCompact"]
    for groups in hooks.values():
        lines = [hook["command"] for group in groups for hook in group["hooks"]]
        assert lines == ["aj sync --detach"]


def test_the_skill_names_what_there_is() -> None:
    text = (PLUGIN / "skills/agent-journal/SKILL.md").read_text(encoding="utf-8")
    _, front, body = text.split("---\n", 2)
    fields = dict(line.split(": ", 1) for line in front.strip().splitlines())
    assert fields["name"] == "agent-journal"
    assert set(fields) == {"name", "description"}
    assert len(fields["description"]) <= 1_024
    for tool in TOOLS:
        assert f"`{tool}`" in body
    pages = body + (ROOT / "docs/for-agents.md").read_text(encoding="utf-8")
    named = {shlex.split(line)[1] for line in re.findall(r"`(aj [a-z]+)", pages)}
    assert named <= set(COMMANDS)
