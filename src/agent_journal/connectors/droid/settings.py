"""The settings of a session: its model, and its tokens, which are recorded nowhere else.

{"model":"rose-1","tokenUsage":{"inputTokens":708,"outputTokens":58,"cacheReadTokens":300,…},
 "childInclusiveTokenUsageBySessionId":{"<id of a sub-agent>":{…}}}
"""

from __future__ import annotations

from collections.abc import Iterable

from agent_journal.connectors.base import Content
from agent_journal.connectors.droid import session_of
from agent_journal.connectors.jsonl import DocumentReader, decode_document
from agent_journal.connectors.values import count, mapping, string
from agent_journal.model import Piece, Session, Usage


class SettingsReader(DocumentReader):
    """Reads the settings of a session."""

    kind = "settings"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """The tokens of the session, without those of its sub-agents."""
        settings = mapping(decode_document(data))
        session_id = session_of(self.file.name)
        if session_id is None:
            return ()
        model = string(settings.get("model"))
        models = (model,) if model else ()
        self.found_sessions.append(
            Session(agent="droid", id=session_id, models=models, is_hint=True)
        )
        for child in mapping(settings.get("childInclusiveTokenUsageBySessionId")):
            hint = Session(agent="droid", id=child, parent_id=session_id, is_hint=True)
            self.found_sessions.append(hint)
        tokens = mapping(settings.get("tokenUsage"))
        if not tokens:
            return ()
        usage = Usage(
            session_id=session_id,
            key=f"{session_id}:session",
            model=model,
            input_tokens=count(tokens.get("inputTokens")),
            output_tokens=count(tokens.get("outputTokens")),
            cache_read_tokens=count(tokens.get("cacheReadTokens")),
            cache_write_tokens=count(tokens.get("cacheCreationTokens")),
            reasoning_tokens=count(tokens.get("thinkingTokens")) or None,
            origin="session",
        )
        return (usage,)
