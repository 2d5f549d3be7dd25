"""The tab Provenance: the files of a session, what is kept of them, and what was made of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from starlette.requests import Request
from starlette.responses import Response

from agent_journal.answers.provenance import FileProvenance, KeptVersion, provenance
from agent_journal.export.html.figures import counted, day_and_time
from agent_journal.export.prose import in_tag
from agent_journal.store.catalog.ledger import LedgerLine
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.store.records import remarks
from agent_journal.text.dates import from_micros
from agent_journal.text.human import human_size
from agent_journal.web.addresses import link, session_path
from agent_journal.web.context import context_of
from agent_journal.web.frame import page, respond
from agent_journal.web.session.head import PROVENANCE, TABS, head, page_title, row_of

_HASHED = 32 * 2**20  # bytes that are read for hashes unless more are asked for
_EVERYTHING = 2**62
_MOST_LINES = 60  # of a ledger
_STATUSES = ("mapped", "skipped", "unknown", "malformed")
_MEANINGS = {
    "mapped": "understood and shown",
    "skipped": "left out for a reason",
    "unknown": "kept, but of a kind that aj does not know",
    "malformed": "kept, but damaged",
}


def provenance_page(request: Request) -> Response:
    """Where a session comes from."""
    hashed = _HASHED
    if request.query_params.get("hashes") == "all":
        hashed = _EVERYTHING
    with context_of(request).journal() as journal:
        row = row_of(request, journal)
        files = provenance(journal, row, hashed)
        notes = remarks(journal.db, row, journal.config)
        main = [*head(journal, row, PROVENANCE), *_body(row, files, notes)]
        return respond(page(page_title(row, PROVENANCE), main))


def _body(row: SessionRow, files: Sequence[FileProvenance], notes: list[str]) -> Iterator[str]:
    yield '<dl class="facts">'
    for name, value in _facts(row):
        if value:
            yield f"<div><dt>{name}</dt><dd>{in_tag(value, 300)}</dd></div>"
    yield "</dl>\n"
    for note in notes:
        yield f'<p class="remark">{in_tag(note, 500)}</p>\n'
    kept = sum(version.version.size for file in files for version in file.versions)
    yield f'<p class="meta">{counted(len(files), "file")}, {human_size(kept)} kept'
    if any(_lacks_hash(version) for file in files for version in file.versions):
        address = link(session_path(row) + TABS[PROVENANCE], hashes="all")
        yield f' · <a href="{address}">compute the hashes of large files, too</a>'
    yield "</p>\n"
    for file in files:
        yield from _file(file)


def _facts(row: SessionRow) -> Iterator[tuple[str, str | None]]:
    yield "Agent", " ".join(filter(None, (row.agent, row.agent_version)))
    yield "Session", row.id
    yield "Application", row.host_app
    yield "Folder", row.project_path or row.project_dir
    yield "Repository", row.repository


def _file(found: FileProvenance) -> Iterator[str]:
    file = found.file
    yield f'<section class="kept"><h2><code dir="auto">{in_tag(file.path, 600)}</code></h2>\n'
    yield f'<p class="meta">{" · ".join(_state(found))}</p>\n'
    if found.versions:
        yield '<div class="scrolls" tabindex="0" role="group" aria-label="Versions"><table>'
        yield '<thead><tr><th>version</th><th class="number">bytes</th><th>kept at</th>'
        yield "<th>sha256</th><th>remarks</th></tr></thead><tbody>"
        yield from map(_version, found.versions)
        yield "</tbody></table></div>\n"
    if found.ledger:
        yield from _ledger(found.ledger)
    if found.problems:
        yield f"<h3>{counted(found.problem_count, 'problem')}</h3><ul>"
        for problem in found.problems:
            where = "the file" if problem.offset is None else f"byte {problem.offset:,}"
            yield f"<li>{where}: {in_tag(problem.reason, 300)}</li>"
        yield "</ul>\n"
    yield "</section>\n"


def _state(found: FileProvenance) -> Iterator[str]:
    file = found.file
    yield in_tag(file.role)
    if file.session:
        yield f"session {in_tag(file.session, 120)}"
    if file.vanished_at is None:
        yield "on disk at the last check"
    else:
        yield f"gone from disk since {day_and_time(from_micros(file.vanished_at))}, kept here"
    if file.status != "read":
        yield in_tag(file.status)
    if found.is_lost:
        yield '<b class="failed">the archive has lost bytes of it</b>'


def _version(kept: KeptVersion) -> str:
    version = kept.version
    remarks = []
    if kept.is_shown:
        remarks.append("shown")
    digest = "not computed"
    if kept.is_damaged:
        digest = "cannot be read"
        remarks.append('<b class="failed">damaged in the archive</b>')
    elif kept.sha256 is not None:
        digest = f"<code>{kept.sha256}</code>"
    when = day_and_time(from_micros(version.captured_at)) or "unknown"
    return (
        f'<tr><td>{version.number}</td><td class="number">{version.size:,}</td><td>{when}</td>'
        f"<td>{digest}</td><td>{', '.join(remarks)}</td></tr>"
    )


def _lacks_hash(kept: KeptVersion) -> bool:
    return kept.sha256 is None and not kept.is_damaged


def _ledger(lines: Sequence[LedgerLine]) -> Iterator[str]:
    """How every record was read: the sums, and the kinds behind them."""
    yield '<ul class="ledger">'
    for status in _STATUSES:
        own = [line for line in lines if line.status == status]
        count = sum(line.records for line in own)
        size = human_size(sum(line.bytes for line in own))
        about = f'<span class="meta">{size} · {_MEANINGS[status]}</span>'
        yield f"<li><b>{count:,}</b> {status} {about}</li>"
    yield "</ul>\n"
    yield f"<details><summary>{counted(len(lines), 'kind')} of record</summary>"
    yield '<div class="scrolls" tabindex="0" role="group" aria-label="Kinds of records"><table>'
    yield '<thead><tr><th class="number">records</th><th class="number">bytes</th><th>fate</th>'
    yield "<th>kind</th><th>reason</th></tr></thead><tbody>"
    for line in lines[:_MOST_LINES]:
        yield (
            f'<tr><td class="number">{line.records:,}</td><td class="number">{line.bytes:,}</td>'
            f"<td>{in_tag(line.status)}</td><td>{in_tag(line.kind, 100)}</td>"
            f"<td>{in_tag(line.reason, 200)}</td></tr>"
        )
    yield "</tbody></table></div>"
    if len(lines) > _MOST_LINES:
        yield f'<p class="meta">and {len(lines) - _MOST_LINES:,} more kinds</p>'
    yield "</details>\n"
