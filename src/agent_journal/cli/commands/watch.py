"""`aj watch`: keep the journal up to date while agents write."""

from __future__ import annotations

import click

from agent_journal.cli.options import json_option


@click.command()
@click.option(
    "--poll",
    is_flag=True,
    help="Look for changes now and then, instead of having the system tell them.",
)
@json_option
def watch(poll: bool, as_json: bool) -> int:
    """Read what agents write, a moment after they write it, until Ctrl-C.

    Prints a line for each session that has something new. Where the system does not tell of
    changes (network disks, too few inotify watches), it looks for them, and says so. One process
    watches a journal: if 'aj web' does already, this one shows what is read, and takes over when
    the other one ends.

    \b
    Examples:
      aj watch
      aj watch --json
      aj watch --poll
      nohup aj watch > /dev/null &
    """
    from agent_journal.cli.watching import watch_and_print

    return watch_and_print(must_poll=poll, as_json=as_json)
