"""The contract of `agent_journal.testing`, on all our own cases."""

from __future__ import annotations

import atexit
import functools
import random
import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from agent_journal.connectors import BUILT_IN, get_connector
from agent_journal.connectors.base import FoundFile
from agent_journal.model import Session, ToolCall
from agent_journal.testing import Contract, ContractBroken, damaged
from agent_journal.testing.damage import cuts
from tests.support.cursor_home import build, files_of

CASES = Path(__file__).parent
FOLDERS = {
    "aider": ("aider", "project"),
    "claude-code": ("claude_code", ".claude"),
    "codex": ("codex", ".codex"),
    "copilot-cli": ("copilot_cli", ".copilot"),
    "gemini": ("gemini", ".gemini"),
    "qwen-code": ("qwen_code", ".qwen"),
    "cline": ("cline", ".cline/data"),
    "roo-code": ("roo_code", ".config/Code/User"),
    "kilo-code": ("kilo_code", ".config/Code/User"),
    "continue": ("continue_dev", ".continue"),
    "vscode-chat": ("vscode_chat", ".config/Code/User"),
    "cursor": ("cursor", ""),
    "pi": ("pi", ".pi/agent"),
    "openclaw": ("openclaw", ".openclaw"),
    "kimi-cli": ("kimi_cli", ".kimi"),
    "kimi-code": ("kimi_code", ".kimi-code"),
    "droid": ("droid", ".factory"),
    "grok": ("grok", ".grok"),
    "opencode": ("opencode", ".local/share/opencode"),
    "kilo": ("kilo", ".local/share/kilo"),
    "crush": ("crush", ".crush"),
    "goose": ("goose", ".local/share/goose"),
    "zed": ("zed", ".local/share/zed"),
    "amazon-q": ("amazon_q", ".local/share/amazon-q"),
    "kiro": ("kiro", ".local/share/kiro-cli"),
    "vscode-export": ("vscode_export", ""),
}


@functools.cache
def cursor_cases() -> tuple[Path, list[FoundFile]]:
    """The cases of Cursor with their databases, and their files with the extracts of those."""
    folder = Path(tempfile.mkdtemp(prefix="aj-cursor-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    cases = sorted(path.parent.name for path in (CASES / "cursor").glob("*/home"))
    return folder, [
        file for case in cases for file in files_of(build(case, folder / case / "home"))
    ]


def contract(agent: str) -> Contract:
    folder, root = FOLDERS[agent]
    cases = CASES / folder
    files = None
    if agent == "vscode-export":  # files are imported by name
        path = CASES / folder / "chat.json"
        files = [FoundFile(str(path), path.name, "session", path.stat().st_size, 0, 0, "export")]
    if agent == "cursor":  # expected.json is compared in cursor/test_cases.py
        cases, files = cursor_cases()
    return Contract(get_connector(agent), cases, root, files)


RULES = [
    check.__name__
    for check in contract("gemini").checks()
    if check.__name__ != "cases_are_as_expected"
]


@pytest.mark.parametrize("agent", BUILT_IN)
@pytest.mark.parametrize("rule", RULES)
def test_contract(agent: str, rule: str) -> None:
    getattr(contract(agent), rule)()


@pytest.mark.parametrize(
    "agent",
    [
        "aider",
        "claude-code",
        "codex",
        "copilot-cli",
        "gemini",
        "qwen-code",
        "cline",
        "roo-code",
        "kilo-code",
        "continue",
        "vscode-chat",
        "pi",
        "openclaw",
        "kimi-cli",
        "kimi-code",
        "droid",
        "grok",
        "opencode",
        "kilo",
        "crush",
        "goose",
        "zed",
        "amazon-q",
        "kiro",
    ],
)
def test_cases_are_as_expected(agent: str) -> None:
    contract(agent).cases_are_as_expected()


@pytest.mark.parametrize("agent", ["claude-code", "codex", "copilot-cli", "gemini", "qwen-code"])
def test_results_are_quoted(agent: str) -> None:
    kept = contract(agent)
    logs = [file for file in kept.files() if file.name.endswith(".jsonl")]
    pieces = [piece for file in logs for piece in kept.read(file, Path(file.path).read_bytes())]
    results = [piece for piece in pieces if isinstance(piece, ToolCall) and piece.result]
    assert sum(call.result_at is not None for call in results) > len(results) / 2


def test_databases_cut_and_damaged(tmp_path: Path) -> None:
    """What SQLite makes of half a database is a problem, never an exception."""
    kept = contract("copilot-cli")
    rng = random.Random(3)
    tables = {
        "session-state/s/session.db": "todos (id TEXT PRIMARY KEY, title TEXT, status TEXT)",
        "session-store.db": (
            "assistant_usage_events (id INTEGER, session_id TEXT, input_tokens INTEGER)"
        ),
    }
    for name, table in tables.items():
        path = tmp_path / name.rpartition("/")[2]
        with closing(sqlite3.connect(path)) as db, db:
            db.execute(f"CREATE TABLE {table}")
            insert = f"INSERT INTO {table.split()[0]} VALUES (?, ?, ?)"
            db.executemany(insert, [(n, f"s{n}", n) for n in range(60)])
        data = path.read_bytes()
        file = FoundFile(str(path), name, "database", len(data), 0, 0)
        assert kept.read(file, data)
        for cut in range(0, len(data), 61):
            kept.read(file, data[:cut])
        for _ in range(300):
            kept.read(file, damaged(data, rng))


def test_long_files_are_cut_at_a_sample_of_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AJ_ALL_CUTS", raising=False)
    short, long = b"{}\n" * 100, b'{"a":1}\n' * 1000
    assert cuts(short) == list(range(len(short)))
    assert cuts(long) == cuts(long)
    assert len(cuts(long)) < len(long) / 2
    assert {at for at in range(len(long)) if long[at] == 10} < set(cuts(long))
    assert set(range(8, len(long), 8)) < set(cuts(long))
    monkeypatch.setenv("AJ_ALL_CUTS", "1")
    assert cuts(long) == list(range(len(long)))


# -- the contract can be broken ----------------------------------------------------------------


class Lazy:
    """A connector that breaks one rule: it does not account for what it reads."""

    name = "lazy"

    def discover(self, root: str) -> object:
        return get_connector("gemini").discover(root)

    def reader(self, file: object, state: bytes | None) -> object:
        reader = get_connector("gemini").reader(file, state)  # type: ignore[arg-type]
        reader.ledger.add = lambda *_, **__: None  # type: ignore[method-assign]
        return reader


def test_a_byte_that_is_not_accounted_for_breaks_it() -> None:
    lazy = Contract(Lazy(), CASES / "gemini", ".gemini")  # type: ignore[arg-type]
    with pytest.raises(ContractBroken, match="bytes are accounted for"):
        lazy.bytes_are_accounted_for()


class Unfit(Lazy):
    def __init__(self, *pieces: object, sessions: tuple[object, ...] = ()) -> None:
        self._pieces = pieces
        self._sessions = sessions

    def reader(self, file: object, state: bytes | None) -> object:
        reader = get_connector("gemini").reader(file, state)  # type: ignore[arg-type]
        read = reader.read
        reader.read = lambda content: [*self._pieces, *read(content)]  # type: ignore
        reader.sessions = lambda: self._sessions  # type: ignore
        return reader


@pytest.mark.parametrize(
    ("unfit", "reason"),
    [
        (Unfit(ToolCall(session_id="s", id="c", status="done")), r"'done'.*status"),  # type: ignore[arg-type]
        (Unfit("a text"), "str, which is not a piece"),
        (Unfit(sessions=(Session(agent="gemini", id=7),)), r"`str`, got `int`.*id"),  # type: ignore[arg-type]
    ],
    ids=["status", "piece", "session"],
)
def test_a_value_that_a_sync_refuses_breaks_it(unfit: Unfit, reason: str) -> None:
    contract = Contract(unfit, CASES / "gemini", ".gemini")  # type: ignore[arg-type]
    with pytest.raises(ContractBroken, match=reason):
        contract.bytes_are_accounted_for()


def test_what_is_not_expected_breaks_it(tmp_path: Path) -> None:
    shutil.copytree(CASES / "gemini/both", tmp_path / "both")
    expected = tmp_path / "both/expected.json"
    expected.write_text(expected.read_text().replace("Second answer", "Another answer"))
    with pytest.raises(ContractBroken, match="'Second answer' where 'Another answer' is expected"):
        Contract(get_connector("gemini"), tmp_path, ".gemini").cases_are_as_expected()


def test_cases_without_files_break_it(tmp_path: Path) -> None:
    with pytest.raises(ContractBroken, match="no cases"):
        Contract(get_connector("gemini"), tmp_path).check()
