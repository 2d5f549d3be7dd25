"""What opens over a page of a session: the keys, and the box for its title and tags."""

from __future__ import annotations

from collections.abc import Iterator

from agent_journal.export.prose import in_tag
from agent_journal.store.catalog.listing import SessionRow

_KEYS = (
    ("/", "search all sessions"),
    ("i", "find in this session"),
    ("n N", "next, previous hit"),
    ("j k", "next, previous message"),
    ("J K", "next, previous prompt"),
    ("[ ]", "newer, older session"),
    ("f", "fold or unfold: the message, or all"),
    ("d", "next depth of reading"),
    ("c", "copy the resume command"),
    ("e", "export and continue"),
    ("s", "star"),
    ("?", "this help"),
)


def dialogs(row: SessionRow) -> Iterator[str]:
    """The dialogs of a session, closed."""
    yield from _keys()
    yield from _naming(row)


def _keys() -> Iterator[str]:
    yield '<dialog id="keys" aria-labelledby="keys-title"><h2 id="keys-title">Keys</h2>'
    yield '<dl class="keys">'
    for keys, meaning in _KEYS:
        shown = " ".join(f"<kbd>{key}</kbd>" for key in keys.split())
        yield f"<dt>{shown}</dt><dd>{meaning}</dd>"
    yield '</dl><form method="dialog"><button class="chip">Close</button></form></dialog>\n'


def _naming(row: SessionRow) -> Iterator[str]:
    title = ""
    if row.title_source == "own":
        title = in_tag(row.title, 500)
    tags = in_tag(" ".join(row.own_tag_names()), 8_000)
    yield (
        '<dialog id="naming" aria-labelledby="naming-title"><form method="dialog">'
        '<h2 id="naming-title">Title and tags</h2>'
        "<label>Title; empty for the agent's own"
        f'<input name="title" maxlength="500" value="{title}"></label>'
        f'<label>Tags, separated by spaces<input name="tags" value="{tags}"></label>'
        '<p class="failed" role="alert"></p><button class="chip">Save</button> '
        '<button class="chip" value="cancel" formnovalidate>Cancel</button></form></dialog>\n'
    )
