"""What a turn cost, from whichever of five places a version wrote it to.

{"requestId":"r","promptTokens":1200,"completionTokens":40,"result":{"details":"Claude Opus 4.5 •
3x"}}
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from agent_journal.connectors.values import count, items, mapping, string
from agent_journal.connectors.vscode_chat.states import moment
from agent_journal.model import Usage
from agent_journal.model.origins import CARRIED_USAGE

# In the metadata of turns that `aj convert` wrote: what VS Code has no place for
CONVERTED = "agentJournal"
_COUNTS = (
    "input_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "cache_write_1h_tokens",
    "output_tokens",
    "reasoning_tokens",
    "cost_micro_usd",
)
_MULTIPLIER = re.compile(r"(\d{1,3}(?:\.\d{1,4})?)x\s*\Z")


def usage_of(
    request: dict[str, Any], session_id: str, key: str, answer_id: str, model: str | None
) -> Iterator[Usage]:
    """The usage of one turn; the first place that has it counts."""
    converted = list(_converted(request, session_id, answer_id))
    if converted:
        yield from converted
        return
    base = Usage(
        session_id=session_id,
        # Theirs is the same in an export
        key=key if key.startswith("request_") else f"{session_id}:{key}",
        model=model,
        message_id=answer_id,
        timestamp=moment(request.get("timestamp")),
        premium_requests=_premium(request),
        origin="request",
    )
    totals = items(request.get("modelTotals"))
    if totals:
        yield from _by_model(totals, base)
        return
    given, made = _tokens(request)
    if given is not None or made is not None or base.premium_requests is not None:
        yield replace(base, input_tokens=given, output_tokens=made)


def _converted(request: dict[str, Any], session_id: str, answer_id: str) -> Iterator[Usage]:
    """The usage of another agent's session that this turn was made of: shown here, and counted
    there.
    """
    told = mapping(mapping(mapping(request.get("result")).get("metadata")).get(CONVERTED))
    for row in items(told.get("usage")):
        key, premium = string(row.get("key")), row.get("premium_requests")
        if key is None:
            continue
        usage = Usage(
            session_id=session_id,
            key=f"converted-{key}",
            model=string(row.get("model")),
            message_id=answer_id,
            timestamp=moment(row.get("timestamp")),
            premium_requests=float(premium)
            if isinstance(premium, (int, float)) and 0 <= premium < 1e9
            else None,
            requests=count(row.get("requests")) or 1,
            origin=CARRIED_USAGE,
            is_sidechain=row.get("is_sidechain") is True,
        )
        yield replace(usage, **{name: count(row.get(name)) for name in _COUNTS})


def _by_model(totals: list[dict[str, Any]], base: Usage) -> Iterator[Usage]:
    for place, total in enumerate(totals):
        given, cached = count(total.get("inputTokens")), count(total.get("cachedTokens"))
        model = string(total.get("model")) or base.model
        yield replace(
            base,
            key=f"{base.key}:{model}",
            model=model,
            # inputTokens is the whole prompt; the model counts what was not read from the cache.
            input_tokens=None if given is None else max(0, given - (cached or 0)),
            cache_read_tokens=cached,
            output_tokens=count(total.get("outputTokens")),
            premium_requests=base.premium_requests if place == 0 else None,
        )


def _tokens(request: dict[str, Any]) -> tuple[int | None, int | None]:
    result = mapping(request.get("result"))
    metadata, used = mapping(result.get("metadata")), mapping(result.get("usage"))
    prompt, completion = count(request.get("promptTokens")), count(request.get("completionTokens"))
    if prompt is not None:
        return prompt, completion
    if used:
        return count(used.get("promptTokens")), count(used.get("completionTokens"))
    given, made = count(metadata.get("promptTokens")), count(metadata.get("outputTokens"))
    return (given, made) if given is not None or made is not None else (None, completion)


def _premium(request: dict[str, Any]) -> float | None:
    details = string(mapping(request.get("result")).get("details"))
    found = _MULTIPLIER.search(details[-40:]) if details else None
    return float(found[1]) if found else None
