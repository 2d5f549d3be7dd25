"""docs/schema/openapi.json describes the routes that exist and the answers that they give."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from starlette.routing import Route

from agent_journal.web.api.kinds import KINDS
from agent_journal.web.app import ROUTES
from tests.support.paths import ROOT
from tests.support.servers import Server
from tests.web.test_api import SAME, WRONG, address

DOCUMENT = json.loads((ROOT / "docs/schema/openapi.json").read_text())


def faults(answer: Any, path: str, status: str) -> list[str]:
    """What is wrong with an answer, by the document."""
    response = DOCUMENT["paths"][path]["get"]["responses"][status]
    schema = response["content"]["application/json"]["schema"]
    validator = Draft202012Validator({**schema, "components": DOCUMENT["components"]})
    return [error.message for error in validator.iter_errors(answer)]


def test_every_route_is_documented_and_no_other() -> None:
    routes = {
        (route.path, method.lower())
        for route in ROUTES
        if isinstance(route, Route) and route.path.startswith("/api/")
        for method in (route.methods or set()) - {"HEAD"}
    }
    documented = {(path, method) for path, found in DOCUMENT["paths"].items() for method in found}
    assert documented == routes


def test_every_schema_is_one() -> None:
    for schema in DOCUMENT["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
    names = re.findall(r'"#/components/schemas/(\w+)"', json.dumps(DOCUMENT))
    assert set(names) | {"Answer"} == set(DOCUMENT["components"]["schemas"])


@pytest.mark.parametrize(("kind", "asked", "args"), SAME, ids=str)
def test_answers_are_as_documented(
    server: Server, kind: str, asked: dict[str, Any], args: list[str]
) -> None:
    documented = DOCUMENT["paths"][f"/api/1/{kind}"]["get"]["parameters"]
    assert set(asked) <= {parameter["name"] for parameter in documented}
    answer = json.loads(server.ask(address(kind, **asked)).text)
    assert faults(answer, f"/api/1/{kind}", "200") == []


@pytest.mark.parametrize(("kind", "asked", "args"), WRONG, ids=str)
def test_errors_are_as_documented(
    server: Server, kind: str, asked: dict[str, Any], args: list[str]
) -> None:
    got = server.ask(address(kind, **asked))
    assert faults(json.loads(got.text), f"/api/1/{kind}", str(got.status)) == []


def test_a_refusal_is_as_documented(server: Server) -> None:
    for kind in KINDS:
        got = server.ask(f"/api/1/{kind.name}", Cookie="")
        assert faults(json.loads(got.text), f"/api/1/{kind.name}", "403") == []


def test_a_wrong_answer_is_found() -> None:
    answer = {"schema": 1, "kind": "tags", "items": [{"tag": 1}], "problems": 0}
    wrong = " ".join(faults(answer, "/api/1/tags", "200"))
    assert "'page' is a required property" in wrong
    assert "'sessions' is a required property" in wrong
    assert "1 is not of type 'string'" in wrong
