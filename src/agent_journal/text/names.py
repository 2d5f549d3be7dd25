"""Names that mean the same, brought to one: of models as each agent calls them, of repositories by
their addresses.
"""

from __future__ import annotations

import re

# Who sells or passes on a model is no part of its name: copilot/…, openrouter/anthropic/…,
# us.anthropic.… of Bedrock.
_SELLER = re.compile(
    r"^(?:.*/)?(?:(?:us|eu|apac|global)\.)?(?:anthropic|amazon|meta|mistral|cohere|deepseek)\.|^.*/"
)
# The date of a release, a context window, an effort, a version of Bedrock: the model is the same.
_SUFFIX = re.compile(
    r"(?:[-@](?:20\d{6}|20\d\d-\d\d-\d\d|latest|v\d+(?::\d+)?)|:\d+|\[[^\]]*\]|\s*\([^)]*\))$"
)
_CLAUDE_OLD = re.compile(r"^claude-(\d+)-(\d+)-(opus|sonnet|haiku)")
_REMOTE = re.compile(
    r"^(?:[a-z+]+://)?(?:[^@/]*@)?([^/:]+)(?::\d+/|[:/])/?(.+?)(?:\.git)?/*$", re.I
)


def model_name(name: str) -> str:
    """The name a model is grouped and priced by: `copilot/claude-opus-4.5` is `claude-opus-4-5`."""
    short = _SELLER.sub("", name.strip().lower())
    while (cut := _SUFFIX.sub("", short)) != short and cut:
        short = cut
    if short.startswith("claude"):
        short = _CLAUDE_OLD.sub(r"claude-\3-\1-\2", short.replace(".", "-").replace(" ", "-"))
    return short or name


def repository_name(address: str) -> str | None:
    """A repository by its remote address, without the way to it: `owner/name` on GitHub, with the
    host elsewhere.
    """
    found = _REMOTE.match(address.strip())
    if found is None:
        return None
    host, path = found[1].lower(), found[2]
    return (
        path.lower()
        if host in ("github.com", "www.github.com", "ssh.github.com")
        else f"{host}/{path.lower()}"
    )
