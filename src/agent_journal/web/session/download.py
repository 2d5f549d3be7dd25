"""A session as a file: redacted, as `aj export` writes it."""

from __future__ import annotations

import os

from starlette.requests import Request
from starlette.responses import Response

from agent_journal.answers.session_file import session_file, session_file_name
from agent_journal.errors import UsageError
from agent_journal.export.formats import BY_SUFFIX, Format
from agent_journal.web.context import context_of

_TYPES: dict[Format, str] = {
    "html": "text/html; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "json": "application/json",
}


def download(request: Request) -> Response:
    """The file of a session; its address ends in the format."""
    session_id, suffix = os.path.splitext(request.path_params["name"])
    form = BY_SUFFIX.get(suffix)
    if form not in _TYPES:
        raise UsageError(f"a download ends in .{', .'.join(_TYPES)}")
    with context_of(request).journal() as journal:
        row = journal.row(f"{request.path_params['agent']}:{session_id}")
        content = b"".join(session_file(journal, row, form))
    name = session_file_name(row, form)
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=_TYPES[form], headers=headers)
