"""How one hit looks: a line about its session, and one or two of its text; none of them wraps."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agent_journal.cli.output import agent_colour, style
from agent_journal.cli.views.kinds import HIT_MARK, KIND_NAMES
from agent_journal.cli.views.marks import shown_star
from agent_journal.text.human import human_time
from agent_journal.text.plain import one_line, safe
from agent_journal.text.width import (
    ELLIPSIS,
    cut_at_word,
    cut_to_width,
    display_width,
    line_end,
    pad_to_width,
)

if TYPE_CHECKING:
    from agent_journal.search.finding import Hit
    from agent_journal.search.snippets import Snippet
    from agent_journal.search.texts import Neighbour, Passage
    from agent_journal.store.catalog.listing import SessionRow

_LABELS = {
    **KIND_NAMES,
    "compaction": "summary",
    "history": "prompt history",
    "tool": "",  # the name of the tool says it
}
_INDENT = "    "
_MARKED_INDENT = f"  {HIT_MARK} "
_TEXT_LINES = 2
_NEIGHBOUR_WIDTH = 150  # columns, where there is no terminal
_LONGEST_TITLE = 500  # letters, where there is no terminal
_LEAST_TITLE = 28  # columns; the project is left out rather than more of the title
_LEAST_PROJECT = 10
_MOST_PROJECT = 24
_LOST_AT_WORDS = 6  # columns of two lines that stay empty because lines end between words


class Layout(NamedTuple):
    """The columns there are (None: not a terminal, nothing is cut), and whether to colour."""

    width: int | None
    colour: bool

    def snippet_width(self, label: str) -> int | None:
        """Return how many columns of a snippet are shown; None: as many as in a pipe."""
        if self.width is None:
            return None
        room = self.width - len(_INDENT)
        return _TEXT_LINES * room - display_width(label) - _LOST_AT_WORDS

    def dim(self, text: str) -> str:
        """Return a text that is less important."""
        return style(text, "dim", on=self.colour)


def label_of(hit: Hit, passage: Passage) -> str:
    """Return who said it, or what it is, with the space after it."""
    label = safe(_LABELS.get(passage.kind, passage.kind))
    if hit.by == "meaning":
        label = f"{label} (by meaning)"
    if not label:
        return ""
    return f"{label}  "


def hit_lines(
    hit: Hit,
    passage: Passage,
    snippet: Snippet,
    around: list[Neighbour],
    command: str,
    layout: Layout,
) -> list[str]:
    """Return the lines of a hit: its title, what was said before, its text, what was said after."""
    is_apart = layout.width is not None and display_width(command) > layout.width // 2
    most = _TEXT_LINES
    beside = command
    if is_apart:
        most -= 1
        beside = ""
    before = []
    after = []
    for near in around:
        line = _neighbour_line(near, layout)
        if near.seq < (passage.seq or 0):
            before.append(line)
        else:
            after.append(line)
    text = _text_lines(snippet, label_of(hit, passage), layout, most)
    if around:
        text[0] = _MARKED_INDENT + text[0].removeprefix(_INDENT)
    lines = [_title_line(hit.session, passage, beside, layout), *before, *text, *after]
    if is_apart:
        lines.append(_INDENT + layout.dim(command))
    return lines


# -- the title ---------------------------------------------------------------------------------


def _title_line(row: SessionRow | None, passage: Passage, command: str, layout: Layout) -> str:
    when = human_time(passage.timestamp)
    if row is None:
        title = "(no session)"
        agent = safe(passage.agent or "")
        facts = [agent, _folder_name(passage.project), when]
    else:
        title = shown_star(row) + (one_line(row.title, _LONGEST_TITLE) or "(no title)")
        when = human_time(passage.timestamp or row.ended_at)
        agent = safe(row.agent)
        facts = [agent, _folder_name(row.project_path or row.project_dir), when]
    facts = [fact for fact in facts if fact and fact != "?"]
    if layout.width is not None:
        room = layout.width
        if command:
            room -= display_width(command) + 2
        facts = _fitting_facts(facts, room - min(_LEAST_TITLE, display_width(title)))
        room -= display_width(_joined(facts))
        title = cut_at_word(title, room)
    details = _joined(facts)
    if command and layout.width is not None:
        width = layout.width - display_width(title) - display_width(command)
        details = pad_to_width(details, width)
    elif command:
        details += "  "
    shown = layout.dim(details + command)
    if facts and facts[0] == agent:
        colour = style(agent, agent_colour(agent), on=layout.colour)
        shown = f"  {colour}" + layout.dim(details[len(agent) + 2 :] + command)
    return style(title, "bold", on=layout.colour) + shown


def _fitting_facts(facts: list[str], room: int) -> list[str]:
    """Return as many facts as fit: the project is shortened or left out, then the agent."""
    if len(facts) == 3:
        agent, project, when = facts
        left = room - display_width(_joined([agent, "", when]))
        if left >= min(_LEAST_PROJECT, display_width(project)):
            return [agent, cut_to_width(project, min(left, _MOST_PROJECT)), when]
        facts = [agent, when]
    while facts and display_width(_joined(facts)) > room:
        facts = facts[1:]
    return facts


def _joined(facts: list[str]) -> str:
    if not facts:
        return ""
    return "  " + " · ".join(facts)


def _folder_name(path: str | None) -> str:
    if path is None:
        return ""
    _, _, name = path.replace("\\", "/").rstrip("/").rpartition("/")
    return one_line(name, 40)


# -- the text ----------------------------------------------------------------------------------


def _text_lines(snippet: Snippet, label: str, layout: Layout, most: int) -> list[str]:
    """Return the snippet on at most so many lines, each ending between words."""
    shown_label = _INDENT + layout.dim(label)
    text = snippet.text
    if layout.width is None:
        return [shown_label + _marked(snippet, 0, len(text), layout)]
    lines: list[str] = []
    start = 0
    lead = shown_label
    room = layout.width - len(_INDENT) - display_width(label)
    while not lines or (start < len(text) and len(lines) < most):
        end = line_end(text, start, room)
        rest = ""
        if end < len(text) and len(lines) == most - 1:
            end = line_end(text, start, room - 1)
            rest = ELLIPSIS
        lines.append(lead + _marked(snippet, start, end, layout) + rest)
        start = end
        if text[start : start + 1] == " ":
            start += 1
        lead = _INDENT
        room = layout.width - len(_INDENT)
    return lines


def _marked(snippet: Snippet, start: int, end: int, layout: Layout) -> str:
    """Return a part of a snippet with its words marked."""
    shown: list[str] = []
    at = start
    for first, last in snippet.marks:
        first = min(max(first, at), end)
        last = min(max(last, at), end)
        shown.append(safe(snippet.text[at:first]))
        shown.append(style(safe(snippet.text[first:last]), "yellow", "bold", on=layout.colour))
        at = last
    shown.append(safe(snippet.text[at:end]))
    return "".join(shown)


def _neighbour_line(near: Neighbour, layout: Layout) -> str:
    width = _NEIGHBOUR_WIDTH
    if layout.width is not None:
        width = layout.width - len(_INDENT)
    label = safe(_LABELS.get(near.kind, near.kind))
    text = f"{label}  {one_line(near.text[: 4 * width], 4 * width)}"
    return _INDENT + layout.dim(cut_at_word(text, width))
