"""Where agents that most machines never had keep their sessions, if nothing moves them.

A sync that finds none of these folders does not import the connector: each import costs it a tenth
of a millisecond. What counts is `roots` of the connector; a test compares the two. Agents whose
places depend on other things (editors, projects) are not here.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent_journal.connectors.base import Env

# The folders in the home folder, and the variables that move them
_DATA = ".local/share/"
_MOVED = "XDG_DATA_HOME"
HOMES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "continue": ((".continue",), ("CONTINUE_GLOBAL_DIR",)),
    "droid": ((".factory",), ()),
    "grok": ((".grok",), ("GROK_HOME",)),
    "kilo": ((_DATA + "kilo",), (_MOVED, "KILO_DB")),
    "kimi-cli": ((".kimi",), ("KIMI_SHARE_DIR",)),
    "kimi-code": ((".kimi-code",), ("KIMI_CODE_HOME",)),
    "openclaw": ((".openclaw", ".clawdbot", ".moltbot"), ("OPENCLAW_STATE_DIR",)),
    "opencode": ((_DATA + "opencode",), (_MOVED, "OPENCODE_DB")),
    "pi": ((".pi/agent",), ("PI_CODING_AGENT_DIR",)),
    "qwen-code": ((".qwen",), ("QWEN_HOME", "QWEN_RUNTIME_DIR")),
}
# Those that have other folders on Windows or macOS
LINUX_HOMES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "amazon-q": ((_DATA + "amazon-q",), (_MOVED,)),
    "goose": ((_DATA + "goose",), (_MOVED, "GOOSE_PATH_ROOT")),
    "kiro": ((_DATA + "kiro-cli",), (_MOVED,)),
    "zed": ((_DATA + "zed", ".var/app/dev.zed.Zed/data/zed"), (_MOVED,)),
}


def is_absent(agent: str, env: Env) -> bool:
    """Whether none of the folders of an agent exists; False where this cannot be said here."""
    place = HOMES.get(agent)
    if place is None and env.platform not in ("darwin", "win32"):
        place = LINUX_HOMES.get(agent)
    if place is None:
        return False
    folders, variables = place
    if any(env.variable(name) for name in variables):
        return False
    return all(is_missing(env.path(folder)) for folder in folders)


def is_missing(folder: str) -> bool:
    """Whether a folder does not exist; one that cannot be looked at may exist."""
    try:
        os.stat(folder)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False
    return False
