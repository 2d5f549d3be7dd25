"""The browser, driven by Playwright, and pages to open; tests/support/browser.py finds it.

What is slow to make is made once for all tests of this folder: the browser, its windows, and the
server that most of them look at. Not for the whole run: the loop of Playwright would be in the way
of tests that have one of their own.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright

from agent_journal.demo import write_demo_home
from agent_journal.model import Session
from agent_journal.text.dates import parse_bound
from tests.browser.tabs import PATIENCE, Tab, Tabs
from tests.browser.windows import Window, written
from tests.support.browser import ADVICE, find_browser, is_required
from tests.support.cursor_home import build
from tests.support.journals import aj, aj_json, claude_line
from tests.support.pages import call, message, page
from tests.support.servers import Server, running

FIXTURES = Path(__file__).parent.parent / "connectors"
HOMES = {
    "claude-code": "claude_code/subagents",
    "codex": "codex/items",
    "copilot-cli": "copilot_cli/conversation",
    "gemini": "gemini/log",
    "aider": "aider/conversation",
    "vscode-chat": "vscode_chat/kinds",
}
expect.set_options(timeout=1000 * PATIENCE)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    path = find_browser()
    if path is None:
        assert not is_required(), ADVICE
        pytest.skip(ADVICE)
    with sync_playwright() as playwright:
        options = ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium has no sandbox for root
        browser = playwright.chromium.launch(executable_path=path, args=options)
        yield browser
        browser.close()


# -- pages of a server ---------------------------------------------------------------------------


def _text(number: int) -> str:
    """Texts of very different lengths, so that no height can be guessed."""
    word = "needle " if number % 700 == 5 else ""
    return f"long text number {number} {word}" + "word " * (number * 37 % 400)


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """`aj web` on the demo and a session of 3,000 messages."""
    home = tmp_path_factory.mktemp("server")
    write_demo_home(str(home), parse_bound("now"))
    kinds = ("user", "assistant", "assistant")
    lines = (claude_line(kinds[n % 3], n, _text(n), "s-long") for n in range(3_000))
    folder = home / ".claude/projects/-work"
    folder.mkdir(parents=True)
    (folder / "s-long.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert aj(home, "sync").returncode == 0
    with running(home) as started:
        started.open()
        yield started


@pytest.fixture(scope="package")
def tabs(browser: Browser) -> Iterator[Tabs]:
    made = Tabs(browser)
    yield made
    made.close()


@pytest.fixture
def tab(tabs: Tabs, server: Server) -> Iterator[Tab]:
    """A tab of the server; what it complains of fails the test."""
    with tabs.on(server) as opened:
        yield opened


# -- pages that are files ------------------------------------------------------------------------


@pytest.fixture(scope="package")
def files_context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    yield context
    context.close()


@pytest.fixture
def window(files_context: BrowserContext) -> Iterator[Window]:
    opened = Window(files_context)
    yield opened
    opened.page.close()
    assert opened.trouble == []


@pytest.fixture(scope="package")
def exported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Path]]:
    """Pages of a session of every agent, by agent."""
    home = tmp_path_factory.mktemp("agents")
    for case in HOMES.values():
        shutil.copytree(FIXTURES / case / "home", home, dirs_exist_ok=True)
    build("editor", home)
    assert aj(home, "sync", "--no-index", env={"AJ_AIDER_PATH": str(home)}).returncode == 0
    assert aj(home, "import", str(FIXTURES / "vscode_export/documented.json")).returncode == 0
    items = aj_json(home, "export", "--all", "-f", "html", "-o", str(home / "out"))["items"]
    found: dict[str, list[Path]] = {"index": [home / "out/index.html"]}
    for item in items:
        found.setdefault(item["agent"], []).append(Path(item["path"]))
    return found


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    calls = (
        call(
            "c1",
            "Bash",
            "shell",
            arguments='{"command":"make"}',
            result="\x1b[31mred\x1b[0m needle",
        ),
        call("c2", "Read", "read", arguments='{"file_path":"a.py"}', result="text of the file"),
    )
    return written(
        tmp_path,
        page(
            Session(
                agent="claude-code",
                id="s",
                title="A talk",
                messages=(
                    message(1, "prompt", "first"),
                    message(
                        2,
                        "answer",
                        "An *answer*.\n\n```py\ndef f(x):\n    return x\n```\n",
                        reasoning="because",
                        tool_calls=calls,
                    ),
                    message(3, "injected", "from the harness"),
                    message(4, "answer", "| a |\n|--:|\n| 1 |\n\n- [x] box"),
                    *(message(n, "answer", f"line {n}\n\n" * 20) for n in range(10, 30)),
                    message(31, "prompt", "the last prompt"),
                ),
            ),
            theme="auto",
        ),
    )
