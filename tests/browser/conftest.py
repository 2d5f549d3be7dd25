"""The browser, driven by Playwright, and pages to open; tests/support/browser.py finds it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from agent_journal.model import Session
from tests.browser.windows import Window, written
from tests.support.browser import ADVICE, find_browser, is_required
from tests.support.cursor_home import build
from tests.support.journals import aj, aj_json
from tests.support.pages import call, message, page

FIXTURES = Path(__file__).parent.parent / "connectors"
HOMES = {
    "claude-code": "claude_code/subagents",
    "codex": "codex/items",
    "copilot-cli": "copilot_cli/conversation",
    "gemini": "gemini/log",
    "aider": "aider/conversation",
    "vscode-chat": "vscode_chat/kinds",
}


@pytest.fixture(scope="module")
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


@pytest.fixture
def window(browser: Browser) -> Iterator[Window]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = Window(context)
    yield opened
    context.close()
    assert opened.trouble == []


@pytest.fixture(scope="module")
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
