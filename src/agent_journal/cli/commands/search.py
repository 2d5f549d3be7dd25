"""`aj search`: find what was said, done and printed."""

from __future__ import annotations

import click

from agent_journal.cli.options import agent_option, json_option
from agent_journal.cli.search_request import MODES, MOST_HITS, Asked, answer, is_exclusion

_HIDDEN = "\ufdd0"  # a character that no text has


class _Search(click.Command):
    """Takes `-word` for a word to leave out, as the language of queries does."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Hides such words from the parser of options."""
        return super().parse_args(
            ctx, [_HIDDEN + word if is_exclusion(word) else word for word in args]
        )


@click.command(cls=_Search)
@click.argument("words", metavar="QUERY...", nargs=-1, required=True)
@agent_option
@click.option(
    "--project", metavar="TEXT", help="Only sessions whose folder or repository contains this."
)
@click.option("--since", metavar="TIME", help="Only what is newer: 2d, yesterday, 2026-01 …")
@click.option("--until", metavar="TIME", help="Only what is older.")
@click.option(
    "-n",
    "limit",
    type=click.IntRange(min=1, max=MOST_HITS),
    help="Most hits shown: search.max_results, 20 if not set.",
)
@click.option(
    "--offset", type=click.IntRange(min=0, max=100_000), default=0, help="Leave out the first hits."
)
@click.option(
    "--flat", "is_flat", is_flag=True, help="Every hit, not only the best of each session."
)
@click.option(
    "-C",
    "--context",
    type=click.IntRange(min=0, max=1_000),
    metavar="N",
    help="Messages around each hit.",
)
@click.option(
    "--mode",
    type=click.Choice(MODES),
    help="How to look: search.default_mode, hybrid if that is not set.",
)
@click.option(
    "--exclude-current",
    "without_current",
    is_flag=True,
    help="Leave out the session that is asking.",
)
@click.option(
    "--sync/--no-sync",
    "is_synced",
    default=None,
    help="Look for new sessions first, or do not; else when the last look was five minutes ago.",
)
@json_option
def search(**given: object) -> int:
    """Find what was said, done and printed, in every session of every agent.

    Looks for words and for meaning at once (--mode hybrid): first come messages with all words,
    then those that are about the same. "phrases", -not, OR, prefix*, /regex/ and fields such as
    agent: project: tool: file: is: date: narrow it down (docs/query.md).

    \b
    Examples:
      aj search flaky retry test
      aj search '"connection limit" agent:claude-code date:7d'
      aj search tool:bash docker -compose --flat
      aj search --mode semantic how did we make uploads faster
    """
    shown = {name: _visible(value) for name, value in given.items()}
    return answer(Asked(**shown))  # type: ignore[arg-type]


def _visible(value: object) -> object:
    if isinstance(value, tuple):
        return tuple(_visible(one) for one in value)
    return value.removeprefix(_HIDDEN) if isinstance(value, str) else value
