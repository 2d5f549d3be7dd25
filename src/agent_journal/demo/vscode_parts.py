"""Parts of VS Code's chats: links to files, prompts, answers, and what tools returned."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from agent_journal.demo.steps import Call
from agent_journal.demo.writing import PERSON

PROJECT = f"{PERSON}/work/orchard-api"
Json = dict[str, Any]
_PART = re.compile(r"#file:\S+|@workspace|(?:(?!#file:|@workspace).)+")
_LINK = re.compile(r"\[\[(.+?)\]\]")


def uri(path: str) -> Json:
    """Return a path as VS Code writes it."""
    return {"$mid": 1, "fsPath": path, "external": f"file://{path}", "path": path, "scheme": "file"}


def arguments(call: Call) -> Json:
    """Return the input of a call with the whole path of its file."""
    given = dict(call.input)
    if "filePath" in given:
        given["filePath"] = f"{PROJECT}/{given['filePath']}"
    return given


class Prompt(NamedTuple):
    """A prompt with its parts, and the files it attaches."""

    message: Json
    variables: list[Json]


def prompt(text: str) -> Prompt:
    """Return a prompt, with the parts that VS Code recognised in it."""
    parts = []
    variables = []
    for found in _PART.finditer(text):
        start, end = found.span()
        place = {"start": start, "endExclusive": end}
        part: Json = {"range": place, "editorRange": _editor_range(start, end)}
        if found[0].startswith("#file:"):
            file = uri(f"{PROJECT}/{found[0].removeprefix('#file:')}")
            name = file["external"]
            part |= {"text": found[0], "id": name, "isFile": True, "data": file, "kind": "dynamic"}
            variable = {"id": name, "name": found[0].removeprefix("#"), "value": file}
            variables.append(variable | {"kind": "file", "range": place})
        elif found[0] == "@workspace":
            agent = {"id": "github.copilot.workspace", "name": "workspace"}
            part |= {"agent": agent, "kind": "agent"}
        else:
            part |= {"text": found[0], "kind": "text"}
        parts.append(part)
    return Prompt({"parts": parts, "text": text}, variables)


def _editor_range(start: int, end: int) -> Json:
    return {
        "startLineNumber": 1,
        "startColumn": start + 1,
        "endLineNumber": 1,
        "endColumn": end + 1,
    }


def markdown(text: str) -> list[Json]:
    """Return the parts of an answer: Markdown, cut where a file is named."""
    parts: list[Json] = []
    for index, piece in enumerate(_LINK.split(text)):
        is_link = index % 2 == 1
        if is_link:
            parts.append({"kind": "inlineReference", "inlineReference": uri(f"{PROJECT}/{piece}")})
        elif piece:
            part = {"value": piece, "supportThemeIcons": False, "supportHtml": False}
            parts.append(part | {"baseUri": uri(PROJECT + "/")})
    return parts


def without_links(text: str) -> str:
    """Return an answer as the model wrote it."""
    return text.replace("[[", "").replace("]]", "")


class Shown(NamedTuple):
    """What VS Code showed while a tool ran and after it, and what it kept for that tool."""

    during: object
    after: object
    specific: Json | None = None


def shown(call: Call, ended: int, took: int) -> Shown:
    """Return what VS Code showed of a call that ended at a time, in milliseconds."""
    if call.tool == "run_in_terminal":
        specific = _terminal(call, ended - took, took)
        return Shown('Using "Run in Terminal"', "Ran terminal command", specific)
    if call.tool == "manage_todo_list":
        todos = [todo | {"id": str(todo["id"])} for todo in call.input["todoList"]]
        specific = {"kind": "todoList", "todoList": todos}
        return Shown("Updating todo list", f"Updated todo list of {len(todos)}", specific)
    if call.tool == "grep_search":
        what = f"text for `{call.input['query']}`"
        matches = call.output.splitlines()[0]
        return Shown({"value": f"Searching {what}"}, {"value": f"Searched {what}, {matches}"})
    path = call.input["filePath"]
    if call.before:
        return Shown(_about_file("Editing", path), _about_file("Edited", path))
    return Shown(_about_file("Reading", path), _about_file("Read", path))


def _terminal(call: Call, started: int, took: int) -> Json:
    output = {"text": call.output + "\r\n", "lineCount": call.output.count("\n") + 1}
    state = {"exitCode": call.exit_code, "timestamp": started, "duration": took}
    return {
        "kind": "terminal",
        "commandLine": {"original": call.input["command"]},
        "language": "sh",
        "cwd": uri(PROJECT),
        "terminalCommandOutput": output,
        "terminalCommandState": state,
    }


def _about_file(verb: str, path: str) -> Json:
    file = uri(f"{PROJECT}/{path}")
    return {
        "value": f"{verb} [](file://{file['path']})",
        "uris": {file["external"]: file},
        "supportThemeIcons": False,
    }


def result(call: Call) -> Json:
    """Return what the model saw: the text of a terminal, of other tools a tree of text."""
    if call.tool == "run_in_terminal":
        text = call.output
        if call.exit_code:
            text += f"\n\nCommand exited with code {call.exit_code}"
        return {"$mid": 21, "value": text}
    text = call.output or "Successfully wrote todo list"
    path = call.input.get("filePath")
    if call.before:
        text = f"The following files were successfully edited:\n{PROJECT}/{path}"
    references: list[Json] = []
    if path:
        references = [{"anchor": uri(f"{PROJECT}/{path}"), "options": {"isFromTool": True}}]
    lines = [_text_node(line, index > 0) for index, line in enumerate(text.splitlines())]
    tag = _element("Tag", lines, [])
    return {"$mid": 23, "value": {"node": _element("ToolResult", [tag], references)}}


def _text_node(text: str, has_break: bool) -> Json:
    return {
        "type": 2,
        "priority": 9007199254740991,
        "text": text,
        "references": [],
        "lineBreakBefore": has_break,
    }


def _element(name: str, children: list[Json], references: list[Json]) -> Json:
    return {
        "type": 1,
        "ctor": 2,
        "ctorName": name,
        "children": children,
        "props": {},
        "references": references,
    }
