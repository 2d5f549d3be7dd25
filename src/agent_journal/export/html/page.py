"""A session as one page, or as several that lead to each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from typing import NamedTuple
from urllib.parse import quote

from agent_journal.export.family import Member
from agent_journal.export.html.figures import Cost, Total, day_and_time, duration, total
from agent_journal.export.html.frame import CLOSING, SPOKEN_STATUS, THEME_BUTTON, opening
from agent_journal.export.html.messages import Conversation, House, first_line, is_shown
from agent_journal.export.prose import in_tag, short_title
from agent_journal.export.words import PEOPLE
from agent_journal.model import Message, Session

_CHIPS = (
    ("prompt", "You"),
    ("answer", "Agent"),
    ("reasoning", "Reasoning"),
    ("tool", "Tools"),
    ("other", "Other"),
)


class Look(NamedTuple):
    """How pages are to look, and what their reader must be told about them."""

    theme: str
    made_by: str
    is_redacted: bool
    has_calls: bool
    split: int | None  # messages for a page; None is one page
    index_name: str | None = None  # the page that leads to all sessions, where there is one


class Sheet(NamedTuple):
    """The messages of one page, with the names of their places."""

    messages: list[Message]
    anchors: list[str]


class Booklet:
    """The pages of a session with its sub-agents; `name` gives the file name of a page, from 1."""

    def __init__(
        self,
        family: Sequence[Member],
        look: Look,
        pictures: Mapping[str, bytes],
        cost: Cost,
        name: Callable[[int], str],
    ) -> None:
        self._family = family
        self._session = family[0].session
        self._look = look
        self._pictures = pictures
        self._name = name
        self._house = House(family, pictures, cost)
        self._talk = Conversation(family[0], self._house)
        shown = [message for message in self._session.messages if is_shown(message)]
        self.sheets = list(
            _sheets(shown, [self._talk.anchor(message) for message in shown], look.split)
        )

    def pages(self) -> Iterator[Iterator[str]]:
        """The pages, to be read one after the other."""
        return (self._page(number) for number in range(len(self.sheets)))

    # -- a page --------------------------------------------------------------------------------

    def _page(self, number: int) -> Iterator[str]:
        house, sheet = self._house, self.sheets[number]
        house.turn_page(self._pictures)
        title = in_tag(short_title(self._session.title), 200) or "(no title)"
        yield opening(title, self._look.theme, self._look.made_by)
        yield '<body>\n<a class="skip" href="#talk">Skip to the conversation</a>\n'
        back = (
            f'<p class="back"><a href="{quote(self._look.index_name)}">← All sessions</a></p>'
            if self._look.index_name
            else ""
        )
        yield f'<header class="top">{back}<h1 dir="auto">{title}</h1>\n'
        yield from _facts(self._family, house.cost)
        yield f'</header>\n<div class="columns">\n{self._outline(number)}\n<div class="column">{self._toolbar()}\n'
        yield f'<main id="talk" tabindex="-1">\n{self._turning(number)}'
        yield from self._talk.parts(sheet.messages, sheet.anchors)
        if number == len(self.sheets) - 1:
            yield from self._talk.rest()
        yield f"{self._turning(number)}</main>\n"
        yield from self._foot()
        yield f"</div></div>\n{SPOKEN_STATUS}{CLOSING}"

    def _outline(self, number: int) -> str:
        items = []
        for sheet_number, sheet in enumerate(self.sheets):
            page = "" if sheet_number == number else quote(self._name(sheet_number + 1))
            for message, anchor in zip(sheet.messages, sheet.anchors, strict=True):
                if message.kind in PEOPLE:
                    items.append(
                        f'<li><a href="{page}#{anchor}" dir="auto">{first_line(message, 120)}</a></li>'
                    )
        count = f"{len(items):,} prompt{'' if len(items) == 1 else 's'}"
        return (
            f'<nav class="outline" aria-label="Prompts"><details open><summary>{count}</summary>'
            f"<ol>{''.join(items)}</ol></details></nav>"
        )

    def _toolbar(self) -> str:
        chips = "".join(
            f'<button type="button" class="chip" data-filter="{name}" aria-pressed="true">{label}</button>'
            for name, label in _CHIPS
            if name != "tool" or self._look.has_calls
        )
        calls = (
            call
            for member in self._family
            for message in member.session.messages
            for call in message.tool_calls
        )
        kinds = sorted({call.kind for call in calls})
        options = "".join(
            f'<option value="{escape(kind)}">{escape(kind)}</option>' for kind in kinds
        )
        select = f'<select id="kind" aria-label="Kind of tool"><option value="">all tools</option>{options}</select>'
        return (
            '<div class="bar" role="search" aria-label="Find and filter">'
            '<input id="find" type="search" placeholder="Find in this page" aria-label="Find in this page" '
            'autocomplete="off" spellcheck="false"><span id="hits" class="meta" role="status"></span>'
            '<button type="button" class="chip" id="prev" aria-label="Previous hit">↑</button>'
            '<button type="button" class="chip" id="next" aria-label="Next hit">↓</button>'
            f'<span class="chips" role="group" aria-label="Show">{chips}</span>{select if kinds else ""}'
            f'<button type="button" class="chip" id="fold" aria-pressed="false">Unfold all</button>{THEME_BUTTON}</div>'
        )

    def _turning(self, number: int) -> str:
        if len(self.sheets) == 1:
            return ""
        links = [
            f'<b aria-current="page">{at + 1}</b>'
            if at == number
            else f'<a href="{quote(self._name(at + 1))}">{at + 1}</a>'
            for at in range(len(self.sheets))
        ]
        around = [
            f'<a rel="{rel}" href="{quote(self._name(at + 1))}">{word}</a>'
            for at, rel, word in ((number - 1, "prev", "← before"), (number + 1, "next", "after →"))
            if 0 <= at < len(self.sheets)
        ]
        return f'<nav class="turning" aria-label="Pages">{" ".join((*around, *links))}</nav>\n'

    def _foot(self) -> Iterator[str]:
        yield "<footer>\n<h2>About this page</h2>\n<ul>"
        yield from (f"<li>{sentence}</li>" for sentence in self._remarks())
        yield f"</ul>\n<p>{escape(self._look.made_by)} · {in_tag(self._session.agent)} {in_tag(self._session.id)}</p>\n"
        yield "</footer>\n"

    def _remarks(self) -> Iterator[str]:
        """What the page does not show, or shows otherwise than it was."""
        sessions = [member.session for member in self._family]
        look, album = self._look, self._house.album
        if look.is_redacted:
            yield "Secrets are taken out as far as they were recognised, and home folders are written as ~."
            if album.shown:
                yield "Pictures are shown as they are."
        else:
            yield "Nothing is taken out: secrets and private paths may be in this page."
        if not look.has_calls:
            yield "Tool calls, their results and the edits they made are left out."
        for count, noun in (
            (
                sum(
                    message.kind == "system_prompt" for one in sessions for message in one.messages
                ),
                "system prompt",
            ),
            (sum(len(one.events) for one in sessions), "event"),
        ):
            if count:
                yield f"{count:,} {_plural(noun, count)} left out; a JSON export or the journal has them."
        kept = sum(len(one.documents) for one in sessions)
        if kept:
            noun = _plural("file kept beside the session", kept)
            yield f"{kept:,} {noun} left out; <code>aj restore</code> gives them back from the journal."
        if album.missing:
            yield f"{album.missing:,} {_plural('picture', album.missing)} named only: not in the journal, or too large."
        yield "Times are UTC. Costs are what the agent wrote down, or by list prices where it did not."


def _plural(noun: str, count: int) -> str:
    first, _, rest = noun.partition(" ")
    if count == 1:
        return f"{noun} is"
    return (f"{noun}s" if noun.startswith("system") or not rest else f"{first}s {rest}") + " are"


def _sheets(messages: list[Message], anchors: list[str], split: int | None) -> Iterator[Sheet]:
    """Pages of at least `split` messages that begin with a prompt; without one in twice as many,
    with any message.
    """
    start = 0
    for at, message in enumerate(messages):
        size = at - start
        if split and size >= split and (message.kind in PEOPLE or size >= 2 * split):
            yield Sheet(messages[start:at], anchors[start:at])
            start = at
    yield Sheet(messages[start:], anchors[start:])


# -- the facts ---------------------------------------------------------------------------------


def family_total(family: Sequence[Member], cost: Cost) -> Total:
    """What a session and its sub-agents used; a cost that the agent wrote down for the whole
    counts.
    """
    used = total((one for member in family for one in member.session.usage), cost)
    recorded = family[0].session.recorded_cost_micro_usd
    return used if recorded is None else used._replace(cost=recorded, unpriced=0)


def _facts(family: Sequence[Member], cost: Cost) -> Iterator[str]:
    session = family[0].session
    facts = [(name, in_tag(value, 200)) for name, value in _names(session)]
    facts.append(("Started", day_and_time(session.started_at)))
    if session.started_at and session.ended_at:
        facts.append(
            ("Lasted", duration((session.ended_at - session.started_at).total_seconds() * 1000))
        )
    facts.append(("Sub-agents", f"{len(family) - 1:,}" if len(family) > 1 else ""))
    used = family_total(family, cost)
    facts.append(
        ("Tokens", f'<span title="{used.told}">{used.tokens}</span>' if used.tokens else "unknown")
    )
    facts.append(("Cost", used.price or "unknown"))
    yield '<dl class="facts">'
    yield from (f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in facts if value)
    yield "</dl>\n"


def _names(session: Session) -> Iterator[tuple[str, str | None]]:
    yield "Agent", session.agent + (f" {session.agent_version}" if session.agent_version else "")
    yield "Project", session.project_path or session.project_dir
    yield "Branch", session.git_branch
    yield "Model", ", ".join(session.models)
