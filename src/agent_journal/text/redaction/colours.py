"""Text without the sequences that set colours, and where its characters were with them."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from agent_journal.text.redaction.secret import Secret

# As a terminal gets them, and as JSON and shells write them. Titles and links (OSC) stay: a secret
# may be in them.
_COLOURS = re.compile(
    r"(?:\x1b|\\{1,4}(?:u001[bB]|x1[bB]|033|e))\[[0-9;:?]{0,40}[A-Za-z]|\x1b\([0-9A-B]"
)


class Uncoloured(NamedTuple):
    """A text without colours. `places` are where sequences were, `lengths` all that went so far."""

    text: str
    places: list[int]
    lengths: list[int]

    def with_colours(self, secret: Secret) -> Secret:
        """Return a secret where it is in the text with colours."""
        start = self._place(secret.start)
        end = self._place(secret.end - 1) + 1
        return secret._replace(start=start, end=end)

    def _place(self, at: int) -> int:
        before = bisect_right(self.places, at)
        if not before:
            return at
        return at + self.lengths[before - 1]


def may_have_colours(text: str, folded: bytes) -> bool:
    """Whether there may be colours in a text: much cheaper than looking for them.

    `folded` is the text in lower case.
    """
    if "\x1b" in text:
        return True
    if "\\" not in text or "[" not in text:
        return False
    return b"1b[" in folded or b"\\033[" in folded or b"\\e[" in folded


def without_colours(text: str) -> Uncoloured | None:
    """Return a text without the colours in it; None when there are none."""
    parts: list[str] = []
    places: list[int] = []
    lengths: list[int] = []
    at = 0
    removed = 0
    for match in _COLOURS.finditer(text):
        parts.append(text[at : match.start()])
        places.append(match.start() - removed)
        at = match.end()
        removed += at - match.start()
        lengths.append(removed)
    if not parts:
        return None
    parts.append(text[at:])
    return Uncoloured("".join(parts), places, lengths)
