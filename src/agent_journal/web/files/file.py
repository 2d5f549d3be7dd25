"""One file: the sessions that changed it, by title, with their diffs and times."""

from __future__ import annotations

from collections.abc import Iterator

from starlette.requests import Request
from starlette.responses import Response

from agent_journal.answers.committed_files import may_be_asked
from agent_journal.answers.file_history import FileChange, FileHistory, history_of_file
from agent_journal.errors import UsageError
from agent_journal.export.changes import Changes
from agent_journal.export.html.calls import edit_box
from agent_journal.export.html.figures import counted, day_and_time
from agent_journal.export.prose import in_tag, short_title
from agent_journal.model import FileEdit, Session
from agent_journal.text.dates import from_micros
from agent_journal.web.addresses import link, session_address
from agent_journal.web.context import context_of
from agent_journal.web.files.page import path_name, turning
from agent_journal.web.frame import page, respond
from agent_journal.web.listing.asked import read_number
from agent_journal.web.listing.page import project_name
from agent_journal.web.narrowed import Narrowed, read_narrowed
from agent_journal.web.session.changes import NOT_RECORDED

_PATH = "/file"
_PAGE = 20  # sessions
_MOST_EDITS = 20  # of a session
_MOST_LETTERS = 60_000  # of all diffs of a session
_LONGEST_PATH = 5_000
_OPEN = 3  # sessions whose diffs are open


def file_page(request: Request) -> Response:
    """The sessions that changed a file."""
    asked = read_narrowed(_PATH, request.query_params)
    path = request.query_params.get("path", "")
    if not path or len(path) > _LONGEST_PATH:
        raise UsageError("path is the path of a file, as a session has it")
    offset = read_number(request.query_params.get("offset", "0"), 100_000)
    query = asked.query._replace(limit=_PAGE, offset=offset)
    with context_of(request).journal() as journal:
        history = history_of_file(journal, path, query)
    name = in_tag(path.replace("\\", "/").rpartition("/")[2], 120)
    main = [
        '<div class="place"><p class="back"><a href="/files">Files</a></p>\n',
        f'<h1 class="path" dir="auto">{path_name(path)}</h1>\n',
        *_history(history, asked, path, offset),
        "</div>\n",
    ]
    status = 200
    if not history.total:
        status = 404
    return respond(page(f"{name} · aj", main, place="/files"), status)


def _history(history: FileHistory, asked: Narrowed, path: str, offset: int) -> Iterator[str]:
    if not history.total:
        name = path.replace("\\", "/").rpartition("/")[2]
        yield f'<p class="remark">No session changed this file. <a href="{link("/files", q=name)}">'
        yield "Files with this name</a></p>\n"
        return
    yield f'<p class="meta">changed by {counted(history.total, "session")}, newest first'
    if may_be_asked(path):
        address = link("/file/lines", path=path, project=asked.project)
        yield f' · <a href="{address}">Who wrote each line</a>'
    yield "</p>\n"
    yield '<ol class="sessions" id="list">\n'
    for place, change in enumerate(history.changes):
        yield from _change(change, is_open=place < _OPEN)
    yield "</ol>\n"
    parameters = {**asked.parameters, "path": path}
    yield from turning(_PATH, parameters, offset, _PAGE, history.total)


def _change(change: FileChange, *, is_open: bool) -> Iterator[str]:
    row = change.row
    title = in_tag(short_title(row.title), 160) or "(no title)"
    when = day_and_time(from_micros(row.ended_at or row.started_at))
    facts = (f'<span class="agent">{in_tag(row.agent)}</span>', in_tag(project_name(row), 40), when)
    address = session_address(row)
    yield f'<li class="session"><a class="title" href="{address}" dir="auto">{title}</a>'
    yield f'<span class="meta">{" · ".join(filter(None, facts))}</span>'
    opened = " open" if is_open else ""
    count = counted(change.total, "edit")
    yield f'<details class="numbers diffs"{opened}><summary>{count}</summary>'
    changes = Changes(Session(agent=row.agent, id=row.id))
    letters = 0
    shown = 0
    for edit in change.edits[:_MOST_EDITS]:
        box = _edit(edit, changes)
        letters += len(box)
        if letters > _MOST_LETTERS and shown:
            break
        yield box
        shown += 1
    if shown < len(change.edits):
        rest = counted(len(change.edits) - shown, "more edit")
        yield f'<p class="meta">{rest}: <a href="{address}">in the session</a></p>'
    yield "</details></li>\n"


def _edit(edit: FileEdit, changes: Changes) -> str:
    when = day_and_time(edit.timestamp)
    if when:
        when = f'<p class="meta">{when}</p>'
    diff = changes.diff(edit) or ""
    if not diff:
        return f'{when}{edit_box(edit, changes)}<p class="missing">{NOT_RECORDED}</p>\n'
    if len(diff) <= _MOST_LETTERS:
        return when + edit_box(edit, changes)
    size = f"{len(diff):,} characters"
    return f'{when}<p class="meta">a diff of {size} is not shown here</p>\n'
