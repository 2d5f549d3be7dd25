"""Start-up is a feature: what the frequent commands may not import."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.journals import aj, variables, write_claude
from tests.support.repositories import ClaudeSession, Repository

_HEAVY = {
    "duckdb",
    "pyarrow",
    "genai_prices",
    "numpy",
    "msgspec",
    "backports.zstd",
    "tomllib",
    "tomlkit",
    "hashlib",
    "concurrent.futures",
    "asyncio",
    "dataclasses",
    "importlib.metadata",
    "email",
    "zipfile",
}


def imported(home: Path, *args: str) -> set[str]:
    code = (
        "import sys; from agent_journal.cli.main import run; code = run(sys.argv[1:]); "
        "print(*sys.modules, file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *args],
        env=variables(home),
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.split())


@pytest.mark.parametrize("args", [["--version"], ["ls"], ["sync"], []])
def test_frequent_commands_import_little(tmp_path: Path, args: list[str]) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync")
    assert not imported(tmp_path, *args) & _HEAVY


def test_a_sync_alone_needs_no_parser_of_options(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync")
    assert "click" not in imported(tmp_path, "sync")


def test_a_sync_does_not_import_the_query_parser(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync")
    modules = imported(tmp_path, "sync")
    assert not modules & {"agent_journal.query.lexer", "agent_journal.query.parser"}


def test_a_sync_with_nothing_to_do_imports_only_what_it_asks(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync")
    modules = imported(tmp_path, "sync")
    assert not modules & {"agent_journal.query.tree", "agent_journal.sync.newest", "heapq"}


def test_a_sync_of_a_few_new_lines_imports_little(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync")
    write_claude(tmp_path, count=2, start=4)
    modules = imported(tmp_path, "sync")
    assert "tantivy" in modules
    assert not modules & {
        "numpy",
        "click",
        "tomlkit",
        "inspect",  # by typing_extensions, which msgspec would import
        "tempfile",
    }


def test_json_is_imported_only_to_print_it(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync")
    assert "json" not in imported(tmp_path, "ls")
    assert "json" in imported(tmp_path, "ls", "--json")


def test_the_library_imports_nothing_until_used() -> None:
    code = (
        "import sys, agent_journal; assert 'sqlite3' not in sys.modules; "
        "agent_journal.Journal; assert 'msgspec' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], env=variables(Path("/")), check=True)


def test_a_search_never_imports_what_only_indexing_needs(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync")
    modules = imported(tmp_path, "search", "--no-sync", "text")
    assert not modules & {
        "numpy",
        "asyncio",
        "concurrent.futures",
        "tomlkit",
        "difflib",
        "click",
        "hashlib",
        "inspect",  # by typing_extensions, which msgspec would import
        "json",
        "agent_journal.connectors",
        "agent_journal.store.catalog.loading",
        "agent_journal.store.catalog.piece_writer",
    }
    assert "simsimd" in modules or "tantivy" in modules


def test_a_program_that_asks_who_wrote_a_line_waits_for_no_parser_of_options(
    tmp_path: Path,
) -> None:
    repository = Repository(tmp_path / "shop")
    ClaudeSession(tmp_path, "s1", repository.root).write("a.py", "total = price * amount\n")
    repository.commit("add", 10, **{"a.py": "total = price * amount\n"})
    aj(tmp_path, "sync")
    path = str(repository.root / "a.py")
    modules = imported(tmp_path, "blame", path, "--json")
    assert not modules & {"click", "inspect", "numpy", "tantivy", "duckdb", "difflib", "tempfile"}
    plain = aj(tmp_path, "blame", f"{path}:1", "--json").stdout
    assert '"class":"written","session":"s1"' in plain
    assert plain == aj(tmp_path, "blame", f"{path}:1", "--min=several", "--json").stdout


def test_the_first_picture_of_the_terminal_ui_needs_nothing_heavy() -> None:
    code = (
        "import sys; from agent_journal.cli.terminal_ui import show_terminal_ui; "
        "from agent_journal.tui import starting; "
        "heavy = {'textual', 'rich', 'tantivy', 'numpy', 'duckdb', 'mcp', 'click', 'msgspec'}; "
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], env=variables(Path("/")), check=True)


def test_textual_starts_without_the_indexes() -> None:
    code = (
        "import sys; from agent_journal.tui.app import JournalApp; "
        "heavy = {'tantivy', 'numpy', 'duckdb', 'mcp', 'simsimd'}; "
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], env=variables(Path("/")), check=True)


def test_a_server_for_agents_is_ready_before_it_imports_the_journal(tmp_path: Path) -> None:
    hello = '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n'
    code = (
        "import os, sys; from agent_journal.cli.main import run; code = run(['mcp']); "
        "os.write(2, ' '.join(sys.modules).encode())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=variables(tmp_path),
        input=hello,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "find_fix" in done.stdout
    modules = set(done.stderr.split())
    assert "agent_journal.answers.recall.tools" in modules
    heavy = _HEAVY - {"hashlib"}
    assert not modules & (heavy | {"click", "mcp", "pydantic", "anyio", "sqlite3", "tantivy"})
