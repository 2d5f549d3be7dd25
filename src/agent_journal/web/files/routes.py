"""The addresses of files."""

from __future__ import annotations

from starlette.routing import Route

from agent_journal.web.files.file import file_page
from agent_journal.web.files.page import files_page

FILES = (
    Route("/files", files_page),
    Route("/file", file_page),
)
