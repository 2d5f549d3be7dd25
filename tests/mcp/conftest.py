"""A journal with sessions of two projects, and one server for the tests that only read it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.journals import aj
from tests.support.mcp_servers import McpServer, mcp_server
from tests.support.mcp_sessions import ClaudeSession
from tests.support.repositories import Repository

TOKEN = "ghp_" + "Zk3vQ8sLw2Xy7Rb5Nd1Tf6Hj4Mc9Pg0Va8Ke"


def write_sessions(home: Path) -> None:
    """A failure that was fixed, one that was not, and a session with a secret."""
    fixed = ClaudeSession(home, "fixed", "/work/relay")
    fixed.prompt("The retry test is flaky, please repair it")
    fixed.bash("pytest -q tests/test_retry.py", "E  TimeoutError: no jitter left", is_error=True)
    fixed.call("Read", {"file_path": "/work/relay/retry.py"}, "def retry(): ...")
    fixed.edit("/work/relay/retry.py", "jitter = 0", "jitter = 0.5")
    fixed.bash("pytest  -q tests/test_retry.py", "1 passed")
    fixed.answer("The jitter was missing; it works now.")
    claimed = ClaudeSession(home, "claimed", "/work/relay")
    claimed.prompt("TimeoutError: no jitter left, what now?")
    claimed.bash("pytest -x tests/test_retry.py", "TimeoutError: no jitter left", is_error=True)
    claimed.answer("I fixed the TimeoutError: no jitter left. Everything works.")
    other = ClaudeSession(home, "other", "/work/secret-plans")
    other.prompt(f"Deploy it with the token {TOKEN} and the retry of relay")
    other.bash("make deploy", "deployed")
    other.bash("make deploy", "deployed")
    other.bash("make deploy", "make: *** [deploy] Error 1", is_error=True)
    other.edit("/work/secret-plans/retry.py", "a", "b")


@pytest.fixture(scope="package")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("mcp")
    write_sessions(home)
    Repository(home).commit("notes", 10, **{"notes.txt": "notes = 'of nobody'\n"})
    done = aj(home, "sync")
    assert done.returncode == 0, done.stderr
    return home


@pytest.fixture(scope="package")
def server(home: Path) -> Iterator[McpServer]:
    with mcp_server(home) as started:
        yield started
