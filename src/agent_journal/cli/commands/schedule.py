"""`aj schedule`: have the system sync the journal at regular times."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import click

from agent_journal.cli.options import json_option
from agent_journal.cli.output import echo, note, print_json
from agent_journal.convert.own_program import program_words
from agent_journal.sync.schedule.choice import find_scheduler, installed, usable
from agent_journal.sync.schedule.plan import make_plan, parse_every, shown_every
from agent_journal.text.dates import parse_time, to_micros
from agent_journal.text.human import human_time, short_path

_EVERY = "10m"


@click.group()
def schedule() -> None:
    """Have the system sync the journal at regular times.

    A timer of systemd, an agent of launchd, a task of Windows or, where there is none of them, a
    line in the crontab runs 'aj sync', at the lowest priority. Nothing else stays in memory.

    \b
    Examples:
      aj schedule install
      aj schedule install --every 1h
      aj schedule install --print
      aj schedule status
      aj schedule remove
    """


@schedule.command()
@click.option(
    "--every",
    default=_EVERY,
    metavar="TIME",
    help="How often, such as 5m, 2h or 1d.  [default: 10m]",
)
@click.option("--print", "only_print", is_flag=True, help="Print what would be written.")
def install(every: str, only_print: bool) -> None:
    """Sync at regular times from now on."""
    minutes = parse_every(every)
    plan = make_plan(program_words(), minutes, os.environ)
    scheduler = find_scheduler()
    if only_print:
        echo(scheduler.text(plan).rstrip("\n"))
        return
    place = scheduler.install(plan)
    for other, _ in installed():
        if other.name != scheduler.name:
            other.remove()
    note(f"'aj sync' runs every {shown_every(minutes)} ({scheduler.name}, {short_path(place)})")


@schedule.command()
@json_option
def status(as_json: bool) -> None:
    """Ask the system whether and when the journal is synced."""
    from agent_journal.answers.schedule import schedule_answer
    from agent_journal.config.loading import load
    from agent_journal.store.catalog.store import last_sync

    synced = last_sync(load().index_path)
    answer = schedule_answer(synced)
    if as_json:
        print_json(answer)
        return
    if not answer.items:
        echo("not installed; 'aj schedule install' installs it")
    for item in answer.items:
        echo(_line(item))
    echo(f"last sync: {human_time(synced)}")


def _line(item: Mapping[str, Any]) -> str:
    words = [str(item["scheduler"]), short_path(item["place"])]
    if item["minutes"] is not None:
        words.insert(0, f"every {shown_every(item['minutes'])}")
    if not item["active"]:
        words.insert(0, "installed, but not running")
    if item["next_run"] is not None:
        words.append(f"next run {human_time(to_micros(parse_time(item['next_run'])))}")
    return ", ".join(words)


@schedule.command()
def remove() -> None:
    """Stop syncing at regular times."""
    names = [scheduler.name for scheduler in usable() if scheduler.remove()]
    if names:
        note(f"removed: {', '.join(names)}")
    else:
        note("nothing was installed")
