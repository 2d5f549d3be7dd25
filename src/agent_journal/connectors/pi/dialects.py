"""What differs between the agents that write the lines of Pi: all of it is here, as data."""

from __future__ import annotations

from typing import NamedTuple


class Dialect(NamedTuple):
    """One agent that writes these lines.

    prompt_context, answer_wrapper: patterns of what the agent puts before the words of a person,
    and around those of the model.
    """

    agent: str
    prompt_context: str | None = None
    answer_wrapper: str | None = None


PI = Dialect("pi")
# Sender (untrusted metadata):
# ```json
# {"label":"Sam"}
# ```
#
# [Thu 2026-04-02 16:43 GMT+8] Water the roses.
OPENCLAW = Dialect(
    "openclaw",
    prompt_context=(
        r"(?:[^\n]{1,80}\(untrusted[^\n()]{0,40}\):\n```json\n.*?\n```\s*)+"
        r"(?:\[\w{3} \d{4}-\d\d-\d\d[^\]\n]{0,40}\]\s*)?"
        r"|\[\w{3} \d{4}-\d\d-\d\d[^\]\n]{0,40}\]\s*"
    ),
    answer_wrapper=r"\s*<final>(.*)</final>\s*",
)
