"""What a session did to files: the edits request by request, and a file as it stood after one of
them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

from agent_journal.cli.output import note, one_line, plural, print_json, safe, style
from agent_journal.errors import UsageError
from agent_journal.model import FileEdit, Message, Session
from agent_journal.model.file_history import edits_of, requests_of, timeline, version_at

_WORDS = {"create": "created", "edit": "edited", "delete": "deleted", "rename": "renamed"}
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
_MANY = 10  # files named in an error


def edit_lines(session: Session, colour: bool) -> Iterator[str]:
    """The timeline of edits as text: each request that changed files, each file with its diff."""
    requests = requests_of(session)
    edits = timeline(edits_of(session, requests), [request.id for request in requests])
    if not edits:
        note("no file was changed in this session")
        return
    files = len({edit.path for _, edit in edits})
    yield style(one_line(session.title, 160) or "(no title)", "bold", on=colour)
    changed = f"{plural(files, 'file')} changed by {plural(len({number for number, _ in edits}), 'request')}"
    yield style(safe(f"{session.agent}:{session.id} · {changed}"), "dim", on=colour)
    current: int | None = None
    for number, edit in edits:
        if number != current:
            current = number
            yield ""
            yield style(
                f"▌ {number}  {_prompt(requests, number)}".rstrip(), "green", "bold", on=colour
            )
        yield from _edit_lines(edit, colour)


def print_edits_json(session: Session) -> None:
    """The timeline of edits as one JSON object."""
    requests = requests_of(session)
    edits = timeline(edits_of(session, requests), [request.id for request in requests])
    items = [_item(number, edit, requests) for number, edit in edits]
    print_json("edits", items, session=f"{session.agent}:{session.id}")


def print_file(session: Session, wanted: str, at: int | None) -> None:
    """A file as it stood after a request: its text and nothing else."""
    requests = requests_of(session)
    edits = edits_of(session, requests)
    request_ids = [request.id for request in requests]
    path = _path(sorted({edit.path for _, edit in timeline(edits, request_ids)}), wanted)
    if at is not None and at > len(requests):
        raise UsageError(
            f"there is no request {at}", f"this session has {plural(len(requests), 'request')}"
        )
    version = version_at(edits, path, request_ids, len(requests) if at is None else at)
    when = "at the end" if at is None else f"after request {at}"
    if version.missing == "absent":
        raise UsageError(
            f"{path} does not exist {when}", "see 'aj show ID --edits' for what was done to it"
        )
    if version.text is None:
        hint = "the agent did not record enough of it; 'aj show ID --edits' shows what there is"
        raise UsageError(f"the text of {path} {when} is not known", hint)
    if sys.stdout.isatty():
        # A person looks at it, so nothing in it may steer the terminal; in a pipe it comes as it
        # is.
        sys.stdout.write(safe(version.text))
    else:
        sys.stdout.buffer.write(version.text.encode("utf-8", "surrogatepass"))
    sys.stdout.flush()


def _edit_lines(edit: FileEdit, colour: bool) -> Iterator[str]:
    counts = "" if edit.lines_added is None else f"  +{edit.lines_added} -{edit.lines_removed or 0}"
    state = f"  {edit.state}" if edit.state else ""
    yield style(
        f"  {_WORDS[edit.kind]} {one_line(edit.path, 200)}{counts}{state}", "bold", on=colour
    )
    if not edit.diff:
        yield style("    (what changed in it is not recorded)", "dim", on=colour)
        return
    is_head = True  # a line of the text may look like one of the head
    for line in edit.diff.rstrip("\n").split("\n"):
        is_head = is_head and not line.startswith("@@")
        names = ("dim",) if is_head else (_COLOURS[line[0]],) if line[:1] in _COLOURS else ()
        yield style("    " + safe(line), *names, on=colour and bool(names))


def _item(number: int, edit: FileEdit, requests: Sequence[Message]) -> dict[str, Any]:
    return {
        "request": number,
        "request_id": edit.message_id,
        "prompt": _prompt(requests, number) or None,
        "path": edit.path,
        "kind": edit.kind,
        "state": edit.state,
        "lines_added": edit.lines_added,
        "lines_removed": edit.lines_removed,
        "diff": edit.diff,
        "call_id": edit.call_id,
        "timestamp": edit.timestamp.isoformat().replace("+00:00", "Z") if edit.timestamp else None,
        "origin": edit.origin,
    }


def _prompt(requests: Sequence[Message], number: int) -> str:
    """The first line of a request."""
    if not 0 < number <= len(requests):
        return ""
    return one_line(requests[number - 1].text.strip().partition("\n")[0], 160)


def _path(paths: list[str], wanted: str) -> str:
    """The file that is meant by a path or the end of one."""
    if wanted in paths:
        return wanted
    end = "/" + wanted.replace("\\", "/").removeprefix("./").lstrip("/")
    found = [path for path in paths if ("/" + path.replace("\\", "/").lstrip("/")).endswith(end)]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"several files end with '{wanted}'", _named(found))
    if not paths:
        raise UsageError("no file was changed in this session", "'aj show ID' shows what was done")
    raise UsageError(f"no file '{wanted}' was changed in this session", _named(paths))


def _named(paths: list[str]) -> str:
    more = f", and {len(paths) - _MANY} more" if len(paths) > _MANY else ""
    return "there are: " + ", ".join(one_line(path, 200) for path in paths[:_MANY]) + more
