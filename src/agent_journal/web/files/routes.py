"""The addresses of files."""

from __future__ import annotations

from starlette.routing import Route

from agent_journal.web.later import later

FILES = (
    Route("/files", later("files.page", "files_page")),
    Route("/file", later("files.file", "file_page")),
    Route("/file/lines", later("files.origins", "lines_page")),
)
