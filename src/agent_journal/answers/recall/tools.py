"""The tools: what each is called, what it says of itself, its parameters, and who answers."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from agent_journal.answers.recall.arguments import Arguments, Parameter

if TYPE_CHECKING:
    from agent_journal.answers.recall.moment import Moment
    from agent_journal.answers.recall.reply import Reply

LEAST_CHARS = 1_000
USUAL_CHARS = 6_000
FEW_CHARS = 2_000
MOST_CHARS = 40_000
_FURTHEST = 10_000  # the last hit that can be asked for
_MOST_POSITION = 999_999_999

_PROJECT = Parameter("project", meaning="folder, or part of its name")
_AGENT = Parameter("agent", meaning="such as claude-code")
_SINCE = Parameter("since", meaning="2d, yesterday, 2026-01-31")
_UNTIL = Parameter("until")
_OFFSET = Parameter("offset", "number", default=0, most=_FURTHEST)
_LONGEST_FILE = 9_999_999  # lines


def _forms(usual_chars: int) -> tuple[Parameter, ...]:
    return (
        Parameter("max_chars", "number", default=usual_chars, least=LEAST_CHARS, most=MOST_CHARS),
        Parameter("format", "choice", default="text", choices=("text", "json")),
    )


_FORMS = _forms(USUAL_CHARS)


def _limit(usual: int, most: int) -> Parameter:
    return Parameter("limit", "number", default=usual, least=1, most=most)


class Tool(NamedTuple):
    """A tool; the function that answers is imported when it is first called."""

    name: str
    title: str
    description: str
    parameters: tuple[Parameter, ...]
    function: str  # of a module here

    def schema(self) -> dict[str, Any]:
        """The schema of its arguments."""
        schema: dict[str, Any] = {
            "type": "object",
            "properties": {parameter.name: parameter.schema() for parameter in self.parameters},
            "additionalProperties": False,
        }
        required = [parameter.name for parameter in self.parameters if parameter.is_required]
        if required:
            schema["required"] = required
        return schema

    def definition(self) -> dict[str, Any]:
        """The tool as a list of tools has it."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.schema(),
            "annotations": {
                "title": self.title,
                "readOnlyHint": True,
                "destructiveHint": False,
                "idempotentHint": True,
                "openWorldHint": False,
            },
        }

    def answer(self, moment: Moment, given: Arguments) -> Reply:
        """What the tool finds."""
        module_name, _, name = self.function.partition(".")
        module = import_module(f"agent_journal.answers.recall.{module_name}")
        function: Callable[[Moment, Arguments], Reply] = getattr(module, name)
        return function(moment, given)


_ALL = (
    Tool(
        "search",
        "Search earlier sessions",
        "Search everything that was said, done and printed in earlier coding sessions of all "
        'agents on this machine. Words, "phrases", -word, tool:bash, file:app.py, is:failed.',
        (
            Parameter("query", is_required=True),
            _PROJECT,
            _AGENT,
            _SINCE,
            _UNTIL,
            _limit(5, 20),
            _OFFSET,
            *_FORMS,
        ),
        "hits.tell_hits",
    ),
    Tool(
        "read",
        "Read a session",
        "Read messages of an earlier session: around one (at), or from its beginning; the answer "
        "has a cursor for the next page. depth: story is what was said, steps adds tool calls, "
        "everything adds results and reasoning.",
        (
            Parameter("session", meaning="agent:id from another answer, or last", is_required=True),
            Parameter("at", "number", "position of a message", most=_MOST_POSITION),
            Parameter("before", "number", default=3, most=100),
            Parameter("after", "number", default=6, most=100),
            Parameter("depth", "choice", default="story", choices=("story", "steps", "everything")),
            Parameter("cursor"),
            *_FORMS,
        ),
        "transcript.tell_transcript",
    ),
    Tool(
        "list_sessions",
        "List sessions",
        "List earlier sessions, newest first, those of this project before the others.",
        (_PROJECT, _AGENT, _SINCE, _UNTIL, _limit(10, 100), _OFFSET, *_FORMS),
        "sessions.tell_sessions",
    ),
    Tool(
        "file_history",
        "History of a file",
        "Which sessions changed a file, newest first, with diffs if wanted.",
        (
            Parameter("path", meaning="end of a path, or a glob", is_required=True),
            _PROJECT,
            _SINCE,
            Parameter("diff", "flag", default=False),
            _limit(10, 100),
            _OFFSET,
            *_FORMS,
        ),
        "file_history.tell_file_history",
    ),
    Tool(
        "why",
        "Why a line is there",
        "Which session and prompt wrote a committed line, what was said before, its commit, later "
        "sessions. - means that no recorded session did: do not guess who.",
        (
            Parameter("file", is_required=True),
            Parameter("line", "number", least=1, most=_LONGEST_FILE, is_required=True),
            Parameter("end", "number", "last line", least=1, most=_LONGEST_FILE),
            *_forms(FEW_CHARS),
        ),
        "why.tell_why",
    ),
    Tool(
        "find_fix",
        "Find a fix",
        "Given the text of an error: tool calls that failed with it, and what was done before the "
        "same call worked. Rests on recorded calls and their success, never on what was said.",
        (
            Parameter("error", meaning="the telling line of the error", is_required=True),
            _PROJECT,
            _limit(3, 20),
            *_FORMS,
        ),
        "fixes.tell_fixes",
    ),
    Tool(
        "how_run",
        "How something is run",
        "Shell commands that were run here for something (tests, build, deploy, a program), with "
        "how often each worked and failed.",
        (
            Parameter("what", meaning="one or two words", is_required=True),
            _PROJECT,
            _limit(8, 50),
            *_FORMS,
        ),
        "commands.tell_commands",
    ),
    Tool(
        "usage",
        "Tokens and cost",
        "Tokens and cost of earlier sessions, newest or most expensive first; of the last 30 days "
        "unless since says otherwise.",
        (
            Parameter(
                "by",
                "choice",
                default="day",
                choices=("day", "week", "month", "session", "model", "project", "agent"),
            ),
            _PROJECT,
            _AGENT,
            _SINCE,
            _UNTIL,
            _limit(14, 100),
            *_FORMS,
        ),
        "usage.tell_usage",
    ),
)
TOOLS = {tool.name: tool for tool in _ALL}
