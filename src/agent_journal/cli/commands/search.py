"""`aj search`: search everything that was said, done and printed."""

from __future__ import annotations

import click

from agent_journal.answers.searching import MODES, MOST_HITS
from agent_journal.cli.options import Number, agent_option, json_option, project_option
from agent_journal.cli.output import note
from agent_journal.cli.query_command import QueryCommand
from agent_journal.cli.search_request import SearchRequest, search_and_print
from agent_journal.errors import UsageError
from agent_journal.text.plain import safe
from agent_journal.text.suggestions import near_words

_NEAR = 0.75  # --amend is an option of git, --jsn is one of ours


class _Search(QueryCommand):
    """Also takes options of other programs as text: `git commit --no-verify`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Say how a misspelt option can be searched for."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            hint = f"to search for the text itself: aj search -- {error.option_name}"
            raise UsageError(error.format_message(), hint) from error

    def is_query_text(self, word: str) -> bool:
        """Whether an argument is a part of the query; say so where it looks like an option."""
        if super().is_query_text(word):
            return True
        is_foreign = self._is_foreign_option(word)
        if is_foreign:
            note(f"aj: {safe(word)} is not an option of 'aj search'; searching for it as text")
        return is_foreign

    def _is_foreign_option(self, word: str) -> bool:
        """Whether an argument is an option of another program, and not a misspelt one of ours."""
        name, equals, _ = word.partition("=")
        if not name.startswith("--") or len(name) < 3:
            return False
        known = ["--help"]
        for option in self.params:
            if isinstance(option, click.Option) and not (equals and option.is_flag):
                known += [*option.opts, *option.secondary_opts]
        return name not in known and not near_words(name, known, cutoff=_NEAR)


@click.command(cls=_Search)
@click.argument("words", metavar="QUERY...", nargs=-1, required=True)
@agent_option
@project_option
@click.option("--since", metavar="TIME", help="Only hits since TIME: 2d, 'last week', 2026-01.")
@click.option("--until", metavar="TIME", help="Only hits until TIME.")
@click.option(
    "-n",
    "limit",
    metavar="N",
    type=Number(1, MOST_HITS),
    help="Show at most N hits.  [default: search.max_results, or 20]",
)
@click.option(
    "--offset",
    metavar="N",
    type=Number(0, 100_000),
    default=0,
    help="Skip the first N hits.",
)
@click.option(
    "--flat", "is_flat", is_flag=True, help="Show every hit, not only the best of each session."
)
@click.option(
    "-C",
    "--context",
    type=Number(0, 1_000),
    metavar="N",
    help="Show N messages before and after each hit.",
)
@click.option(
    "--mode",
    type=click.Choice(MODES),
    help="Search by words, by meaning, or both.  [default: search.default_mode, or hybrid]",
)
@click.option(
    "--exclude-current",
    "without_current",
    is_flag=True,
    help="Leave out the session that runs this command.",
)
@click.option(
    "--sync/--no-sync",
    "is_synced",
    default=None,
    help="Sync before searching.  [default: if the last sync was more than five minutes ago]",
)
@json_option
def search(**options: object) -> int:
    """Search everything that was said, done and printed, in the sessions of all agents.

    By default a search matches both words and meaning: messages that contain all words come first,
    then those about the same thing. Queries may contain "phrases", -exclusions, OR, prefix*,
    /regular expressions/ and filters such as agent: project: tool: file: is: date:
    (docs/query.md). Commands are text: the flag in 'rm -rf' excludes nothing.

    \b
    Examples:
      aj search flaky retry test
      aj search '"connection limit" agent:claude-code date:7d'
      aj search tool:bash docker -compose --flat
      aj search --mode semantic how did we make uploads faster
    """
    return search_and_print(SearchRequest(**options))  # type: ignore[arg-type]
