"""Files, those that the most sessions changed first."""

from __future__ import annotations

from collections.abc import Iterator

from starlette.requests import Request
from starlette.responses import Response

from agent_journal.answers.file_history import FileList, find_files
from agent_journal.errors import UsageError
from agent_journal.export.html.figures import counted
from agent_journal.export.prose import in_tag
from agent_journal.store.catalog.edited_files import EditedFile
from agent_journal.text.human import human_time, short_path
from agent_journal.web.addresses import link
from agent_journal.web.charts import table
from agent_journal.web.context import context_of
from agent_journal.web.frame import page, respond
from agent_journal.web.listing.asked import MOST_LETTERS, read_number
from agent_journal.web.narrowed import Narrowed, read_narrowed

PATH = "/files"
_PAGE = 100
_MOST_OFFSET = 1_000_000


def files_page(request: Request) -> Response:
    """The files that sessions changed."""
    asked = read_narrowed(PATH, request.query_params)
    text = request.query_params.get("q", "").strip()
    if len(text) > MOST_LETTERS:
        raise UsageError(f"a path has at most {MOST_LETTERS:,} characters")
    offset = read_number(request.query_params.get("offset", "0"), _MOST_OFFSET)
    query = asked.query._replace(limit=_PAGE, offset=offset)
    context = context_of(request)
    with context.journal() as journal:
        found = context.remembered.get(
            journal, ("files", asked, text, offset), lambda: find_files(journal, query, text)
        )
    main = [
        '<div class="place"><h1>Files</h1>\n',
        *_form(asked, text),
        *_files(found, asked, text, offset),
        "</div>\n",
    ]
    return respond(page("Files · aj", main, place=PATH))


def _form(asked: Narrowed, text: str) -> Iterator[str]:
    yield '<form class="span" method="get" aria-label="Find files">'
    yield '<label class="unseen" for="part">Part of a path</label>'
    yield f'<input id="part" name="q" placeholder="Part of a path" value="{in_tag(text, 1_000)}"> '
    for name in ("agent", "project", "since", "until"):
        value = getattr(asked, name)
        if value:
            yield f'<input type="hidden" name="{name}" value="{in_tag(value, 1_000)}">'
            address = link(PATH, **{**asked.parameters, name: "", "q": text})
            yield (
                f'<a class="chip" href="{address}" aria-current="true" '
                f'title="Remove this condition">{name}: {in_tag(value, 60)} '
                '<span aria-hidden="true">×</span></a> '
            )
    yield '<button class="chip">Show</button></form>\n'


def _files(found: FileList, asked: Narrowed, text: str, offset: int) -> Iterator[str]:
    if not found.files:
        if text or asked.parameters:
            yield '<p class="remark">No session changed such a file. '
            yield f'<a href="{PATH}">Show all files</a></p>\n'
        else:
            yield '<p class="remark">No session changed a file.</p>\n'
        return
    yield f'<p class="meta">{counted(found.total, "file")}</p>\n<div id="list" class="files">'
    rows = [_row(file, asked) for file in found.files]
    yield from table(("file", "sessions", "edits", "lines", "last changed"), rows, "Files")
    yield "</div>"
    yield from turning(PATH, {**asked.parameters, "q": text}, offset, _PAGE, found.total)


def _row(file: EditedFile, asked: Narrowed) -> list[str]:
    address = link("/file", path=file.path, project=asked.project)
    return [
        f'<a class="path row" href="{address}" dir="auto">{path_name(short_path(file.path))}</a>',
        f"{file.sessions:,}",
        f"{file.edits:,}",
        changed_lines(file.added, file.removed),
        in_tag(human_time(file.last)),
    ]


def path_name(path: str) -> str:
    """A path with its last part set off, as HTML."""
    start = max(path.rfind("/"), path.rfind("\\")) + 1
    return f'<span class="meta">{in_tag(path[:start], 300)}</span>{in_tag(path[start:], 200)}'


def changed_lines(added: int | None, removed: int | None) -> str:
    """Lines added and removed, as HTML; nothing where neither is recorded."""
    if added is None and removed is None:
        return ""
    return f"{_signed('+', added)} {_signed('−', removed)}"


def _signed(sign: str, count: int | None) -> str:
    if count is None:
        return f"{sign}?"
    return f"{sign}{count:,}"


def turning(
    path: str, parameters: dict[str, str], offset: int, size: int, total: int
) -> Iterator[str]:
    """Links to the pages before and after."""
    if not offset and offset + size >= total:
        return
    yield '<nav class="turning" aria-label="Pages">'
    if offset:
        address = link(path, **parameters, offset=max(0, offset - size) or "")
        yield f'<a rel="prev" href="{address}">← previous</a> '
    if offset + size < total:
        yield f'<a rel="next" href="{link(path, **parameters, offset=offset + size)}">next →</a>'
    yield "</nav>\n"
