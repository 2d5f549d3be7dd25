"""The official client, in every version of the protocol that it offers, talks to `aj mcp`."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp.client.stdio import stdio_client
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from agent_journal.answers.recall.protocol import HANDSHAKE_VERSIONS, MODERN_VERSIONS
from mcp import ClientSession, MCPError, StdioServerParameters
from tests.mcp.conftest import TOKEN
from tests.support.journals import variables
from tests.support.mcp_servers import assert_quoted

VERSIONS = (*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS)
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("search", {"query": "retry"}),
    ("read", {"session": "fixed"}),
    ("list_sessions", {}),
    ("file_history", {"path": "retry.py"}),
    ("why", {"file": "notes.txt", "line": 1}),
    ("find_fix", {"error": "TimeoutError: no jitter left"}),
    ("how_run", {"what": "deploy"}),
    ("usage", {}),
]


def parameters(home: Path) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "agent_journal", "mcp"],
        env=variables(home),
        cwd=home,
    )


def with_client(home: Path, version: str, work: Callable[[Client], Awaitable[None]]) -> None:
    """Runs work with a client that speaks this version."""

    async def run() -> None:
        mode = version
        if version in HANDSHAKE_PROTOCOL_VERSIONS:
            mode = "legacy"
        with anyio.fail_after(60):
            async with Client(parameters(home), mode=mode) as client:
                await work(client)

    anyio.run(run)


def test_we_speak_every_version_that_the_client_speaks() -> None:
    assert HANDSHAKE_VERSIONS == HANDSHAKE_PROTOCOL_VERSIONS
    assert MODERN_VERSIONS == MODERN_PROTOCOL_VERSIONS


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A version; the client offers only its newest one in a handshake, unless it is changed."""
    version: str = request.param
    if version in HANDSHAKE_PROTOCOL_VERSIONS:
        monkeypatch.setattr("mcp.client.session.LATEST_HANDSHAKE_VERSION", version)
    return version


def test_all_tools_in_every_version(home: Path, version: str) -> None:
    async def work(client: Client) -> None:
        assert client.protocol_version == version
        listed = await client.list_tools()
        assert [tool.name for tool in listed.tools] == [name for name, _ in CALLS]
        for name, given in CALLS:
            result = await client.call_tool(name, given)
            assert not result.is_error, (name, result)
            assert result.structured_content is None
            (content,) = result.content
            assert_quoted(content.text)
            assert TOKEN not in content.text
            result = await client.call_tool(name, {**given, "format": "json"})
            assert result.structured_content["schema"] == 1
            assert result.structured_content["items"]
            assert TOKEN not in str(result)

    with_client(home, version, work)


def test_resources_prompts_and_errors_in_every_version(home: Path, version: str) -> None:
    async def work(client: Client) -> None:
        resources = (await client.list_resources()).resources
        assert str(resources[0].uri).startswith("journal://session/claude-code/")
        assert [resource.title for resource in resources] == ["claude-code, 2026-11-01"] * 3
        (template,) = (await client.list_resource_templates()).resource_templates
        assert template.uri_template == "journal://session/{agent}/{id}"
        (found,) = (await client.read_resource("journal://session/claude-code/other")).contents
        assert_quoted(found.text)
        assert TOKEN not in found.text
        prompts = (await client.list_prompts()).prompts
        assert [prompt.name for prompt in prompts] == ["recall", "hand-over"]
        prompt = await client.get_prompt("recall", {"about": "retries"})
        assert "say about: retries" in prompt.messages[0].content.text
        with pytest.raises(MCPError, match="no such tool"):
            await client.call_tool("remove_everything", {})
        with pytest.raises(MCPError, match="not found"):
            await client.read_resource("journal://session/claude-code/nothing")
        with pytest.raises(MCPError, match="not found"):
            await client.read_resource("file:///etc/passwd")
        with pytest.raises(MCPError, match="no such prompt"):
            await client.get_prompt("poem")
        with pytest.raises(MCPError, match="the argument 'about' is missing"):
            await client.get_prompt("recall", {"topic": "retries"})
        wrong = await client.call_tool("search", {"limit": 3})
        assert wrong.is_error

    with_client(home, version, work)


def test_all_pages_in_every_version(home: Path, version: str) -> None:
    async def work(client: Client) -> None:
        sessions = []
        for offset in range(3):
            given = {"limit": 1, "offset": offset, "format": "json"}
            data = (await client.call_tool("list_sessions", given)).structured_content
            sessions += [item["id"] for item in data["items"]]
            assert data["page"]["total"] == 3
        assert sorted(sessions) == ["claimed", "fixed", "other"]
        positions: list[int] = []
        given = {"session": "fixed", "depth": "everything", "max_chars": 1_500, "format": "json"}
        while True:
            data = (await client.call_tool("read", given)).structured_content
            positions += [message["seq"] for message in data["items"][0]["messages"]]
            if data["cursor"] is None:
                break
            given["cursor"] = data["cursor"]
        assert positions == sorted(set(positions))
        assert len(positions) >= 6

    with_client(home, version, work)


def test_a_server_that_is_killed_in_the_middle_is_an_error(home: Path, version: str) -> None:
    """No call waits for ever: neither the one that was asked nor the next."""

    async def work(client: Client) -> None:
        await client.call_tool("list_sessions", {})
        (server,) = servers_of(os.getpid())
        os.kill(server, signal.SIGSTOP)  # so that the call is on its way
        failed = []

        async def ask() -> None:
            try:
                await client.call_tool("search", {"query": "retry"})
            except MCPError as error:
                failed.append(error)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask)
            await anyio.sleep(0.1)
            os.kill(server, signal.SIGKILL)
        assert len(failed) == 1
        await ask()
        assert len(failed) == 2

    with_client(home, version, work)


def servers_of(parent: int) -> list[int]:
    """The processes that run `aj mcp` for a process."""
    found = []
    for task in Path(f"/proc/{parent}/task").iterdir():
        for number in (task / "children").read_text().split():
            if b"mcp" in Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0"):
                found.append(int(number))
    return found


def test_a_client_finds_the_newest_version(home: Path) -> None:
    async def work(client: Client) -> None:
        assert client.protocol_version == MODERN_VERSIONS[-1]
        assert client.server_info.name == "agent-journal"

    with_client(home, "auto", work)


def test_a_cancelled_call_is_not_answered_and_the_next_one_is(home: Path) -> None:
    async def run() -> None:
        with anyio.fail_after(60):
            async with stdio_client(parameters(home)) as streams, ClientSession(*streams) as client:
                await client.initialize()
                for _ in range(5):
                    with anyio.move_on_after(0.001) as scope:
                        await client.call_tool("search", {"query": "retry"})
                    assert scope.cancelled_caught
                result = await client.call_tool("list_sessions", {})
                assert not result.is_error

    anyio.run(run)
