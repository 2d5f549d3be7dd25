"""What a session did to files: the edits of each request, and a file as it was after one."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from agent_journal.answers.edits import edits_by_request
from agent_journal.cli.output import note, style
from agent_journal.errors import UsageError
from agent_journal.model import FileEdit, Session
from agent_journal.model.file_history import edits_of, requests_of, timeline, version_at
from agent_journal.model.origins import PROPOSED_EDIT
from agent_journal.text.human import plural
from agent_journal.text.plain import one_line, safe

_VERBS = {"create": "created", "edit": "edited", "delete": "deleted", "rename": "renamed"}
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
_MOST_NAMED = 10  # files named in an error


def edit_lines(session: Session, colour: bool) -> Iterator[str]:
    """Return the edits as text: each request that changed files, each file with its diff."""
    edits = edits_by_request(session)
    if not edits:
        note("no file was changed in this session")
        return
    files = plural(len({found.edit.path for found in edits}), "file")
    requests = plural(len({found.number for found in edits}), "request")
    yield style(one_line(session.title, 160) or "(no title)", "bold", on=colour)
    summary = f"{session.agent}:{session.id} · {files} changed by {requests}"
    yield style(safe(summary), "dim", on=colour)
    if not session.messages:
        remark = "recovered: the conversation is lost, the edits are what is left of it"
        yield style(remark, "dim", on=colour)
    current: int | None = None
    for found in edits:
        if found.number != current:
            current = found.number
            yield ""
            head = f"▌ {found.number}  {found.prompt}".rstrip()
            yield style(head, "green", "bold", on=colour)
        yield from _edit_lines(found.edit, colour)


def print_file(session: Session, wanted: str, at: int | None) -> None:
    """Print a file as it was after a request: its text and nothing else."""
    requests = requests_of(session)
    edits = edits_of(session, requests)
    request_ids = [request.id for request in requests]
    path = _find_path(sorted({edit.path for _, edit in timeline(edits, request_ids)}), wanted)
    when = "at the end"
    number = len(requests)
    if at is not None:
        if at > len(requests):
            hint = f"this session has {plural(len(requests), 'request')}"
            raise UsageError(f"there is no request {at}", hint)
        when = f"after request {at}"
        number = at
    version = version_at(edits, path, request_ids, number)
    if version.missing == "absent":
        hint = "'aj show ID --edits' shows what was done to it"
        raise UsageError(f"{path} does not exist {when}", hint)
    if version.text is None:
        hint = "the agent did not record enough; 'aj show ID --edits' shows what is known"
        raise UsageError(f"the text of {path} {when} is not known", hint)
    _print_text(version.text)


def _print_text(text: str) -> None:
    if sys.stdout.isatty():
        sys.stdout.write(safe(text))  # nothing in it may control the terminal
    else:
        sys.stdout.buffer.write(text.encode("utf-8", "surrogatepass"))
    sys.stdout.flush()


def _edit_lines(edit: FileEdit, colour: bool) -> Iterator[str]:
    head = f"  {_VERBS[edit.kind]} {one_line(edit.path, 200)}"
    if edit.lines_added is not None:
        head += f"  +{edit.lines_added} -{edit.lines_removed or 0}"
    if edit.origin == PROPOSED_EDIT:
        head += "  proposed; whether it was made is not recorded"
    elif edit.state:
        head += f"  {edit.state}"
    yield style(head, "bold", on=colour)
    if edit.diff:
        yield from _diff_lines(edit.diff, colour)
    else:
        yield style("    (what changed in it is not recorded)", "dim", on=colour)


def _diff_lines(diff: str, colour: bool) -> Iterator[str]:
    is_head = True  # a line of the text may look like one of the head
    for line in diff.rstrip("\n").split("\n"):
        text = "    " + safe(line)
        if line.startswith("@@"):
            is_head = False
        if is_head:
            yield style(text, "dim", on=colour)
        elif line[:1] in _COLOURS:
            yield style(text, _COLOURS[line[0]], on=colour)
        else:
            yield text


def _find_path(paths: list[str], wanted: str) -> str:
    """Return the file that is meant by a path or the end of one."""
    if wanted in paths:
        return wanted
    end = "/" + wanted.replace("\\", "/").removeprefix("./").lstrip("/")
    found = [path for path in paths if ("/" + path.replace("\\", "/").lstrip("/")).endswith(end)]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"several files end with '{wanted}'", _names(found))
    if not paths:
        raise UsageError("no file was changed in this session", "'aj show ID' shows what was done")
    raise UsageError(f"no file '{wanted}' was changed in this session", _names(paths))


def _names(paths: list[str]) -> str:
    names = ", ".join(one_line(path, 200) for path in paths[:_MOST_NAMED])
    if len(paths) > _MOST_NAMED:
        names += f", and {len(paths) - _MOST_NAMED} more"
    return f"there are: {names}"
