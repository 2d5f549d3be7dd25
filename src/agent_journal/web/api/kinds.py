"""Which answers the API gives, and what can be asked of each.

Left out are kinds that write, and those that cost more than a page may: `verify` and `secrets` read
every kept byte, and `rows` runs any SQL query, which has its own process and limits in `aj sql`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from agent_journal.answers.answer import Answer
from agent_journal.answers.searching import MODES
from agent_journal.answers.session_list import ORDERS
from agent_journal.usage.report import GROUPS
from agent_journal.web.api import builders
from agent_journal.web.api.parameters import (
    AGENT,
    PROJECT,
    SESSION,
    SINCE,
    TIMEZONE,
    UNTIL,
    Parameter,
    Values,
)
from agent_journal.web.context import Context

Builder = Callable[[Context, Values], Answer | Iterator[bytes]]
_FLAG = Parameter("", "", "boolean", default=False)


class Kind(NamedTuple):
    """A kind of docs/json.md that can be asked for."""

    name: str
    command: str
    meaning: str
    parameters: Sequence[Parameter]
    build: Builder


KINDS = (
    Kind(
        "sessions",
        "aj ls",
        "Sessions, newest first, without conversation text.",
        (
            Parameter("q", "Only sessions that contain a match (docs/query.md)."),
            AGENT,
            PROJECT,
            SINCE,
            UNTIL,
            _FLAG._replace(name="all", meaning="Also sub-agents and empty sessions."),
            Parameter("limit", "At most so many.", "integer", 100, least=0, most=10_000),
            Parameter("sort", "What comes first.", default="newest", choices=ORDERS),
        ),
        builders.sessions,
    ),
    Kind(
        "hits",
        "aj search",
        "What a search finds.",
        (
            Parameter("q", "The query (docs/query.md).", is_required=True),
            AGENT,
            PROJECT,
            SINCE._replace(meaning="Only hits since this time.", form=""),
            UNTIL._replace(meaning="Only hits until this time.", form=""),
            Parameter("limit", "At most so many.", "integer", 20, least=1, most=1_000),
            Parameter("offset", "Skip so many.", "integer", 0, least=0, most=10_000),
            _FLAG._replace(name="flat", meaning="Every hit, not only the best of each session."),
            Parameter(
                "context", "Messages before and after each hit.", "integer", 0, least=0, most=20
            ),
            Parameter(
                "mode", "By words, by meaning, or both; else as the settings say.", choices=MODES
            ),
        ),
        builders.hits,
    ),
    Kind(
        "session",
        "aj show",
        "One session. A long one is given in parts: ask for the messages around a position.",
        (
            SESSION,
            Parameter("find", "Only messages that contain these words."),
            Parameter("message", "Only the messages around this position.", "integer", least=0),
            Parameter(
                "context",
                "Messages before and after: 2 with message, 0 with find.",
                "integer",
                least=0,
                most=1_000,
            ),
        ),
        builders.session,
    ),
    Kind(
        "edits",
        "aj show --edits",
        "What each request of a session did to which files, as diffs.",
        (SESSION,),
        builders.edits,
    ),
    Kind(
        "blame",
        "aj blame",
        "The lines of a file as it is now, with who wrote them. A session changed it, and the last "
        "commit of a repository on this machine has it.",
        (
            Parameter("path", "The path of the file, as the session has it.", is_required=True),
            Parameter("first", "Only lines from this one.", "integer", least=1, most=10_000_000),
            Parameter(
                "last", "Until this one; else only the first.", "integer", least=1, most=10_000_000
            ),
            _FLAG._replace(name="why", meaning="Also what the agent said before the edit."),
            _FLAG._replace(name="all", meaning="Every session that could have written a line."),
        ),
        builders.blame,
    ),
    Kind("tags", "aj tag", "The tags that you gave to sessions.", (), builders.tags),
    Kind(
        "sources",
        "aj sources",
        "Where the files of each agent are, and what is kept of them.",
        (
            AGENT._replace(is_list=False, meaning="Only this agent."),
            _FLAG._replace(name="files", meaning="List every file, not only the folders."),
        ),
        builders.sources,
    ),
    Kind("doctor", "aj doctor", "The state of each agent, and what to do.", (), builders.doctor),
    Kind(
        "expiring",
        "aj doctor --expiring",
        "The sessions that their agents will delete, soonest first.",
        (),
        builders.expiring,
    ),
    Kind(
        "usage",
        "aj usage",
        "Tokens and what they cost.",
        (
            Parameter(
                "by",
                "What usage is added up by.",
                default="daily",
                choices=[group for group in GROUPS if group != "blocks"],
            ),
            AGENT,
            PROJECT,
            SINCE,
            UNTIL,
            TIMEZONE,
            Parameter("limit", "At most so many.", "integer", least=1, most=10_000),
        ),
        builders.usage,
    ),
    Kind(
        "blocks",
        "aj usage blocks",
        "Usage in windows of five hours; of Claude Code, unless an agent is given.",
        (
            AGENT,
            PROJECT,
            SINCE,
            UNTIL,
            Parameter("limit", "At most so many, the newest.", "integer", least=1, most=10_000),
            _FLAG._replace(name="active", meaning="Only the active one."),
            _FLAG._replace(name="recent", meaning="Only those of the last three days."),
            Parameter(
                "token_limit",
                "A number of tokens to compare with; max is the largest one that has ended.",
                form="tokens",
            ),
        ),
        builders.blocks,
    ),
    Kind(
        "stats",
        "aj stats",
        "Activity by day, hour, agent, project, branch, model, tool and file.",
        (AGENT, PROJECT, SINCE, UNTIL, TIMEZONE),
        builders.stats,
    ),
)
