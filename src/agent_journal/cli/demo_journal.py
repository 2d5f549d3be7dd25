"""The journal of the demo: made-up sessions, in an environment that sees no others."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import NamedTuple

# Variables that make an agent look for its files outside the home folder.
_FOLDER_VARIABLES = (
    "CLAUDE_CONFIG_DIR",
    "COPILOT_HOME",
    "XDG_CONFIG_HOME",
    "APPDATA",
    "VSCODE_PORTABLE",
    "VSCODE_APPDATA",
    "WSL_DISTRO_NAME",
    "WSL_INTEROP",
    "AIDER_CHAT_HISTORY_FILE",
    "AIDER_INPUT_HISTORY_FILE",
    "CODEX_HOME",
    "CURSOR_CONFIG_DIR",
    "GEMINI_CLI_HOME",
    "PI_CODING_AGENT_DIR",
    "OPENCLAW_STATE_DIR",
    "KIMI_SHARE_DIR",
    "KIMI_CODE_HOME",
    "GROK_HOME",
    "CLINE_DIR",
    "CLINE_DATA_DIR",
    "CLINE_SESSION_DATA_DIR",
    "QWEN_HOME",
    "QWEN_RUNTIME_DIR",
    "CONTINUE_GLOBAL_DIR",
)


class DemoJournal(NamedTuple):
    """The folders of a demo."""

    home: str
    journal: str


def write_demo(base: str) -> DemoJournal:
    """Write the home folder of the demo into a folder."""
    from agent_journal.demo import write_demo_home
    from agent_journal.store.mirror.mirror import private

    demo = DemoJournal(os.path.join(base, "home"), os.path.join(base, "journal"))
    with private():
        os.makedirs(demo.home, exist_ok=True)
        write_demo_home(demo.home, datetime.now(UTC))
    return demo


@contextmanager
def demo_environment(demo: DemoJournal) -> Iterator[None]:
    """Make this process work on the demo, as if it were the user's home."""
    saved = dict(os.environ)
    folder = _working_folder()
    os.chdir(demo.home)  # an Aider history in the working folder is not part of the demo
    for name in saved:
        if name in _FOLDER_VARIABLES or name.startswith("AJ_"):
            del os.environ[name]
    # A tour does not stop at every page.
    os.environ.update(HOME=demo.home, USERPROFILE=demo.home, AJ_HOME=demo.journal, PAGER="cat")
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(saved)
        os.chdir(folder)


def _working_folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was deleted
        return os.sep
