"""Conversions of every fixture: valid for the agents, complete in their report, and what of them
comes back.
"""

from __future__ import annotations

import functools
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest

from agent_journal.convert.accounting import Written, fields_with_value
from agent_journal.convert.claude_code.rules import rules as claude_rules
from agent_journal.convert.codex.rules import rules as codex_rules
from agent_journal.convert.copilot_cli.rules import rules as copilot_rules
from agent_journal.convert.gemini.rules import rules as gemini_rules
from agent_journal.model import Session
from agent_journal.model import structs as model
from tests.support import valid_claude_code, valid_codex, valid_copilot_cli, valid_gemini
from tests.support.converting import ROOTS, convert, families, has_words, install, survival
from tests.support.journals import aj, open_journal
from tests.support.paths import CASES

HOMES = sorted((CASES).glob("*/*/home"))
VALIDATORS: dict[str, ModuleType] = {
    "claude-code": valid_claude_code,
    "codex": valid_codex,
    "copilot-cli": valid_copilot_cli,
    "gemini": valid_gemini,
}
GROUPS = {
    "session": model.Session,
    "messages": model.Message,
    "tool_calls": model.ToolCall,
    "attachments": model.Attachment,
    "file_edits": model.FileEdit,
    "usage": model.Usage,
    "plans": model.Plan,
    "todos": model.Todo,
    "events": model.Event,
    "documents": model.Document,
}
LISTS = {
    "messages",
    "events",
    "file_edits",
    "plans",
    "todos",
    "usage",
    "documents",
    "tool_calls",
    "attachments",
}
# What does not come back whole, of the fixtures: every entry is a decision, and a change of it must
# be seen.
LOST: dict[tuple[str, str], dict[str, tuple[int, int]]] = {
    # Claude Code: notices are events; a person's own shell line is text; input is an object; names
    # have plain letters; one edit per call; an exit code is put before the result; a call without a
    # name is called unknown; an interruption has one wording.
    ("claude-code", "aider-conversation"): {"calls": (1, 4), "messages": (19, 21)},
    ("claude-code", "aider-edits"): {"messages": (18, 20)},
    ("claude-code", "aider-formatted"): {"messages": (14, 16)},
    ("claude-code", "aider-modes"): {"messages": (14, 15)},
    ("claude-code", "aider-traps"): {"messages": (12, 13)},
    ("claude-code", "claude_code-prompts"): {"messages": (31, 32)},
    ("claude-code", "claude_code-tool-results"): {"calls": (33, 34)},
    ("claude-code", "codex-conversation"): {
        "calls": (11, 12),
        "messages": (13, 14),
        "results": (8, 9),
    },
    ("claude-code", "codex-old-format"): {"calls": (0, 2)},
    ("claude-code", "codex-patches"): {"calls": (5, 8), "edits": (4, 8), "results": (4, 5)},
    ("claude-code", "codex-turns"): {"calls": (1, 2)},
    ("claude-code", "copilot_cli-conversation"): {
        "calls": (7, 9),
        "edits": (5, 6),
        "messages": (20, 21),
        "results": (8, 9),
    },
    ("claude-code", "copilot_cli-damage"): {"calls": (0, 1)},
    ("claude-code", "copilot_cli-stopped"): {"calls": (2, 3), "messages": (4, 5)},
    ("claude-code", "cline-damage"): {"calls": (0, 2)},
    ("claude-code", "continue_dev-damage"): {"calls": (0, 1)},
    ("claude-code", "gemini-document"): {"results": (4, 5)},
    ("claude-code", "crush-conversation"): {
        "calls": (5, 6),
        "edits": (1, 2),
        "messages": (13, 14),
        "results": (4, 5),
    },
    ("claude-code", "goose-conversation"): {"calls": (6, 7)},
    ("claude-code", "opencode-conversation"): {
        "calls": (9, 10),
        "messages": (14, 15),
        "results": (8, 10),
    },
    ("claude-code", "vscode_chat-eras"): {"results": (1, 2)},
    ("claude-code", "vscode_chat-kinds"): {"calls": (16, 17), "results": (4, 5)},
    ("claude-code", "droid-damage"): {"calls": (2, 5)},
    ("claude-code", "grok-damage"): {"calls": (1, 2)},
    ("claude-code", "grok-session"): {"results": (3, 4)},
    ("claude-code", "kimi_cli-damage"): {"calls": (0, 2)},
    ("claude-code", "kimi_cli-session"): {"edits": (1, 2), "results": (4, 5)},
    ("claude-code", "kimi_code-damage"): {"calls": (0, 2)},
    ("claude-code", "pi-damage"): {"calls": (2, 3)},
    ("claude-code", "pi-tree"): {"calls": (5, 7), "results": (5, 6)},
    # Codex CLI: notices are events; a shell line is text; what a rewind left behind is dropped; an
    # interruption has one wording; a result has its exit code inside; names have plain letters.
    ("codex", "aider-conversation"): {"calls": (1, 4), "messages": (19, 21)},
    ("codex", "aider-edits"): {"messages": (18, 20)},
    ("codex", "aider-formatted"): {"messages": (14, 16)},
    ("codex", "aider-modes"): {"messages": (14, 15)},
    ("codex", "aider-traps"): {"messages": (12, 13)},
    ("codex", "claude_code-forks"): {"messages": (14, 16)},
    ("codex", "claude_code-prompts"): {"messages": (29, 32)},
    ("codex", "claude_code-subagents"): {"messages": (10, 12)},
    ("codex", "claude_code-tool-results"): {"calls": (33, 34), "messages": (3, 4)},
    ("codex", "cline-damage"): {"calls": (0, 2)},
    ("codex", "codex-conversation"): {"results": (8, 9)},
    ("codex", "codex-old-format"): {"calls": (1, 2)},
    ("codex", "codex-turns"): {"calls": (0, 2), "messages": (8, 17), "results": (0, 2)},
    ("codex", "continue_dev-damage"): {"calls": (0, 1)},
    ("codex", "copilot_cli-conversation"): {
        "calls": (8, 9),
        "messages": (20, 21),
        "results": (8, 9),
    },
    ("codex", "copilot_cli-damage"): {"calls": (0, 1)},
    ("codex", "copilot_cli-stopped"): {"messages": (4, 5)},
    ("codex", "gemini-log"): {"messages": (6, 8)},
    ("codex", "qwen_code-chats"): {"messages": (11, 13)},
    ("codex", "crush-conversation"): {
        "calls": (5, 6),
        "edits": (1, 2),
        "messages": (13, 14),
        "results": (4, 5),
    },
    ("codex", "goose-conversation"): {"calls": (6, 7)},
    ("codex", "opencode-conversation"): {"calls": (9, 10), "messages": (14, 15)},
    ("codex", "opencode-fork"): {"messages": (5, 7)},
    ("codex", "droid-damage"): {"calls": (2, 5)},
    ("codex", "grok-damage"): {"calls": (1, 2)},
    ("codex", "kimi_cli-damage"): {"calls": (0, 2)},
    ("codex", "kimi_code-damage"): {"calls": (0, 2)},
    ("codex", "pi-damage"): {"calls": (2, 3)},
    ("codex", "pi-tree"): {"calls": (5, 7), "messages": (14, 16), "results": (5, 6)},
    # Copilot CLI: notices are events; a shell line is its command; what a rewind left behind is
    # dropped; edits are reported by calls that succeeded; names have plain letters.
    ("copilot-cli", "aider-conversation"): {"messages": (16, 21)},
    ("copilot-cli", "aider-edits"): {"messages": (18, 20)},
    ("copilot-cli", "aider-formatted"): {"messages": (14, 16)},
    ("copilot-cli", "aider-modes"): {"messages": (14, 15)},
    ("copilot-cli", "aider-traps"): {"messages": (12, 13)},
    ("copilot-cli", "claude_code-forks"): {"messages": (14, 16)},
    ("copilot-cli", "claude_code-prompts"): {"messages": (29, 32)},
    ("copilot-cli", "claude_code-tool-results"): {"calls": (33, 34), "messages": (3, 4)},
    ("copilot-cli", "codex-conversation"): {"messages": (13, 14)},
    ("copilot-cli", "codex-old-format"): {"calls": (1, 2)},
    ("copilot-cli", "codex-patches"): {"edits": (7, 8)},
    ("copilot-cli", "copilot_cli-damage"): {"calls": (0, 1)},
    ("copilot-cli", "cursor-transcripts"): {"edits": (2, 4)},
    ("copilot-cli", "claude_code-subagents"): {"messages": (10, 12)},
    ("copilot-cli", "codex-turns"): {"calls": (0, 2), "messages": (8, 17), "results": (0, 2)},
    ("copilot-cli", "gemini-log"): {"messages": (6, 8)},
    ("copilot-cli", "cline-damage"): {"calls": (0, 2)},
    ("copilot-cli", "continue_dev-damage"): {"calls": (0, 1)},
    ("copilot-cli", "qwen_code-chats"): {"messages": (11, 13)},
    ("copilot-cli", "roo_code-tasks"): {"edits": (0, 1)},
    ("copilot-cli", "crush-conversation"): {"edits": (1, 2), "messages": (13, 14)},
    ("copilot-cli", "goose-conversation"): {"calls": (6, 7)},
    ("copilot-cli", "opencode-conversation"): {"messages": (14, 15)},
    ("copilot-cli", "opencode-fork"): {"messages": (5, 7)},
    ("copilot-cli", "droid-damage"): {"calls": (2, 5)},
    ("copilot-cli", "grok-damage"): {"calls": (1, 2)},
    ("copilot-cli", "kimi_cli-damage"): {"calls": (0, 2)},
    ("copilot-cli", "kimi_code-damage"): {"calls": (0, 2)},
    ("copilot-cli", "pi-damage"): {"calls": (2, 3)},
    ("copilot-cli", "pi-tree"): {"messages": (14, 16)},
    # Gemini CLI: errors, notices and interruptions are events; a shell line is text; what a rewind
    # left behind is dropped; arguments are an object; one edit for each call.
    ("gemini", "aider-conversation"): {"calls": (1, 4), "messages": (18, 21)},
    ("gemini", "aider-edits"): {"messages": (17, 20)},
    ("gemini", "aider-formatted"): {"messages": (14, 16)},
    ("gemini", "aider-modes"): {"messages": (14, 15)},
    ("gemini", "aider-traps"): {"messages": (12, 13)},
    ("gemini", "claude_code-forks"): {"messages": (14, 16)},
    ("gemini", "claude_code-prompts"): {"messages": (29, 32)},
    ("gemini", "claude_code-split-messages"): {"messages": (9, 11)},
    ("gemini", "claude_code-subagents"): {"messages": (10, 12)},
    ("gemini", "claude_code-tool-results"): {"calls": (33, 34), "messages": (3, 4)},
    ("gemini", "codex-conversation"): {"calls": (11, 12), "messages": (11, 14), "results": (8, 9)},
    ("gemini", "codex-old-format"): {"calls": (1, 2)},
    ("gemini", "codex-patches"): {"calls": (5, 8), "edits": (3, 8)},
    ("gemini", "codex-turns"): {"calls": (0, 2), "messages": (8, 17), "results": (0, 2)},
    ("gemini", "copilot_cli-conversation"): {
        "calls": (7, 9),
        "edits": (5, 6),
        "messages": (18, 21),
        "results": (8, 9),
    },
    ("gemini", "copilot_cli-damage"): {"calls": (0, 1)},
    ("gemini", "copilot_cli-stopped"): {"calls": (2, 3), "messages": (4, 5)},
    ("gemini", "gemini-log"): {"messages": (6, 8)},
    ("gemini", "cline-damage"): {"calls": (0, 2)},
    ("gemini", "cline-store"): {"messages": (6, 7)},
    ("gemini", "cline-tasks"): {"messages": (6, 7)},
    ("gemini", "continue_dev-damage"): {"calls": (0, 1)},
    ("gemini", "qwen_code-chats"): {"messages": (10, 13)},
    ("gemini", "crush-conversation"): {
        "calls": (5, 6),
        "edits": (1, 2),
        "messages": (11, 14),
        "results": (4, 5),
    },
    ("gemini", "goose-conversation"): {"calls": (6, 7)},
    ("gemini", "opencode-conversation"): {
        "calls": (9, 10),
        "messages": (12, 15),
        "results": (9, 10),
    },
    ("gemini", "opencode-fork"): {"messages": (5, 7)},
    ("gemini", "vscode_chat-eras"): {"messages": (9, 10)},
    ("gemini", "vscode_chat-kinds"): {"calls": (16, 17)},
    ("gemini", "droid-damage"): {"calls": (2, 5)},
    ("gemini", "grok-damage"): {"calls": (1, 2)},
    ("gemini", "grok-session"): {"messages": (10, 11)},
    ("gemini", "kimi_cli-damage"): {"calls": (0, 2)},
    ("gemini", "kimi_cli-session"): {"edits": (1, 2)},
    ("gemini", "kimi_code-damage"): {"calls": (0, 2)},
    ("gemini", "kimi_code-session"): {"messages": (11, 12)},
    ("gemini", "pi-damage"): {"calls": (2, 3)},
    ("gemini", "pi-tree"): {"calls": (5, 7), "messages": (12, 16), "results": (5, 6)},
}


@pytest.fixture(scope="module")
def fixtures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[list[Session]]]:
    """The families of every committed home, by its name."""
    found = {}
    for home in HOMES:
        name = "-".join(home.parts[-3:-1])
        here = tmp_path_factory.mktemp(name)
        shutil.copytree(home, here, dirs_exist_ok=True)
        assert aj(here, "sync", "--no-index", env={"AJ_AIDER_PATH": str(here)}).returncode == 0
        with open_journal(here) as journal:
            found[name] = [family for family in families(journal) if has_words(family)]
    return found


def items(family: list[Session]) -> Iterator[tuple[str, Any]]:
    """Every struct of a family with the name of its group."""
    for session in family:
        yield "session", session
        for name in ("events", "file_edits", "plans", "todos", "usage", "documents"):
            yield from ((name, one) for one in getattr(session, name))
        for message in session.messages:
            yield "messages", message
            yield from (("attachments", one) for one in message.attachments)
            for call in message.tool_calls:
                yield "tool_calls", call
                yield from (("attachments", one) for one in call.attachments)


@pytest.mark.parametrize(
    "rules",
    [
        functools.partial(claude_rules, with_own_time=Written()),
        codex_rules,
        copilot_rules,
        gemini_rules,
    ],
)
def test_every_field_of_the_model_has_a_rule(rules: Any) -> None:
    """A new field breaks this until someone has decided what becomes of it."""
    expected = {
        f"{group}.{field.name}"
        for group, kind in GROUPS.items()
        for field in msgspec.structs.fields(kind)
        if not (field.name in LISTS and not (group == "messages" and field.name == "usage"))
    }
    tables = rules([], Written())
    decided = {f"{group}.{name}" for group, table in tables.items() for name in table}
    assert decided == expected


@pytest.mark.parametrize("target", sorted(ROOTS))
def test_every_field_with_a_value_is_in_the_report(
    fixtures: dict[str, list[list[Session]]], target: str
) -> None:
    for name, found in fixtures.items():
        for family in found:
            reported: dict[str, int] = {}
            for loss in convert(target, family).losses.entries():
                reported[loss.field] = reported.get(loss.field, 0) + loss.count
                assert loss.why or loss.fate == "mapped"
            counted: dict[str, int] = {}
            for group, item in items(family):
                for field in fields_with_value(item):
                    if field not in LISTS or (group == "messages" and field == "usage"):
                        counted[f"{group}.{field}"] = counted.get(f"{group}.{field}", 0) + 1
            assert reported == counted, (name, family[0].id)


@pytest.mark.parametrize("target", sorted(ROOTS))
def test_the_files_are_what_the_agent_demands(
    fixtures: dict[str, list[list[Session]]], target: str, tmp_path: Path
) -> None:
    for name, found in fixtures.items():
        if found:
            for family in found:
                install(target, convert(target, family), tmp_path / name)
            assert VALIDATORS[target].faults(tmp_path / name / ROOTS[target]) == [], name


@pytest.mark.parametrize("target", sorted(ROOTS))
def test_what_comes_back(
    fixtures: dict[str, list[list[Session]]], target: str, tmp_path: Path
) -> None:
    lost: dict[tuple[str, str], dict[str, tuple[int, int]]] = {}
    for name, found in fixtures.items():
        before = {}
        for family in found:
            converted = convert(target, family)
            before[converted.session_id] = family
            install(target, converted, tmp_path / name)
        if not before:
            continue
        assert aj(tmp_path / name, "sync", "--no-index").returncode == 0
        with open_journal(tmp_path / name) as journal:
            after = {family[0].id: family for family in families(journal)}
        shares: dict[str, tuple[int, int]] = {}
        for session_id, family in before.items():
            for part, (kept, whole) in survival(family, after[session_id]).items():
                kept_before, whole_before = shares.get(part, (0, 0))
                shares[part] = (kept_before + kept, whole_before + whole)
        assert shares.pop("usage")[0] == 0  # or it would be counted twice
        if target == "claude-code":
            assert shares.pop("reasoning")[0] == 0  # nobody but its model may be given it
        lost[target, name] = {part: both for part, both in shares.items() if both[0] < both[1]}
    assert {key: parts for key, parts in lost.items() if parts} == {
        key: parts for key, parts in LOST.items() if key[0] == target
    }
