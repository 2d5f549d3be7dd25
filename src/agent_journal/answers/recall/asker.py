"""Who asks: the session in which a call was made, as far as the client says so.

What is known of it is never guessed: the client names its session or its tool call, or the
environment of the server does, and the journal has a session with exactly that id.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from agent_journal.store.catalog.call_rows import sessions_of_calls
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.session_families import rows_of_sessions

# Where clients put the id of their session, beside the arguments of a call
_SESSION_KEYS = ("vscode.conversationId", "threadId", "sessionId", "ai.opencode/sessionID")
_PACKED_KEYS = {"x-codex-turn-metadata": ("thread_id", "session_id")}
_CALL_KEY = "claudecode/toolUseId"
# Who sets a variable for its servers; other clients may have inherited it
_VARIABLES = {"claude-code": "CLAUDE_CODE_SESSION_ID"}
_LONGEST = 200  # letters of an id
_MOST_CALLS = 50  # that are remembered


class Asker:
    """What a client has said of the session that it asks from."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables
        self._sessions: dict[str, None] = {}
        self._calls: dict[str, None] = {}

    def hear_client(self, name: str) -> None:
        """Learn the name of the client."""
        variable = _VARIABLES.get(name)
        if variable is not None:
            self._remember(self._sessions, self._variables.get(variable))

    def hear_call(self, meta: Mapping[str, Any]) -> bool:
        """Learn what came with a call; return whether anything of it is new."""
        before = len(self._sessions) + len(self._calls)
        for key in _SESSION_KEYS:
            self._remember(self._sessions, meta.get(key))
        for key, names in _PACKED_KEYS.items():
            packed = _unpacked(meta.get(key))
            for name in names:
                self._remember(self._sessions, packed.get(name))
        self._remember(self._calls, meta.get(_CALL_KEY))
        return len(self._sessions) + len(self._calls) != before

    def rows(self, db: Connection) -> set[int]:
        """The rows of the sessions that ask; none while the journal does not have them."""
        found = sessions_of_calls(db, self._calls)
        for uid in self._sessions:
            found |= rows_of_sessions(db, uid)
        return found

    def _remember(self, known: dict[str, None], value: object) -> None:
        if not isinstance(value, str) or not 0 < len(value) <= _LONGEST:
            return
        # No database takes the half of a letter
        known[value.encode("utf-8", "replace").decode()] = None
        while len(known) > _MOST_CALLS:
            del known[next(iter(known))]


def _unpacked(value: object) -> Mapping[str, Any]:
    """An object, also when it was packed into a text."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    if isinstance(value, dict):
        return value
    return {}
