"""`aj search`: find what was said, done and printed."""

from __future__ import annotations

import click

from agent_journal.cli.asking import MODES, MOST_HITS, Asked, answer
from agent_journal.cli.options import agent_option, json_option


@click.command()
@click.argument("words", metavar="QUERY...", nargs=-1, required=True)
@agent_option
@click.option("--project", metavar="TEXT", help="Only sessions whose folder or repository contains this.")
@click.option("--since", metavar="TIME", help="Only what is newer: 2d, yesterday, 2026-01 …")
@click.option("--until", metavar="TIME", help="Only what is older.")
@click.option(
    "-n", "limit", type=click.IntRange(min=1, max=MOST_HITS), help="Most hits shown: search.max_results, 20 if not set."
)
@click.option("--offset", type=click.IntRange(min=0, max=100_000), default=0, help="Leave out the first hits.")
@click.option("--flat", "is_flat", is_flag=True, help="Every hit, not only the best of each session.")
@click.option("-C", "--context", type=click.IntRange(min=0), metavar="N", help="Messages around each hit.")
@click.option("--mode", type=click.Choice(MODES), help="How to look: search.default_mode, hybrid if that is not set.")
@click.option("--exclude-current", "without_current", is_flag=True, help="Leave out the session that is asking.")
@click.option("--no-sync", "is_synced", flag_value=False, default=True, help="Do not look for new sessions first.")
@json_option
def search(**given: object) -> int:
    """Find what was said, done and printed, in every session of every agent.

    Looks for words and for meaning at once (--mode hybrid). All words must match; "phrases", -not, OR, prefix*,
    /regex/ and fields such as agent: project: tool: file: is: date: narrow it down (docs/query.md).

    \b
    Examples:
      aj search flaky retry test
      aj search '"connection limit" agent:claude-code date:7d'
      aj search tool:bash docker -compose --flat
      aj search --mode semantic how did we make uploads faster
    """
    return answer(Asked(**given))  # type: ignore[arg-type]
