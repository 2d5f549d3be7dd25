"""One name for what has several: for models as each agent calls them, for repository addresses."""

from __future__ import annotations

import re

# Who sells or passes on a model is not part of its name: copilot/…, openrouter/anthropic/…,
# us.anthropic.… of Bedrock.
_SELLER = re.compile(
    r"^(?:.*/)?(?:(?:us|eu|apac|global)\.)?(?:anthropic|amazon|meta|mistral|cohere|deepseek)\.|^.*/"
)
# The date of a release, a context window, an effort, a version of Bedrock: the model is the same.
_SUFFIX = re.compile(
    r"(?:[-@](?:20\d{6}|20\d\d-\d\d-\d\d|latest|v\d+(?::\d+)?)|:\d+|\[[^\]]*\]|\s*\([^)]*\))$"
)
_CLAUDE_OLD = re.compile(r"^claude-(\d+)-(\d+)-(opus|sonnet|haiku)")
_GITHUB = ("github.com", "www.github.com", "ssh.github.com")
_REMOTE = re.compile(
    r"^(?:[a-z+]+://)?(?:[^@/]*@)?([^/:]+)(?::\d+/|[:/])/?(.+?)(?:\.git)?/*$", re.I
)


def model_name(name: str) -> str:
    """Return the name a model is grouped by: `claude-opus-4-5` for `copilot/claude-opus-4.5`."""
    short = _without_suffixes(_without_seller(name))
    if short.startswith("claude"):
        short = _CLAUDE_OLD.sub(r"claude-\3-\1-\2", short.replace(".", "-").replace(" ", "-"))
    return short or name


def listed_names(name: str) -> list[str]:
    """Return the names that a price list may have a model under, the agent's own first."""
    bare = _without_seller(name)
    return list(dict.fromkeys((name, bare, _without_suffixes(bare), model_name(name))))


def _without_seller(name: str) -> str:
    return _SELLER.sub("", name.strip().lower())


def _without_suffixes(name: str) -> str:
    while True:
        shorter = _SUFFIX.sub("", name)
        if not shorter or shorter == name:
            return name
        name = shorter


def repository_name(address: str) -> str | None:
    """Return the name in a remote address: `owner/name` on GitHub, with the host elsewhere."""
    found = _REMOTE.match(address.strip())
    if found is None:
        return None
    host = found[1].lower()
    path = found[2].lower()
    if host in _GITHUB:
        return path
    return f"{host}/{path}"
