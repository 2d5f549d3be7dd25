"""Commands that take a query: its words may begin with a dash, as `-docker` and `-has:error` do."""

from __future__ import annotations

import re
from typing import Any

import click

from agent_journal.cli.options import Number

_HIDDEN = "\ufdd0"  # a character that no text contains
_FIELD_OR_SPACE = r"(?s:-[a-z]+:|.*\s)"  # few commands need it compiled


class QueryCommand(click.Command):
    """Takes words with a dash as parts of the query, unless they are options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Hide such words from the parser of options; join the words of times."""
        end = len(args)
        if "--" in args:
            end = args.index("--")
        given = args[:end]
        if "--since" in given or "--until" in given:
            from agent_journal.cli.spoken_times import join_times

            given = join_times(given, beside_words=True)
        words = []
        is_value = False  # of the option before it, such as the -1 of `-n -1`
        for word in given:
            if not is_value and self.is_query_text(word):
                words.append(_HIDDEN + word)
                continue
            words.append(word)
            is_value = not is_value and self._takes_value(word)
        rest = super().parse_args(ctx, [*words, *args[end:]])
        ctx.params = {name: _visible(value) for name, value in ctx.params.items()}
        return rest

    def is_query_text(self, word: str) -> bool:
        """Whether an argument is a part of the query and begins with a dash."""
        if len(word) < 2 or not word.startswith("-"):
            return False
        if word.startswith("--"):
            name, _, _ = word.partition("=")
            return any(map(str.isspace, name))
        if word == "-h" or self._find_option(word) is not None:
            return False
        option = self._find_option(word[:2])
        if option is None or option.is_flag:
            return True
        if isinstance(option.type, Number):  # -n5
            return not word[2:].isdecimal()
        return re.match(_FIELD_OR_SPACE, word) is not None  # not -ofile

    def _takes_value(self, word: str) -> bool:
        option = self._find_option(word)
        return option is not None and not option.is_flag and not option.count

    def _find_option(self, name: str) -> click.Option | None:
        for option in self.params:
            if isinstance(option, click.Option) and name in option.opts:
                return option
        return None


def _visible(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_visible, value))
    if isinstance(value, str):
        return value.removeprefix(_HIDDEN)
    return value
