"""Commands whose `--since` and `--until` take times of several words without quotation marks."""

from __future__ import annotations

import click

_OPTIONS = ("--since", "--until")
_MOST_WORDS = 4  # `last 3 days`, `4 july 2025`


class SpokenTimesCommand(click.Command):
    """Reads `--since last month` like `--since 'last month'`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Join the words of a time before the options are parsed."""
        return super().parse_args(ctx, join_times(args))


def join_times(args: list[str], *, beside_words: bool = False) -> list[str]:
    """Return the arguments with each time that takes several words as one.

    `beside_words`: the command also takes other words. Where the first word is a time already,
    the next ones are not part of it.
    """
    joined = []
    place = 0
    while place < len(args):
        joined.append(args[place])
        place += 1
        if joined[-1] in _OPTIONS and place < len(args):
            count = 1
            if not (beside_words and _is_time(args[place])):
                count = _words_of_time(args[place : place + _MOST_WORDS])
            joined.append(" ".join(args[place : place + count]))
            place += count
    return joined


def _words_of_time(words: list[str]) -> int:
    """Return how many words are a time: as many as possible, or one where none are."""
    for count in range(len(words), 1, -1):
        if _is_time(" ".join(words[:count])):
            return count
    return 1


def _is_time(text: str) -> bool:
    from agent_journal.text.dates import parse_bound

    try:
        parse_bound(text)
    except ValueError:
        return False
    return True
