"""The stream of what is new, a sync by request, and the page of sessions being written."""

from __future__ import annotations

import asyncio
import json
import signal
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from agent_journal.answers.changes import Changes
from agent_journal.errors import JournalBusy
from agent_journal.web.live.background import Background
from agent_journal.web.live.feed import MOST_STREAMS, Feed
from tests.support.journals import aj, sync, wait_until, write_claude
from tests.support.servers import Server, running, serving

EVENTS = "/api/1/events"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write_claude(tmp_path)
    sync(tmp_path)
    return tmp_path


class Event(NamedTuple):
    """What a stream told."""

    id: str
    kind: str
    data: Any


@contextmanager
def stream(server: Server, after: str = "", last: str = "") -> Iterator[HTTPResponse]:
    """An open stream."""
    connection = HTTPConnection("127.0.0.1", server.port, timeout=60)
    headers = {"Cookie": server.cookie, "Accept": "text/event-stream"}
    if last:
        headers["Last-Event-ID"] = last
    query = f"?after={after}" if after else ""
    connection.request("GET", EVENTS + query, headers=headers)
    try:
        yield connection.getresponse()
    finally:
        connection.close()


def events(answer: HTTPResponse, kind: str = "changes") -> Iterator[Event]:
    """The events of one kind; a stream that only says that it is there is not waited for."""
    fields: dict[str, str] = {}
    deadline = time.monotonic() + 120
    for line in answer:
        assert time.monotonic() < deadline, f"no {kind} were told"
        name, _, value = line.decode().rstrip("\n").partition(": ")
        if name:
            fields[name] = value
            continue
        if fields.get("event") == kind:
            yield Event(fields.get("id", ""), kind, json.loads(fields["data"]))
        fields = {}


def test_a_stream_tells_what_is_new(home: Path) -> None:
    with running(home) as server:
        server.open()
        with stream(server) as answer:
            assert answer.status == 200
            assert answer.getheader("content-type", "").startswith("text/event-stream")
            told = events(answer)
            first = next(told)
            assert first.data["items"] == []
            assert first.id == first.data["position"]
            write_claude(home, count=2, start=4)
            second = next(told)
            assert second.data["kind"] == "changes"
            assert second.data["after"] == first.id
            [item] = second.data["items"]
            assert (item["id"], item["message_count"], item["is_new"]) == ("s1", 6, False)


def test_what_another_process_writes_is_told(home: Path) -> None:
    """`aj sync` from a hook, while somebody else watches."""
    with running(home) as server:
        server.open()
        with stream(server) as answer:
            told = events(answer)
            next(told)
            aj(home, "title", "s1", "Another title")
            aj(home, "sync")
            assert [item["title"] for item in next(told).data["items"]] == ["Another title"]


def test_a_stream_goes_on_after_the_last_event(home: Path) -> None:
    """Also at another server: nothing is lost, and nothing comes twice."""
    with running(home) as server:
        server.open()
        with stream(server) as answer:
            told = events(answer)
            start_id = next(told).id
            write_claude(home, count=1, start=4)
            seen = next(told)
    write_claude(home, count=2, start=5)
    aj(home, "sync")
    with running(home) as server:
        server.open()
        with stream(server, after=start_id, last=seen.id) as answer:
            event = next(events(answer))
            assert event.data["after"] == seen.id
            assert [item["new_items"] for item in event.data["items"]] == [2]
        once = json.loads(server.ask(f"{EVENTS}?after={start_id}").text)
        assert [(item["id"], item["new_items"]) for item in once["items"]] == [("s1", 3)]
        assert once["position"] == event.id
        nothing = json.loads(server.ask(f"{EVENTS}?after={event.id}").text)
        assert (nothing["items"], nothing["position"]) == ([], event.id)


def test_a_position_of_another_journal_means_everything(home: Path) -> None:
    with serving(home) as server:
        position = json.loads(server.ask(EVENTS).text)["position"]
        for after in ("nonsense", "other-5", "0-x", "0-99999999999999999999", "0-9999"):
            answer = json.loads(server.ask(f"{EVENTS}?after={after}").text)
            assert answer["is_whole"] is False
            assert answer["position"] == position


def test_a_rebuilt_catalog_means_everything(home: Path) -> None:
    with running(home) as server:
        server.open()
        before = json.loads(server.ask(EVENTS).text)["position"]
        with stream(server) as answer:
            told = events(answer)
            next(told)
            assert aj(home, "sync", "--rebuild").returncode == 0
            event = next(told)
            assert event.data["is_whole"] is False
            assert event.id.rpartition("-")[0] != before.rpartition("-")[0]


def test_trouble_that_is_over_is_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent_journal.web.live.feed._AFTER_TROUBLE", 0.01)
    feed = Feed(str(home / ".agent-journal"))
    working = feed.changes
    asked: list[str | None] = []

    def changes(after: str | None) -> Changes:
        asked.append(after)
        if len(asked) == 2:
            raise JournalBusy("somebody else writes")
        return working(after)

    async def told() -> list[str]:
        feed.changes = changes  # type: ignore[method-assign]
        feed.begin(is_watching=False)
        kinds = []
        async for event in feed.events(None):
            name, _, data = event.decode().partition("data: ")
            if "event: status" in name:
                kinds.append(json.loads(data)["kind"])
            if len(kinds) == 3:
                break
            feed._wake()
        return kinds

    assert asyncio.run(asyncio.wait_for(told(), 60)) == ["starting", "failed", "starting"]


def test_settings_that_were_wrong_for_a_moment_do_not_end_the_looking(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until the next start, news of other processes came only with a sign of life."""
    monkeypatch.setattr("agent_journal.web.live.feed._AFTER_TROUBLE", 0.01)
    feed = Feed(str(home / ".agent-journal"))
    settings = home / ".agent-journal/config.toml"
    settings.write_text("= wrong\n")

    async def told() -> list[str]:
        feed.begin(is_watching=False)
        stream = feed.events(None)
        while b"event: status" not in (event := await anext(stream)) or b"failed" not in event:
            pass
        await asyncio.sleep(0)  # whoever looks has begun, too
        settings.unlink()
        while b"event: changes" not in await anext(stream):
            pass
        await asyncio.to_thread(aj, home, "title", "s1", "Another title")
        await asyncio.to_thread(aj, home, "sync")
        return json.loads((await anext(stream)).decode().partition("data: ")[2])["items"]

    monkeypatch.setattr("agent_journal.web.live.feed._SIGN_OF_LIFE", 1000.0)
    [item] = asyncio.run(asyncio.wait_for(told(), 60))
    assert item["title"] == "Another title"


def test_there_are_eight_streams_at_most(home: Path) -> None:
    with running(home) as server, ExitStack() as stack:
        server.open()
        for _ in range(8):
            answer = stack.enter_context(stream(server))
            next(events(answer))
        with stream(server) as refused:
            assert refused.status == 503
        assert server.ask("/").status == 200
        stack.close()
        wait_until(lambda: _is_open(server))


def test_streams_that_begin_at_the_same_moment_are_eight_at_most(tmp_path: Path) -> None:
    """They were all let in before the first of them counted."""

    async def begin() -> list[bytes | None]:
        feed = Feed(str(tmp_path))
        streams = [feed.events(None) for _ in range(MOST_STREAMS + 1)]
        return [await anext(stream, None) for stream in streams]

    assert asyncio.run(begin()) == [b"retry: 1000\n\n"] * MOST_STREAMS + [None]


def _is_open(server: Server) -> bool:
    with stream(server) as answer:
        return answer.status == 200


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["INT", "TERM"])
def test_open_streams_do_not_hold_up_the_end(home: Path, number: signal.Signals) -> None:
    with running(home) as server, ExitStack() as stack:
        server.open()
        for _ in range(3):
            next(events(stack.enter_context(stream(server))))
        server.process.send_signal(number)
        assert server.process.wait(120) == 0  # the streams are still open
    assert not (home / ".agent-journal/web.json").exists()


def test_the_process_that_watches_ends_with_the_server(home: Path) -> None:
    with running(home) as server:
        note = home / ".agent-journal/watch.json"
        wait_until(note.exists)
        pid = json.loads(note.read_text())["pid"]
        assert pid != server.process.pid
        server.process.kill()
    wait_until(lambda: not Path(f"/proc/{pid}/cmdline").exists())


def test_a_sync_on_request(home: Path) -> None:
    with running(home) as server:
        server.open()
        wait_until((home / ".agent-journal/watch.json").exists)
        sent = {"Content_Type": "application/json", "X_AJ": "1"}
        origin = f"http://127.0.0.1:{server.port}"
        assert server.ask("/api/1/sync").status == 405
        assert server.ask("/api/1/sync", "POST", "{}", **sent).status == 403
        got = server.ask("/api/1/sync", "POST", "{}", Origin=origin, **sent)
        answer = json.loads(got.text)
        assert (got.status, answer["kind"]) == (200, "sync")
        assert answer["items"][0]["sessions"] == 1


def test_the_live_page_has_what_is_being_written(home: Path) -> None:
    with serving(home) as server:
        text = server.ask("/live").text
        assert "1 session in the last five minutes" in text
        assert 'href="/s/claude-code/s1"' in text


def test_without_a_journal_the_page_comes_at_once_and_the_sync_follows(tmp_path: Path) -> None:
    write_claude(tmp_path)
    with running(tmp_path) as server:
        server.open()
        assert "The journal is empty" in server.ask("/").text
        with stream(server, after="0-0") as answer:
            told = next(events(answer))
            assert told.data["position"] != "0-0"
        assert "1 session ·" in server.ask("/").text


def test_a_journal_that_cannot_be_written_is_shown_all_the_same(home: Path) -> None:
    (home / ".agent-journal/watch.lock").mkdir()
    with running(home) as server:
        server.open()
        with stream(server) as answer:
            for event in events(answer, "status"):
                if event.data["kind"] == "failed":
                    break
            assert "watch.lock" in event.data["text"]
        assert "1 session ·" in server.ask("/").text


def test_a_sync_that_began_before_answers_nobody_who_asked_later(tmp_path: Path) -> None:
    """Else the second would hear that files are read which were written after the look at them."""
    background = Background(str(tmp_path))
    first: Future[Mapping[str, Any]] = Future()
    second: Future[Mapping[str, Any]] = Future()
    background._asked = [first, second]
    background._take({"kind": "synced", "is_asked_for": True, "answer": {"number": 1}})
    assert first.result(0)["answer"] == {"number": 1}
    assert not second.done()
    background._take({"kind": "synced", "is_asked_for": True, "answer": {"number": 2}})
    assert second.result(0)["answer"] == {"number": 2}
