"""Copilot CLI's usage of a demo session: a record for every call, totals at shutdown.

Input includes the cache.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from agent_journal.demo.writing import Tokens, hunks, iso, uuid


class _Rates(NamedTuple):
    """Nano credits for a token; a credit is 10^9 of them, one cent."""

    fresh: int
    cache_read: int
    cache_write: int
    output: int


_RATES = {
    "claude-sonnet-4.5": _Rates(300_000, 30_000, 375_000, 1_500_000),
    "gpt-5": _Rates(125_000, 12_500, 0, 1_000_000),
}
_PROMPT_COST = 1  # premium requests


class _Record(NamedTuple):
    agent: str | None
    tokens: Tokens
    milliseconds: int
    premium_requests: int


class UsageTotals:
    """Adds up what a session used."""

    def __init__(self, session_id: str, model: str) -> None:
        self.session_id = session_id
        self.model = model
        self.agents: dict[str, dict[str, str]] = {}
        self.records: list[_Record] = []
        self.added = 0
        self.removed = 0
        self.files: list[str] = []

    def record(
        self, tokens: Tokens, api_call: str, agent: str | None, took: int, is_prompt: bool
    ) -> dict[str, Any]:
        """Count one call; return its `usage`."""
        cost = _PROMPT_COST if is_prompt else 0
        self.records.append(_Record(agent, tokens, took, cost))
        sequence = len(self._of_agent(agent))
        source = uuid(self.session_id, agent) if agent else self.session_id
        initiator = "user" if is_prompt else "agent"
        if agent:
            initiator = "sub-agent"
        return {
            "model": self.model,
            "modelDisplayName": self.model,
            **_counts([tokens]),
            "cost": cost,
            "duration": took,
            "timeToFirstTokenMs": took // 6,
            "initiator": initiator,
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
        """Count the lines of an edit."""
        lines = [line for hunk in hunks(before, after) for line in hunk["lines"]]
        self.added += sum(line.startswith("+") for line in lines)
        self.removed += sum(line.startswith("-") for line in lines)
        if path not in self.files:
            self.files.append(path)

    def shutdown(self, started: datetime, context: int) -> dict[str, Any]:
        """Return the totals so far; from version 1.0.67 on they cover the whole session."""
        changes = {
            "linesAdded": self.added,
            "linesRemoved": self.removed,
            "filesModified": self.files,
        }
        everything = self._metrics(self.records)
        agents: dict[str, Any] = {"main": self._metrics(self._of_agent(None))}
        for agent, names in self.agents.items():
            agents[agent] = names | self._metrics(self._of_agent(agent))
        premium = sum(record.premium_requests for record in self.records)
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
            "totalNanoAiu": everything["totalNanoAiu"],
            "totalApiDurationMs": everything["totalApiDurationMs"],
            "sessionStartTime": int(started.timestamp() * 1000),
            "codeChanges": changes,
            "modelMetrics": everything["modelMetrics"],
            "agentMetrics": agents,
            "currentModel": self.model,
            "currentTokens": context,
        }

    def _of_agent(self, agent: str | None) -> list[_Record]:
        return [record for record in self.records if record.agent == agent]

    def _metrics(self, records: list[_Record]) -> dict[str, Any]:
        tokens = [record.tokens for record in records]
        nano = self._nano(tokens)
        cost = sum(record.premium_requests for record in records)
        requests = {"count": len(records), "cost": cost}
        metric = {"requests": requests, "usage": _counts(tokens), "totalNanoAiu": nano}
        duration = sum(record.milliseconds for record in records)
        return {
            "totalApiDurationMs": duration,
            "totalNanoAiu": nano,
            "modelMetrics": {self.model: metric},
        }

    def _nano(self, calls: list[Tokens]) -> int:
        rates = _RATES[self.model]
        return sum(
            tokens.fresh * rates.fresh
            + tokens.cache_read * rates.cache_read
            + tokens.cache_write * rates.cache_write
            + tokens.output * rates.output
            for tokens in calls
        )


def compaction(tokens: Tokens, model: str) -> dict[str, Any]:
    """Return `compactionTokensUsed`: the only call without a usage record."""
    counts = _counts([tokens])
    del counts["reasoningTokens"]
    return {"requestCount": 1, **counts, "duration": 10_400, "model": model}


def _counts(calls: list[Tokens]) -> dict[str, int]:
    fresh = sum(tokens.fresh for tokens in calls)
    cache_read = sum(tokens.cache_read for tokens in calls)
    cache_write = sum(tokens.cache_write for tokens in calls)
    return {
        "inputTokens": fresh + cache_read + cache_write,
        "outputTokens": sum(tokens.output for tokens in calls),
        "cacheReadTokens": cache_read,
        "cacheWriteTokens": cache_write,
        "reasoningTokens": sum(tokens.reasoning for tokens in calls),
    }
