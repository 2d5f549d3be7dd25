"""Copilot CLI's accounts of a demo session: a record for every call, totals at shutdown. Input
includes the cache.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from agent_journal.demo.writing import Tokens, hunks, iso, uuid

# Nano credits (a credit is 10^9, one cent) for a token: fresh, cache read, cache write, output. And
# what a prompt costs in premium requests.
_RATES = {
    "claude-sonnet-4.5": (300_000, 30_000, 375_000, 1_500_000),
    "gpt-5": (125_000, 12_500, 0, 1_000_000),
}
_MULTIPLIER = 1


class Ledger:
    """Adds up what a session used."""

    def __init__(self, session_id: str, model: str) -> None:
        self.session_id = session_id
        self.model = model
        self.agents: dict[str, dict[str, str]] = {}
        # Agent, tokens, milliseconds, premium requests
        self.records: list[tuple[str | None, Tokens, int, int]] = []
        self.added = 0
        self.removed = 0
        self.files: list[str] = []

    def record(
        self, tokens: Tokens, api_call: str, agent: str | None, took: int, is_prompt: bool
    ) -> dict[str, Any]:
        """The `usage` of one call."""
        cost = _MULTIPLIER if is_prompt else 0
        self.records.append((agent, tokens, took, cost))
        sequence = sum(other == agent for other, *_ in self.records)
        source = uuid(self.session_id, agent) if agent else self.session_id
        return {
            "model": self.model,
            "modelDisplayName": self.model,
            **_counts([tokens]),
            "cost": cost,
            "duration": took,
            "timeToFirstTokenMs": took // 6,
            "initiator": "sub-agent" if agent else "user" if is_prompt else "agent",
            "interactionType": "conversation-agent",
            "isByok": False,
            "transport": "http",
            "apiCallId": api_call,
            "apiEndpoint": "/chat/completions",
            "aiCreditsStatus": "complete",
            "accounting": {"sourceSessionId": source, "sequence": sequence, "usageId": api_call},
            "copilotUsage": {"totalNanoAiu": self._nano([tokens])},
        }

    def changed(self, path: str, before: str, after: str) -> None:
        """Counts the lines of an edit."""
        lines = [line for hunk in hunks(before, after) for line in hunk["lines"]]
        self.added += sum(line.startswith("+") for line in lines)
        self.removed += sum(line.startswith("-") for line in lines)
        if path not in self.files:
            self.files.append(path)

    def shutdown(self, started: datetime, context: int) -> dict[str, Any]:
        """The totals so far, as `session.shutdown` has them (from 1.0.67 on they cover the whole
        session).
        """
        changes = {
            "linesAdded": self.added,
            "linesRemoved": self.removed,
            "filesModified": self.files,
        }
        everything = self._metrics(self.records)
        agents: dict[str, Any] = {
            "main": self._metrics([one for one in self.records if one[0] is None])
        }
        for agent, names in self.agents.items():
            agents[agent] = names | self._metrics([one for one in self.records if one[0] == agent])
        premium, nano = sum(one[3] for one in self.records), everything["totalNanoAiu"]
        snapshot = {
            "totalPremiumRequestCost": premium,
            "totalUserRequests": premium,
            "aiCreditsStatus": "complete",
            "sessionStartTime": iso(started),
            "codeChanges": changes | {"filesModifiedCount": len(self.files)},
            **everything,
            "agentMetrics": agents,
            "currentModel": self.model,
        }
        return {
            "accountingSnapshot": snapshot,
            "shutdownType": "routine",
            "totalPremiumRequests": premium,
            "totalNanoAiu": nano,
            "totalApiDurationMs": everything["totalApiDurationMs"],
            "sessionStartTime": int(started.timestamp() * 1000),
            "codeChanges": changes,
            "modelMetrics": everything["modelMetrics"],
            "agentMetrics": agents,
            "currentModel": self.model,
            "currentTokens": context,
        }

    def _metrics(self, records: list[tuple[str | None, Tokens, int, int]]) -> dict[str, Any]:
        tokens = [one[1] for one in records]
        nano = self._nano(tokens)
        requests = {"count": len(records), "cost": sum(one[3] for one in records)}
        metric = {"requests": requests, "usage": _counts(tokens), "totalNanoAiu": nano}
        duration = sum(one[2] for one in records)
        return {
            "totalApiDurationMs": duration,
            "totalNanoAiu": nano,
            "modelMetrics": {self.model: metric},
        }

    def _nano(self, tokens: list[Tokens]) -> int:
        fresh, read, write, output = _RATES[self.model]
        return sum(
            one.fresh * fresh
            + one.cache_read * read
            + one.cache_write * write
            + one.output * output
            for one in tokens
        )


def compaction(tokens: Tokens, model: str) -> dict[str, Any]:
    """`compactionTokensUsed`: the one call that has no record of its own."""
    counts = _counts([tokens])
    del counts["reasoningTokens"]
    return {"requestCount": 1, **counts, "duration": 10_400, "model": model}


def _counts(tokens: list[Tokens]) -> dict[str, int]:
    return {
        "inputTokens": sum(one.fresh + one.cache_read + one.cache_write for one in tokens),
        "outputTokens": sum(one.output for one in tokens),
        "cacheReadTokens": sum(one.cache_read for one in tokens),
        "cacheWriteTokens": sum(one.cache_write for one in tokens),
        "reasoningTokens": sum(one.reasoning for one in tokens),
    }
