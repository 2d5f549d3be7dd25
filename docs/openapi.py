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


def openapi() -> str:
    """The document."""
    shapes = [ITEMS[kind.name] for kind in KINDS]
    shapes += [EXTRA[kind.name] for kind in KINDS if kind.name in EXTRA]
    schemas, components = msgspec.json.schema_components(shapes, ref_template=_REF)
    found = {shape.__name__: schema for shape, schema in zip(shapes, schemas, strict=True)}
    for kind in KINDS:
        components[_answer_name(kind)] = _answer(kind, found)
    components["Error"] = _ERROR
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
        "paths": {PREFIX + kind.name: {"get": _operation(kind)} for kind in KINDS},
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


def _operation(kind: Kind) -> dict[str, Any]:
    responses: dict[str, Any] = {
        "200": _response(f"What `{kind.command} --json` prints.", _answer_name(kind))
    }
    for status, meaning in _WRONG.items():
        responses[status] = _response(meaning, "Error")
    return {
        "operationId": kind.name,
        "summary": kind.meaning,
        "parameters": [*map(_parameter, kind.parameters), _parameter(_MASK)],
        "responses": responses,
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
