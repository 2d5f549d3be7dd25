"""What one can ask of the server at the same time, and what it says of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace

import pytest
from starlette.requests import Request

from agent_journal.answers.warm_search import WarmSearch
from agent_journal.errors import JournalBusy
from agent_journal.web.api import answering
from agent_journal.web.api.routes import API
from agent_journal.web.keys import Keys
from tests.support.journals import wait_until
from tests.support.servers import Server, error_of, running


@pytest.fixture
def search(own_home: Path) -> Iterator[WarmSearch]:
    made = WarmSearch(str(own_home / ".agent-journal"))
    yield made
    made.close()


def test_four_searches_run_or_wait(search: WarmSearch) -> None:
    begun, may_end = Event(), Event()
    done: list[bool] = []

    def work(*_: object) -> None:
        begun.set()
        assert may_end.wait(30)
        done.append(True)

    threads = [Thread(target=search.run, args=(work,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    assert begun.wait(30)
    wait_until(lambda: search._turns._taken == 4)
    with pytest.raises(JournalBusy, match="too many searches at once"):
        search.run(work)
    may_end.set()
    for thread in threads:
        thread.join(30)
    assert len(done) == 4
    assert search.run(lambda *_: "again") == "again"


def test_four_answers_of_the_api_are_built_at_once(own_home: Path) -> None:
    scope = {
        "type": "http",
        "query_string": b"",
        "headers": [],
        "app": SimpleNamespace(state=SimpleNamespace(context=None)),
    }
    with ExitStack() as stack:
        for _ in range(4):
            stack.enter_context(answering.TURNS.take())
        for route in API:
            if route.name in ("hits", "session", "edits", "blame"):
                continue  # they want a parameter
            asked = Request({**scope, "path": route.path, "server": ("127.0.0.1", 8480)})
            with pytest.raises(JournalBusy, match="too many requests at once"):
                answering.answer(asked)
    with answering.TURNS.take():
        pass


def test_a_search_that_is_one_too_many_is_told_so(own_home: Path) -> None:
    with running(own_home) as server:
        server.open()
        answers: list[tuple[int, str]] = []

        def ask() -> None:
            got = server.ask("/api/1/hits?q=retry&limit=1000&flat=1&context=20")
            answers.append((got.status, "" if got.status == 200 else error_of(got)))

        threads = [Thread(target=ask) for _ in range(30)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert len(answers) == 30
    busy = {words for status, words in answers if status == 503}
    assert {status for status, _ in answers} <= {200, 503}
    assert sum(status == 200 for status, _ in answers) >= 4
    assert busy <= {"too many requests at once", "too many searches at once"}


def test_a_ticket_is_too_old_after_a_minute() -> None:
    now = [100.0]
    keys = Keys("key", 8480, lambda: now[0])
    first, second = keys.new_ticket(), keys.new_ticket()
    now[0] += 60
    assert keys.use_ticket(first)
    now[0] += 0.1
    assert not keys.use_ticket(second)


def test_few_tickets_wait() -> None:
    keys = Keys("key", 8480)
    tickets = [keys.new_ticket() for _ in range(17)]
    assert [keys.use_ticket(ticket) for ticket in tickets] == [False] + [True] * 16


def test_nothing_is_said_of_what_was_asked(own_home: Path) -> None:
    """Also when the journal fails."""
    with running(own_home) as server:
        server.open()
        server.ask("/?q=peculiarword")
        server.ask("/?q=%22peculiarword&since=peculiarword")
        server.ask("/api/1/hits?q=peculiarword")
        (own_home / ".agent-journal/index/journal.db").write_bytes(b"peculiarword" * 10_000)
        got = server.ask("/api/1/sessions?project=peculiarword")
        assert got.status == 500
        assert json.loads(got.text)["error"]["code"] == "journal-damaged"
        assert server.ask("/?q=peculiarword").status == 500
    *ports, line = server.said.splitlines()
    assert line == "the address works once, within a minute; Ctrl-C ends the server"
    assert all("is taken; using" in port for port in ports)


def test_headers_of_a_proxy_change_nothing(server: Server) -> None:
    sent = {"X_Forwarded_Host": "127.0.0.1", "X_Forwarded_Proto": "https"}
    assert server.ask("/", Host="evil.example", **sent).status == 403
    assert server.ask("/", X_Forwarded_For="203.0.113.7").status == 200
