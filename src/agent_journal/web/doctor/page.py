"""Doctor: what `aj doctor` says, with what to do as commands to copy, and expiring sessions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from agent_journal.answers.agent_state import Detail, folder_state, is_empty_project, is_present
from agent_journal.answers.examination import Examination, examine_journal, losses_of
from agent_journal.answers.expiring_words import how_kept, title_of, when_deleted
from agent_journal.answers.schedule import schedule_words
from agent_journal.answers.watching import freshness
from agent_journal.export.html.figures import counted
from agent_journal.export.prose import in_tag
from agent_journal.health.examine import AgentHealth
from agent_journal.health.expiring import Expiring, find_expiring
from agent_journal.health.rescued import Rescued
from agent_journal.journal import Journal
from agent_journal.store.catalog.store import last_sync
from agent_journal.text.human import short_path
from agent_journal.web.addresses import session_link
from agent_journal.web.charts import table
from agent_journal.web.commands import command
from agent_journal.web.context import context_of
from agent_journal.web.frame import page, respond

_PATH = "/doctor"
_SHOWN = 10  # lines of a list
_MOST_EXPIRING = 50
_LONGEST = 1_000  # characters of a sentence
# The commands that advice names. Paths are parts of it, too, and can be called anything.
_COMMAND = re.compile(
    r"&#x27;(aj (?:sync|sync --embed|verify|doctor|"
    r"config unset [a-z_.-]+|config set [a-z_.-]+ PATH))&#x27;"
)


class Shown(NamedTuple):
    """What the page shows."""

    found: Examination
    expiring: list[Expiring]
    place: str  # of the journal
    freshness: str


def doctor_page(request: Request) -> Response:
    """What needs attention."""
    context = context_of(request)
    with context.journal() as journal:
        shown = context.remembered.get(journal, "doctor", lambda: _examine(journal))
    main = ['<div class="place"><h1>Doctor</h1>\n', *_body(shown), "</div>\n"]
    return respond(page("Doctor · aj", main, place=_PATH))


def _examine(journal: Journal) -> Shown:
    found = examine_journal(journal)
    expiring = find_expiring(journal.find_db(), journal.config, journal.env)
    synced = last_sync(journal.config.index_path)
    fresh = freshness(found.holder, schedule_words(found.schedule), synced)
    return Shown(found, expiring, short_path(journal.config.home), fresh)


def _body(shown: Shown) -> Iterator[str]:
    agents, advice = shown.found.agents, shown.found.advice
    if advice:
        yield '<ul class="advice">'
        for line in advice:
            yield f"<li>{_with_commands(line)}</li>\n"
        yield "</ul>\n"
    else:
        yield '<p class="well">Nothing needs attention.</p>\n'
    losses = list(losses_of(agents))
    if losses:
        yield '<ul class="losses">'
        yield "".join(f"<li>{in_tag(line, _LONGEST)}</li>" for line in losses)
        yield "</ul>\n"
    yield "<h2>Agents</h2>\n"
    for health in agents:
        if is_present(health, Detail()):
            yield from _agent(health)
    yield "<h2>Sessions that their agents will delete</h2>\n"
    yield from _expiring(shown.expiring)
    yield f'<p class="meta">The journal is in {in_tag(shown.place, 400)}. '
    yield f"{in_tag(shown.freshness, _LONGEST).capitalize()}. "
    yield "The same, with every detail: <code>aj doctor --all -v</code></p>\n"


def _with_commands(line: str) -> str:
    return _COMMAND.sub(lambda found: command(found[1]), in_tag(line, _LONGEST))


def _agent(health: AgentHealth) -> Iterator[str]:
    yield f'<section class="agent-health"><h3>{in_tag(health.title, 80)}</h3>\n<ul>'
    for root in health.roots:
        if is_empty_project(health, root) or not (root.exists or root.is_configured):
            continue
        yield f"<li><code>{in_tag(short_path(root.path), 400)}</code>: {in_tag(folder_state(root))}"
        if root.due_files:
            kept = root.due_files - root.due_unkept
            yield f"; {root.due_files:,} deleted within a week, {kept:,} of them kept"
        yield "</li>\n"
    yield f"<li>{counted(health.sessions, 'session')} in the journal"
    if health.vanished_files:
        yield f"; {counted(health.vanished_files, 'file')} deleted by the agent"
    yield "</li>\n"
    if health.unknown:
        records = sum(unknown.records for unknown in health.unknown)
        kinds = counted(len(health.unknown), "kind")
        yield f"<li>{counted(records, 'record')} of {kinds} that this version does not know</li>\n"
    yield "</ul>\n"
    yield from _troubles(health)
    title = in_tag(health.title, 80)
    yield from _rescued("recovered from a damaged file", health.recovered)
    yield from _rescued(f"on disk that {title} no longer lists", health.hidden)
    yield from _rescued(f"that {title} lists, gone and never kept", health.lost)
    yield from _rescued("that only an earlier version of a file has", health.earlier)
    yield "</section>\n"


def _troubles(health: AgentHealth) -> Iterator[str]:
    if not health.troubles:
        return
    count = counted(health.trouble_count, "place")
    yield f'<details class="numbers"><summary>{count} that could not be read</summary><ul>'
    for trouble in health.troubles[:_SHOWN]:
        where = "" if trouble.offset is None else f" at byte {trouble.offset:,}"
        path = in_tag(short_path(trouble.path), 300)
        yield f"<li><code>{path}</code>{where}: {in_tag(trouble.reason, 300)}</li>\n"
    yield _more(health.trouble_count)
    yield "</ul></details>\n"


def _rescued(what: str, found: Sequence[Rescued]) -> Iterator[str]:
    if not found:
        return
    yield f'<details class="numbers"><summary>{counted(len(found), "session")} {what}</summary><ul>'
    for item in found[:_SHOWN]:
        title = in_tag(item.title, 120) or in_tag(item.session, 80)
        yield f"<li>{title}: {in_tag(item.reason, 200)}</li>\n"
    yield _more(len(found))
    yield "</ul></details>\n"


def _more(total: int) -> str:
    if total <= _SHOWN:
        return ""
    return f"<li>{total - _SHOWN:,} more: {command('aj doctor --all')}</li>"


def _expiring(found: Sequence[Expiring]) -> Iterator[str]:
    if not found:
        yield "<p>No agent on this machine deletes sessions.</p>\n"
        return
    in_danger = sum(item.is_in_danger for item in found)
    due = sum(item.is_due for item in found)
    within = f"{counted(due, 'session')} will be deleted within a week"
    if in_danger:
        yield (
            f'<p class="remark">{within}, {in_danger:,} not fully kept: {command("aj sync")}</p>\n'
        )
    elif due:
        yield f'<p class="meta">{within}, all kept</p>\n'
    else:
        yield '<p class="meta">No session will be deleted within a week</p>\n'
    rows = []
    for item in found[:_MOST_EXPIRING]:
        facts = (when_deleted(item), how_kept(item.state), item.agent)
        rows.append([_session(item), *map(in_tag, facts)])
    yield from table(("session", "deleted", "kept", "agent"), rows, "Sessions")
    rest = len(found) - _MOST_EXPIRING
    if rest > 0:
        yield f'<p class="meta">{rest:,} more: {command("aj doctor --expiring --all")}</p>\n'


def _session(item: Expiring) -> str:
    title = in_tag(title_of(item), 120)
    if not item.session or item.state.status in ("unkept", "refused"):
        return title
    return f'<a href="{session_link(item.agent, item.session)}" dir="auto">{title}</a>'
