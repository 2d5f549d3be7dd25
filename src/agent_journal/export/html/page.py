"""A session as one page, or as several that lead to each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from typing import NamedTuple
from urllib.parse import quote

from agent_journal.export.family import Member
from agent_journal.export.html.figures import (
    Cost,
    Total,
    counted,
    day_and_time,
    duration,
    total,
)
from agent_journal.export.html.frame import CLOSING, SPOKEN_STATUS, THEME_BUTTON, opening
from agent_journal.export.html.messages import (
    Conversation,
    PageContext,
    first_line,
    is_shown,
)
from agent_journal.export.prose import in_tag, short_title
from agent_journal.export.words import PEOPLE
from agent_journal.model import Message, Session
from agent_journal.text.width import cut_at_word

_LONGEST_HEADING = 100  # letters
_CHIPS = (
    ("prompt", "You"),
    ("answer", "Agent"),
    ("reasoning", "Reasoning"),
    ("tool", "Tools"),
    ("other", "Other"),
)


class PageOptions(NamedTuple):
    """How pages look, and what is said about them in their footer."""

    theme: str
    made_by: str
    is_redacted: bool
    has_calls: bool
    split: int | None  # messages for a page; None is one page
    index_name: str | None = None  # the page that leads to all sessions, where there is one


class Page(NamedTuple):
    """The messages of one page, with their anchors."""

    messages: list[Message]
    anchors: list[str]


class PageSet:
    """The pages of a session with its sub-agents; `name` gives the file name of a page, from 1."""

    def __init__(
        self,
        family: Sequence[Member],
        options: PageOptions,
        pictures: Mapping[str, bytes],
        cost: Cost,
        name: Callable[[int], str],
    ) -> None:
        self._family = family
        self._session = family[0].session
        self._options = options
        self._pictures = pictures
        self._name = name
        self._context = PageContext(family, pictures, cost)
        self._talk = Conversation(family[0], self._context)
        shown = [message for message in self._session.messages if is_shown(message)]
        anchors = [self._talk.anchor(message) for message in shown]
        self.pages = list(_split_into_pages(shown, anchors, options.split))

    def rendered(self) -> Iterator[Iterator[str]]:
        """The pages, to be read one after the other."""
        return (self._page(number) for number in range(len(self.pages)))

    # -- a page --------------------------------------------------------------------------------

    def _page(self, number: int) -> Iterator[str]:
        page = self.pages[number]
        self._context.start_page(self._pictures)
        title = in_tag(short_title(self._session.title), 200) or "(no title)"
        yield opening(title, self._options.theme, self._options.made_by)
        yield '<body>\n<a class="skip" href="#talk">Skip to the conversation</a>\n'
        yield f'<header class="top">{self._link_to_index()}{self._heading()}\n'
        yield from _facts(self._family, self._context.cost)
        yield f'</header>\n<div class="columns">\n{self._outline(number)}\n'
        yield f'<div class="column">{self._toolbar()}\n'
        yield f'<main id="talk" tabindex="-1">\n{self._turning(number)}'
        yield from self._talk.parts(page.messages, page.anchors)
        if number == len(self.pages) - 1:
            yield from self._talk.rest()
        yield f"{self._turning(number)}</main>\n"
        yield from self._foot()
        yield f"</div></div>\n{SPOKEN_STATUS}{CLOSING}"

    def _heading(self) -> str:
        """The title, which is often a long prompt: it is cut, and whole where one points at it."""
        title = short_title(self._session.title) or "(no title)"
        whole = ""
        if len(title) > _LONGEST_HEADING:
            whole = f' title="{in_tag(title, 1000)}"'
            title = cut_at_word(title, _LONGEST_HEADING)
        return f'<h1 dir="auto"{whole}>{in_tag(title, 200)}</h1>'

    def _outline(self, number: int) -> str:
        items = []
        for page_number, page in enumerate(self.pages):
            address = ""
            if page_number != number:
                address = quote(self._name(page_number + 1))
            for message, anchor in zip(page.messages, page.anchors, strict=True):
                if message.kind in PEOPLE:
                    line = first_line(message, 120)
                    items.append(f'<li><a href="{address}#{anchor}" dir="auto">{line}</a></li>')
        return (
            '<nav class="outline" aria-label="Prompts">'
            f"<details open><summary>{self._count_prompts()}</summary>"
            f"<ol>{''.join(items)}</ol></details></nav>"
        )

    def _count_prompts(self) -> str:
        """How many prompts the session has, as 'aj ls' counts them, and commands."""
        messages = [one for one in self._session.messages if one.state != "hidden"]
        kinds: Counter[str] = Counter(message.kind for message in messages)
        counts = [counted(kinds["prompt"], "prompt")]
        others = sum(kinds[kind] for kind in PEOPLE if kind != "prompt")
        if others:
            counts.append(counted(others, "command"))
        return ", ".join(counts)

    def _link_to_index(self) -> str:
        if not self._options.index_name:
            return ""
        return f'<p class="back"><a href="{quote(self._options.index_name)}">← All sessions</a></p>'

    def _toolbar(self) -> str:
        chips = "".join(
            f'<button type="button" class="chip" data-filter="{name}" aria-pressed="true">'
            f"{label}</button>"
            for name, label in _CHIPS
            if name != "tool" or self._options.has_calls
        )
        return (
            '<div class="bar" role="search" aria-label="Find and filter">'
            '<input id="find" type="search" placeholder="Find in this page" '
            'aria-label="Find in this page" autocomplete="off" spellcheck="false">'
            '<span id="hits" class="meta" role="status"></span>'
            '<button type="button" class="chip" id="prev" aria-label="Previous hit">↑</button>'
            '<button type="button" class="chip" id="next" aria-label="Next hit">↓</button>'
            f'<span class="chips" role="group" aria-label="Show">{chips}</span>'
            f"{self._kinds_of_tools()}"
            '<button type="button" class="chip" id="fold" aria-pressed="false">Unfold all</button>'
            f"{THEME_BUTTON}</div>"
        )

    def _kinds_of_tools(self) -> str:
        """The box that shows tool calls of one kind only."""
        calls = (
            call
            for member in self._family
            for message in member.session.messages
            for call in message.tool_calls
        )
        kinds = sorted({call.kind for call in calls})
        if not kinds:
            return ""
        choices = "".join(
            f'<option value="{escape(kind)}">{escape(kind)}</option>' for kind in kinds
        )
        return (
            '<select id="kind" aria-label="Kind of tool"><option value="">all tools</option>'
            f"{choices}</select>"
        )

    def _turning(self, number: int) -> str:
        if len(self.pages) == 1:
            return ""
        links = []
        for other, rel, word in (
            (number - 1, "prev", "← before"),
            (number + 1, "next", "after →"),
        ):
            if 0 <= other < len(self.pages):
                links.append(f'<a rel="{rel}" href="{quote(self._name(other + 1))}">{word}</a>')
        for other in range(len(self.pages)):
            if other == number:
                links.append(f'<b aria-current="page">{other + 1}</b>')
            else:
                links.append(f'<a href="{quote(self._name(other + 1))}">{other + 1}</a>')
        return f'<nav class="turning" aria-label="Pages">{" ".join(links)}</nav>\n'

    def _foot(self) -> Iterator[str]:
        yield "<footer>\n<h2>About this page</h2>\n<ul>"
        yield from (f"<li>{sentence}</li>" for sentence in self._remarks())
        session = f"{in_tag(self._session.agent)} {in_tag(self._session.id)}"
        yield f"</ul>\n<p>{escape(self._options.made_by)} · {session}</p>\n"
        yield "</footer>\n"

    def _remarks(self) -> Iterator[str]:
        """What the page does not show, or changed."""
        album = self._context.album
        if self._options.is_redacted:
            yield "Recognised secrets are removed, and home folders are written as ~."
            if album.shown:
                yield "Pictures are not redacted."
        else:
            yield "Nothing is removed: secrets and private paths may be in this page."
        if not self._options.has_calls:
            yield "Tool calls, their results and the edits they made are left out."
        yield from self._left_out()
        if album.missing:
            pictures = _with_verb(album.missing, "picture", "pictures")
            yield f"{pictures} named only: not in the journal, or too large."
        yield "Keys: / finds, j and k go to the next and previous message, J and K to the prompts."
        yield "Times are UTC. Costs are those the agent recorded, or else by list prices."

    def _left_out(self) -> Iterator[str]:
        sessions = [member.session for member in self._family]
        elsewhere = "left out; a JSON export or the journal has them."
        prompts = sum(
            message.kind == "system_prompt" for session in sessions for message in session.messages
        )
        if prompts:
            yield f"{_with_verb(prompts, 'system prompt', 'system prompts')} {elsewhere}"
        events = sum(len(session.events) for session in sessions)
        if events:
            yield f"{_with_verb(events, 'event', 'events')} {elsewhere}"
        kept = sum(len(session.documents) for session in sessions)
        if kept:
            kept_files = _with_verb(
                kept, "file kept beside the session", "files kept beside the session"
            )
            yield f"{kept_files} left out; <code>aj restore</code> restores them from the journal."


def _with_verb(count: int, one: str, several: str) -> str:
    if count == 1:
        return f"{count:,} {one} is"
    return f"{count:,} {several} are"


def _split_into_pages(
    messages: list[Message], anchors: list[str], split: int | None
) -> Iterator[Page]:
    """Pages of at least `split` messages that begin with a prompt.

    Where no prompt is found in twice as many messages, a page begins with any message.
    """
    start = 0
    for at, message in enumerate(messages):
        size = at - start
        if split and size >= split and (message.kind in PEOPLE or size >= 2 * split):
            yield Page(messages[start:at], anchors[start:at])
            start = at
    yield Page(messages[start:], anchors[start:])


# -- the facts ---------------------------------------------------------------------------------


def family_total(family: Sequence[Member], cost: Cost) -> Total:
    """The usage of a session and its sub-agents; a cost that the agent recorded for all wins."""
    used = total((usage for member in family for usage in member.session.usage), cost)
    recorded = family[0].session.recorded_cost_micro_usd
    if recorded is None:
        return used
    return used._replace(cost=recorded, unpriced=0)


def _facts(family: Sequence[Member], cost: Cost) -> Iterator[str]:
    session = family[0].session
    facts = [(name, in_tag(value, 200)) for name, value in _names(session)]
    facts.append(("Tags", in_tag(", ".join(family[0].tags), 200)))
    facts.append(("Started", day_and_time(session.started_at)))
    if session.started_at and session.ended_at:
        seconds = (session.ended_at - session.started_at).total_seconds()
        facts.append(("Lasted", duration(seconds * 1000)))
    if len(family) > 1:
        facts.append(("Sub-agents", f"{len(family) - 1:,}"))
    used = family_total(family, cost)
    facts.append(("Tokens", used.tokens_with_details or "unknown"))
    facts.append(("Cost", used.price or "unknown"))
    yield '<dl class="facts">'
    yield from (f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in facts if value)
    yield "</dl>\n"


def _names(session: Session) -> Iterator[tuple[str, str | None]]:
    yield "Agent", " ".join(filter(None, (session.agent, session.agent_version)))
    yield "Project", session.project_path or session.project_dir
    yield "Branch", session.git_branch
    yield "Model", ", ".join(session.models)
