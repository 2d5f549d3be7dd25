"""The frame of every page: head, styles, script, and a policy that allows nothing else."""

from __future__ import annotations

import base64
import functools
import hashlib
import os
from html import escape

_FOLDER = os.path.dirname(__file__)


def opening(title: str, theme: str, made_by: str) -> str:
    """The page up to its body. `title` is HTML already."""
    style = stylesheet()
    script = _read("page.js")
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
    )
    return (
        f'<!doctype html>\n<html lang="en" data-theme="{escape(theme)}">\n'
        '<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<meta name="robots" content="noindex">\n'
        f'<meta name="generator" content="{escape(made_by)}">\n<title>{title}</title>\n'
        f"<style>{style}</style>\n<script>{script}</script>\n</head>\n"
    )


THEME_BUTTON = (
    '<button type="button" id="theme" class="chip" aria-label="Switch between light and dark">'
    "Theme</button>"
)
SPOKEN_STATUS = '<p id="say" class="unseen" role="status"></p>\n'
CLOSING = "</body>\n</html>\n"


@functools.cache
def stylesheet() -> str:
    """The styles of every page."""
    text = _read("page.css")
    # The dark colours are in the file once and used twice: when chosen, and when the reader's
    # system says so.
    dark = text[text.index("/* dark */") : text.index("/* end */")]
    return text.replace(
        dark,
        f"@media screen {{ :root[data-theme=dark] {{ {dark} }} }}\n"
        "@media screen and (prefers-color-scheme: dark) "
        f"{{ :root[data-theme=auto] {{ {dark} }} }}\n",
    )


@functools.cache
def _read(name: str) -> str:
    with open(os.path.join(_FOLDER, name), encoding="utf-8") as file:
        return file.read()


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
