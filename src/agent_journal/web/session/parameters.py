"""The parameters of addresses of a session: numbers and short texts, checked."""

from __future__ import annotations

from starlette.requests import Request

from agent_journal.errors import UsageError

MOST_LETTERS = 4_000  # of a path
_MOST = 10**12  # bytes of a file


def number_parameter(request: Request, name: str, default: int) -> int:
    """A number that is not negative; UsageError for anything else."""
    text = request.query_params.get(name, str(default))
    if not text.isascii() or not text.isdecimal():
        raise UsageError(f"{name} must be a number")
    return min(int(text[:13]), _MOST)


def text_parameter(request: Request, name: str) -> str:
    """A text; UsageError when it is too long."""
    text = request.query_params.get(name, "")
    if len(text) > MOST_LETTERS:
        raise UsageError(f"{name} has at most {MOST_LETTERS:,} characters")
    return text
