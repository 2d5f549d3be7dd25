"""Makes docs/schema/openapi.json from the table of the API and the shapes of the answers."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from agent_journal.answers.answer import SCHEMA
from agent_journal.answers.shapes import EXTRA, ITEMS
from agent_journal.web.api.kinds import KINDS, Kind
from agent_journal.web.api.parameters import MOST_LETTERS, Parameter
from agent_journal.web.api.routes import PREFIX

_REF = "#/components/schemas/{name}"
_WRONG = {
    "400": "A parameter is missing, unknown, too long, or has a value that it cannot have.",
    "403": "The request has neither cookie nor key, or comes from another page.",
    "404": "No session has this id.",
    "500": "The journal cannot be read.",
    "503": "Too many requests at once, or there is no search index yet.",
}
_ERROR = {
    "type": "object",
    "required": ["schema", "error"],
    "properties": {
        "schema": {"const": SCHEMA},
        "error": {
            "type": "object",
            "required": ["code", "message", "hint"],
            "properties": {
                "code": {"type": "string", "description": "for programs"},
                "message": {"type": "string", "description": "what went wrong"},
                "hint": {"type": ["string", "null"], "description": "what to do about it"},
            },
        },
    },
}


_ENVELOPE = {
    "type": "object",
    "description": "An answer of docs/json.md; `kind` says which.",
    "required": ["schema", "kind", "items", "page", "problems"],
}
# What is not an answer to a question: what the page writes, and what it listens to.
_WRITES = {
    "marks": (
        "Change the star, tags or title of a session; what is left out stays. The answer is that "
        "of `aj star --json`.",
        {
            "session": {"type": "string", "description": "agent:id"},
            "starred": {"type": "boolean"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "title": {"type": "string", "description": "empty: the agent's title again"},
        },
    ),
    "sync": ("Look for new sessions now.", {}),
}


def openapi() -> str:
    """The document."""
    shapes = [ITEMS[kind.name] for kind in KINDS]
    shapes += [EXTRA[kind.name] for kind in KINDS if kind.name in EXTRA]
    schemas, components = msgspec.json.schema_components(shapes, ref_template=_REF)
    found = {shape.__name__: schema for shape, schema in zip(shapes, schemas, strict=True)}
    for kind in KINDS:
        components[_answer_name(kind)] = _answer(kind, found)
    components["Error"] = _ERROR
    components["Answer"] = _ENVELOPE
    whole = {
        "openapi": "3.1.0",
        "info": {
            "title": "agent-journal",
            "version": str(SCHEMA),
            "description": "What the commands print with --json (docs/json.md), from `aj web`. "
            "Nothing is written. New fields may appear at any time.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "http://127.0.0.1:8480", "description": "aj web"}],
        "security": [{"key": []}, {"cookie": []}],
        "paths": {PREFIX + kind.name: {"get": _operation(kind)} for kind in KINDS} | _others(),
        "components": {
            "schemas": dict(sorted(components.items())),
            "securitySchemes": {
                "key": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The key in web.key of the journal folder.",
                },
                "cookie": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": "aj_8480",
                    "description": "The cookie of a browser that 'aj web' opened; its name has "
                    "the port.",
                },
            },
        },
    }
    return json.dumps(whole, indent=1) + "\n"


def _others() -> dict[str, Any]:
    """The routes of the API that are not questions, as far as the server has them."""
    from agent_journal.web.app import ROUTES

    found: dict[str, Any] = {}
    for route in ROUTES:
        name = route.path.removeprefix(PREFIX)
        if name in _WRITES and "POST" in (route.methods or ()):
            found[route.path] = {"post": _write(name)}
        elif name == "events":
            found[route.path] = {"get": _events()}
    return found


def _write(name: str) -> dict[str, Any]:
    meaning, fields = _WRITES[name]
    body = {"type": "object", "properties": fields, "additionalProperties": False}
    needs = {"name": "X-AJ", "in": "header", "required": True, "schema": {"const": "1"}}
    return {
        "operationId": name,
        "summary": meaning,
        "parameters": [needs],
        "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
        "responses": _responses("What is so now.", "Answer"),
    }


def _events() -> dict[str, Any]:
    after = Parameter("after", "The id of the last event; else from now on.")
    responses = _responses("What is new, once.", "Answer")
    stream = {"schema": {"type": "string"}}
    responses["200"]["content"]["text/event-stream"] = stream
    return {
        "operationId": "events",
        "summary": "What is new in the journal: a stream where `Accept` asks for one.",
        "parameters": [_parameter(after)],
        "responses": responses,
    }


def _responses(meaning: str, name: str) -> dict[str, Any]:
    responses = {"200": _response(meaning, name)}
    for status, reason in _WRONG.items():
        responses[status] = _response(reason, "Error")
    return responses


def _operation(kind: Kind) -> dict[str, Any]:
    meaning = f"What `{kind.command} --json` prints."
    return {
        "operationId": kind.name,
        "summary": kind.meaning,
        "parameters": [*map(_parameter, kind.parameters), _parameter(_MASK)],
        "responses": _responses(meaning, _answer_name(kind)),
    }


_MASK = Parameter("mask", "Redact the answer, and those that follow with the same cookie.")


def _parameter(parameter: Parameter) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": parameter.type}
    if parameter.choices:
        schema["enum"] = list(parameter.choices)
    elif parameter.type == "string":
        schema["maxLength"] = MOST_LETTERS
    for name, value in (
        ("minimum", parameter.least),
        ("maximum", parameter.most),
        ("default", parameter.default),
    ):
        if value is not None:
            schema[name] = value
    if parameter.is_list:
        schema = {"type": "array", "items": schema}
    found = {"name": parameter.name, "in": "query", "description": parameter.meaning}
    if parameter.is_required:
        found["required"] = True
    return {**found, "schema": schema}


def _response(meaning: str, name: str) -> dict[str, Any]:
    schema = {"$ref": _REF.format(name=name)}
    return {"description": meaning, "content": {"application/json": {"schema": schema}}}


def _answer_name(kind: Kind) -> str:
    return f"{kind.name.capitalize()}Answer"


def _answer(kind: Kind, found: dict[str, Any]) -> dict[str, Any]:
    """The envelope of a kind, with the fields beside the items."""
    page = {
        "type": "object",
        "required": ["state", "total", "limit"],
        "properties": {
            "state": {"enum": ["complete", "more"]},
            "total": {"type": ["integer", "null"]},
            "limit": {"type": ["integer", "null"]},
        },
    }
    envelope = {
        "type": "object",
        "required": ["schema", "kind", "items", "page", "problems"],
        "properties": {
            "schema": {"const": SCHEMA},
            "kind": {"const": kind.name},
            "items": {"type": "array", "items": found[ITEMS[kind.name].__name__]},
            "page": page,
            "problems": {"type": "integer"},
        },
    }
    if kind.name not in EXTRA:
        return envelope
    return {"allOf": [envelope, found[EXTRA[kind.name].__name__]]}
