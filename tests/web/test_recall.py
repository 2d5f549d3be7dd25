"""`/mcp` of `aj web`: the tools of `aj mcp`, under the rules of the page."""

from __future__ import annotations

import json
from typing import Any

import anyio
import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from tests.support.mcp_servers import assert_quoted
from tests.support.servers import Got, Server


def post(server: Server, message: Any, **headers: str) -> Got:
    sent = {
        "Authorization": f"Bearer {server.key}",
        "Cookie": "",
        "X_AJ": "1",
        "Content_Type": "application/json",
        **headers,
    }
    body = message if isinstance(message, str) else json.dumps(message)
    return server.ask("/mcp", "POST", body, **sent)


def request(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}


SEARCH = request("tools/call", name="search", arguments={"query": "retry"})


def test_a_program_with_the_key_is_answered(server: Server) -> None:
    got = post(server, SEARCH)
    assert got.status == 200
    answer = json.loads(got.text)
    assert answer["id"] == 7
    assert_quoted(answer["result"]["content"][0]["text"])
    assert post(server, {"jsonrpc": "2.0", "method": "notifications/initialized"}).status == 202
    batch = json.loads(post(server, [request("ping"), SEARCH]).text)
    assert [one["id"] for one in batch] == [7, 7]


def test_others_are_refused(server: Server) -> None:
    assert post(server, SEARCH, Authorization="Bearer wrong").status == 403
    assert post(server, SEARCH, Authorization="").status == 403
    assert post(server, SEARCH, X_AJ="").status == 403
    assert post(server, SEARCH, Content_Type="text/plain").status == 403
    assert post(server, SEARCH, Origin="https://elsewhere.example").status == 403
    assert post(server, SEARCH, Host="elsewhere.example").status == 403
    assert server.ask("/mcp").status == 405


def test_what_is_no_request(server: Server) -> None:
    for body, code in (("{", -32700), ("3", -32600), ("[]", -32600)):
        got = post(server, body)
        assert got.status == 400
        assert json.loads(got.text)["error"]["code"] == code


def test_headers_must_agree_with_the_request(server: Server) -> None:
    version = MODERN_PROTOCOL_VERSIONS[-1]
    meta = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    listed = request("tools/list", _meta=meta)
    assert post(server, listed).status == 400
    headers = {"MCP_Protocol_Version": version, "Mcp_Method": "tools/list"}
    assert len(json.loads(post(server, listed, **headers).text)["result"]["tools"]) == 8


@pytest.mark.parametrize("mode", ["legacy", *MODERN_PROTOCOL_VERSIONS])
def test_the_official_client(server: Server, mode: str) -> None:
    async def run() -> None:
        headers = {"Authorization": f"Bearer {server.key}", "X-AJ": "1"}
        address = f"http://127.0.0.1:{server.port}/mcp"
        with anyio.fail_after(60):
            async with httpx2.AsyncClient(headers=headers) as web:
                transport = streamable_http_client(address, http_client=web)
                async with Client(transport, mode=mode) as client:
                    assert len((await client.list_tools()).tools) == 8
                    result = await client.call_tool("search", {"query": "retry"})
                    assert not result.is_error
                    assert_quoted(result.content[0].text)

    anyio.run(run)
