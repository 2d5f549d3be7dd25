"""The tab Changes: what a session did to files, and a file as it was after a prompt."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from starlette.requests import Request
from starlette.responses import Response

from agent_journal.answers.edits import RequestEdit
from agent_journal.answers.net_changes import (
    Changed,
    NetChange,
    check_path,
    find_changed,
    net_changes,
)
from agent_journal.errors import UsageError
from agent_journal.export.changes import lines_of
from agent_journal.export.html.colours import Painter, language_of
from agent_journal.export.html.diffs import diff_box
from agent_journal.export.html.figures import counted
from agent_journal.export.html.prose import code
from agent_journal.export.prose import in_tag
from agent_journal.model import Session
from agent_journal.model.file_history import FileVersion, requests_of
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.store.catalog.loading import as_session, load_session
from agent_journal.web.addresses import link, session_address, session_path
from agent_journal.web.context import context_of
from agent_journal.web.frame import page, respond
from agent_journal.web.session.head import CHANGES, TABS, head, page_title, row_of
from agent_journal.web.session.parameters import number_parameter, text_parameter

_FILES = 40  # on a page
_OPEN_FILES = 5  # diffs that are not folded, where there are only so many files
_MOST_DIFF = 200_000  # characters that are shown
_MOST_TEXT = 500_000
NOT_RECORDED = "What changed in it is not recorded."
_NOT_KNOWN = (
    "Not enough was recorded to tell the net change: these are its edits, one after the other."
)


def changes_page(request: Request) -> Response:
    """All files that a session changed, or one of them."""
    with context_of(request).journal() as journal:
        row = row_of(request, journal)
        session = as_session(row)
        if row.edit_count:
            session = load_session(journal.db, row, journal.quotes())
        changed = find_changed(session)
        path = text_parameter(request, "file")
        if path:
            parts = _file(request, row, session, changed, check_path(changed, path))
        else:
            parts = _files(request, row, changed)
        main = [*head(journal, row, CHANGES), *parts]
        return respond(page(page_title(row, CHANGES), main))


# -- all files -----------------------------------------------------------------------------------


def _files(request: Request, row: SessionRow, changed: Changed) -> Iterator[str]:
    paths = list(changed.by_path)
    if not paths:
        yield '<p class="remark">No file was changed in this session.</p>\n'
        return
    first = min(number_parameter(request, "offset", 0), len(paths))
    found = net_changes(changed, paths[first : first + _FILES])
    requests = {found.number for edits in changed.by_path.values() for found in edits}
    count = counted(len(paths), "file")
    yield f'<p class="meta">{count} changed by {counted(len(requests), "prompt")}</p>\n'
    if not row.message_count:
        yield '<p class="remark">The conversation is lost; these edits are what is left.</p>\n'
    is_open = len(paths) <= _OPEN_FILES
    for change in found:
        yield from _net_change(row, change, is_open)
    yield from _turning(row, first, len(paths))


def _net_change(row: SessionRow, change: NetChange, is_open: bool) -> Iterator[str]:
    opened = " open" if is_open else ""
    yield f'<details class="change"{opened}><summary>{_name(change)}</summary>\n'
    address = _file_address(row, change.path)
    yield f'<p class="meta"><a href="{address}">Edits by prompt, and the file after each</a></p>\n'
    if change.diff is None:
        yield f'<p class="missing">{_NOT_KNOWN}</p>\n'
        for found in change.edits:
            yield from _edit(found)
    elif not change.added and not change.removed:
        yield '<p class="missing">It is again as it was.</p>\n'
    else:
        yield _diff(change.diff)
    yield "</details>\n"


def _name(change: NetChange) -> str:
    counts = []
    if change.added is not None:
        counts.append(f'<span class="plus">+{change.added:,}</span>')
    if change.removed is not None:
        counts.append(f'<span class="minus">−{change.removed:,}</span>')
    word = _what_became(change)
    edits = counted(len(change.edits), "edit")
    facts = " ".join(filter(None, (*counts, word)))
    return (
        f'<code dir="auto">{in_tag(change.path, 300)}</code> '
        f'<span class="side">{" · ".join(filter(None, (facts, edits)))}</span>'
    )


def _what_became(change: NetChange) -> str:
    if change.before.missing == "absent" and change.after.missing == "absent":
        return "created and deleted"
    if change.before.missing == "absent":
        return "created"
    if change.after.missing == "absent":
        return "deleted"
    return ""


def _turning(row: SessionRow, first: int, total: int) -> Iterator[str]:
    if total <= _FILES:
        return
    path = session_path(row) + TABS[CHANGES]
    yield '<nav class="turning" aria-label="Pages">'
    if first:
        before = max(0, first - _FILES)
        yield f'<a rel="prev" href="{link(path, offset=before or None)}">← files before</a> '
    if first + _FILES < total:
        yield f'<a rel="next" href="{link(path, offset=first + _FILES)}">files after →</a>'
    yield "</nav>\n"


# -- one file ------------------------------------------------------------------------------------


def _file(
    request: Request, row: SessionRow, session: Session, changed: Changed, path: str
) -> Iterator[str]:
    count = len(requests_of(session))
    number = number_parameter(request, "at", count)
    if number > count:
        raise UsageError(f"there is no prompt {number}", f"this session has {count}")
    yield f'<p><a href="{link(session_path(row) + TABS[CHANGES])}">← all files</a></p>\n'
    yield f'<h2 class="path-title"><code dir="auto">{in_tag(path, 600)}</code></h2>\n'
    yield from _chooser(row, path, changed.by_path[path], number)
    yield from _text_then(changed.version(path, number), path, number)
    yield "<h2>Edits</h2>\n"
    for found in changed.by_path[path]:
        where = _request_name(row, session, found)
        yield f'<section class="edit"><h3>{where}</h3>\n'
        yield from _edit(found)
        yield "</section>\n"


def _chooser(row: SessionRow, path: str, edits: list[RequestEdit], chosen: int) -> Iterator[str]:
    """The prompts that changed the file, to see it as it was after each."""
    yield f'<form class="bar tools" action="{session_path(row)}{TABS[CHANGES]}" method="get">'
    yield f'<input type="hidden" name="file" value="{in_tag(path, len(path))}">'
    yield '<label>The file after prompt <select name="at">'
    numbers = sorted({0, chosen, *(found.number for found in edits)})
    prompts = {found.number: found.prompt for found in edits}
    for number in numbers:
        selected = " selected" if number == chosen else ""
        label = in_tag(f"{number} {prompts.get(number, '')}", 70)
        if number == 0:
            label = "0 before the first prompt"
        yield f'<option value="{number}"{selected}>{label}</option>'
    yield '</select></label> <button class="chip">Show</button></form>\n'


def _text_then(version: FileVersion, path: str, number: int) -> Iterator[str]:
    if version.missing == "absent":
        yield f'<p class="missing">The file does not exist after prompt {number}.</p>\n'
    elif version.text is None:
        yield f'<p class="missing">The text of the file after prompt {number} is not known.</p>\n'
    else:
        shown = version.text[:_MOST_TEXT]
        yield code(shown, language_of(path), Painter())
        if len(shown) < len(version.text):
            rest = len(version.text) - len(shown)
            yield f'<p class="missing">{rest:,} more characters are not shown.</p>\n'


def _request_name(row: SessionRow, session: Session, found: RequestEdit) -> str:
    prompt = in_tag(found.prompt, 120) or "before the first prompt"
    requests = requests_of(session)
    if not 0 < found.number <= len(requests):
        return prompt
    position = requests[found.number - 1].seq
    if position is None:
        return f"{found.number} {prompt}"
    return f'{found.number} <a href="{session_address(row, position)}" dir="auto">{prompt}</a>'


def _edit(found: RequestEdit) -> Iterator[str]:
    edit = found.edit
    facts = in_tag(edit.kind) + escape(lines_of(edit))
    yield f'<p class="file">{facts}</p>\n'
    if edit.diff:
        yield _diff(edit.diff)
    else:
        yield f'<p class="missing">{NOT_RECORDED}</p>\n'


def _diff(diff: str) -> str:
    if len(diff) <= _MOST_DIFF:
        return diff_box(diff)
    rest = len(diff) - _MOST_DIFF
    more = f'<p class="missing">{rest:,} more characters are not shown.</p>\n'
    return diff_box(diff[:_MOST_DIFF]) + more


def _file_address(row: SessionRow, path: str) -> str:
    return link(session_path(row) + TABS[CHANGES], file=path)
