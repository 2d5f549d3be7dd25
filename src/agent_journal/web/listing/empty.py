"""What the list says when there is nothing in it, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator

from agent_journal.answers.session_page import Held
from agent_journal.export.prose import in_tag
from agent_journal.web.addresses import link
from agent_journal.web.commands import command
from agent_journal.web.listing.asked import Asked
from agent_journal.web.listing.query_edits import conditions_of, nodes_of, text_of


def nothing_found(asked: Asked, everything: Held) -> Iterator[str]:
    """Why the list is empty."""
    if not everything.keys and not asked.query:
        yield from _no_sessions()
        return
    yield '<div class="nothing" id="count"><p>Nothing matches.</p><ul>'
    conditions = conditions_of(asked.parsed)
    if conditions and len(conditions) < len(nodes_of(asked.parsed)):
        words = " ".join(text_of(node) for node in nodes_of(asked.parsed) if node not in conditions)
        address = link("/", q=words)
        yield f'<li><a href="{address}">Search all sessions for {in_tag(words, 60)}</a></li>'
    elif conditions:
        yield "<li>Take away a condition: each chip above removes itself.</li>"
    else:
        yield "<li>Try fewer words, or the beginning of one with a star: <code>migrat*</code>.</li>"
    yield '<li><a href="/">Show all sessions</a></li>'
    yield f"<li>Newer sessions are read by {command('aj sync')}</li></ul></div>\n"


def _no_sessions() -> Iterator[str]:
    yield (
        '<div class="nothing" id="count"><h2>The journal is empty</h2>'
        f"<p>{command('aj sync')} reads the sessions of every agent on this machine and keeps "
        f"them. {command('aj doctor')} says which folders it looks in; {command('aj import FILE')} "
        "adds files from elsewhere.</p></div>\n"
    )
