"""Names of models, as Claude's API knows them.

Claude Code asks the API for the model of the last answer when its name begins with `claude-`, and
for the person's own choice otherwise: a name that the API does not know would end the conversation.
"""

from __future__ import annotations

import re

from agent_journal.text.names import model_name

# Families of the fourth generation and later; the API no longer serves older ones.
_SERVED = re.compile(r"claude-[a-z]+-(?:[4-9]|\d\d)(?:-\d{1,2})?\Z")
_DATED = re.compile(r"claude-[a-z]+-(?:[4-9]|\d\d)(?:-\d{1,2})?-20\d{6}\Z")
# Cursor and others put the version before the family.
_VERSION_FIRST = re.compile(r"claude-(\d+(?:-\d{1,2})?)-([a-z]+)\Z")


def api_model(name: str | None) -> str | None:
    """The name to write; None for a model of Anthropic under a name that the API does not have."""
    if name is None:
        return None
    if _DATED.match(name):
        return name
    plain = _VERSION_FIRST.sub(r"claude-\2-\1", model_name(name))
    if _SERVED.match(plain):
        return plain
    if "claude" in plain:
        return None
    return name
