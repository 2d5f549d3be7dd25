"""What a turn used, from whichever of five places a version wrote it to.

{"requestId":"r","promptTokens":1200,"completionTokens":40,
 "result":{"details":"Claude Opus 4.5 • 3x"}}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

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
    """The usage of one turn."""
    converted = list(_converted(request, session_id, answer_id))
    if converted:
        yield from converted
        return
    if not key.startswith("request_"):  # ids of VS Code's own are the same in an export
        key = f"{session_id}:{key}"
    base = Usage(
        session_id=session_id,
        key=key,
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
    tokens = _tokens(request)
    if tokens.is_known or base.premium_requests is not None:
        yield replace(base, input_tokens=tokens.prompt, output_tokens=tokens.completion)


def _converted(request: dict[str, Any], session_id: str, answer_id: str) -> Iterator[Usage]:
    """The usage of the session that was converted to this one: shown here, counted there."""
    metadata = mapping(mapping(request.get("result")).get("metadata"))
    for row in items(mapping(metadata.get(CONVERTED)).get("usage")):
        key = string(row.get("key"))
        if key is None:
            continue
        usage = Usage(
            session_id=session_id,
            key=f"converted-{key}",
            model=string(row.get("model")),
            message_id=answer_id,
            timestamp=moment(row.get("timestamp")),
            premium_requests=_positive(row.get("premium_requests")),
            requests=count(row.get("requests")) or 1,
            origin=CARRIED_USAGE,
            is_sidechain=row.get("is_sidechain") is True,
        )
        yield replace(usage, **{name: count(row.get(name)) for name in _COUNTS})


def _positive(value: Any) -> float | None:
    if not isinstance(value, (int, float)) or not 0 <= value < 1e9:
        return None
    return float(value)


def _by_model(totals: list[dict[str, Any]], base: Usage) -> Iterator[Usage]:
    premium_requests = base.premium_requests  # counted once, with the first model
    for total in totals:
        model = string(total.get("model")) or base.model
        cached = count(total.get("cachedTokens"))
        uncached = count(total.get("inputTokens"))
        if uncached is not None and cached is not None:
            uncached = max(0, uncached - cached)  # inputTokens is the whole prompt
        yield replace(
            base,
            key=f"{base.key}:{model}",
            model=model,
            input_tokens=uncached,
            cache_read_tokens=cached,
            output_tokens=count(total.get("outputTokens")),
            premium_requests=premium_requests,
        )
        premium_requests = None


class _Tokens(NamedTuple):
    prompt: int | None
    completion: int | None

    @property
    def is_known(self) -> bool:
        return self.prompt is not None or self.completion is not None


def _tokens(request: dict[str, Any]) -> _Tokens:
    """The tokens of a turn, each number from the first place that has it.

    `outputTokens` in the metadata are those of the last model call only, so they come last.
    """
    result = mapping(request.get("result"))
    used = mapping(result.get("usage"))
    metadata = mapping(result.get("metadata"))
    prompts = (
        request.get("promptTokens"),
        used.get("promptTokens"),
        metadata.get("promptTokens"),
    )
    completions = (
        request.get("completionTokens"),
        used.get("completionTokens"),
        metadata.get("outputTokens"),
    )
    return _Tokens(_first_count(prompts), _first_count(completions))


def _first_count(values: Iterable[Any]) -> int | None:
    counts = map(count, values)
    return next((number for number in counts if number is not None), None)


def _premium(request: dict[str, Any]) -> float | None:
    details = string(mapping(request.get("result")).get("details"))
    if details is None:
        return None
    found = _MULTIPLIER.search(details[-40:])
    if found is None:
        return None
    return float(found[1])
