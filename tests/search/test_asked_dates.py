"""The dates that questions name, and how near sessions are to them."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_journal.search.asked_dates import AskedDate, AskedDays, find_dates, nearness
from tests.support.growth import assert_linear
from tests.support.journals import aj, aj_json
from tests.support.talks import hits, record, write


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what did we change on 7 May 2026", [(2026, 5, 7)]),
        ("May 7, 2026", [(2026, 5, 7)]),
        ("the 7th of may", [(None, 5, 7)]),
        ("March 3rd", [(None, 3, 3)]),
        ("1st sept 2025", [(2025, 9, 1)]),
        ("Dec. 24", [(None, 12, 24)]),
        ("in may", [(None, 5, None)]),
        ("since March", [(None, 3, None)]),
        ("what we did last november", [(None, 11, None)]),
        ("MAY 2026", [(2026, 5, None)]),
        ("2026-05-07", [(2026, 5, 7)]),
        ("2026-05", [(2026, 5, None)]),
        ("(2026-05-07)?", [(2026, 5, 7)]),
        ("august", [(None, 8, None)]),
        ("between 3 June and 5 June", [(None, 6, 3), (None, 6, 5)]),
        ("3 June or June 3", [(None, 6, 3)]),
        ("7 May 2026 and 2026-05-07", [(2026, 5, 7)]),
        ("30 February", [(None, 2, 30)]),
    ],
)
def test_dates(question: str, expected: list[Any]) -> None:
    assert find_dates(question) == [AskedDate(*parts) for parts in expected]


@pytest.mark.parametrize(
    "question",
    [
        "",
        "may",
        "it may fail",
        "march on",
        "the march of progress",
        "dec",
        "sep and jan",
        "v2.05",
        "2026-13",
        "2026-00",
        "2026-05-45",
        "2026-05-07T10",
        "x2026-05-07",
        "12026-05",
        "2026-05-07-09",
        "3026-05",
        "maybe 7",
        "marching 3",
        "2026",
        "monday",
        "٢٠٢٦-٠٥",
    ],
)
def test_what_is_no_date(question: str) -> None:
    assert find_dates(question) == []


DAY = date(2026, 5, 7)


@pytest.mark.parametrize(
    ("asked", "first", "last", "days"),
    [
        (AskedDate(2026, 5, 7), DAY, DAY, 0),
        (AskedDate(2026, 5, 7), date(2026, 5, 1), date(2026, 5, 30), 0),
        (AskedDate(2026, 5, 6), DAY, DAY, 1),
        (AskedDate(2026, 5, 17), DAY, DAY, 10),
        (AskedDate(2026, 5, None), DAY, DAY, 0),
        (AskedDate(2026, 4, None), DAY, DAY, 7),
        (AskedDate(2026, 6, None), DAY, DAY, 25),
        (AskedDate(None, 5, 7), date(1999, 5, 8), date(1999, 5, 8), 1),
        (AskedDate(None, 12, 31), date(2026, 1, 2), date(2026, 1, 2), 2),
        (AskedDate(None, 1, 1), date(2026, 12, 30), date(2026, 12, 30), 2),
        (AskedDate(2024, 2, 29), date(2024, 3, 1), date(2024, 3, 1), 1),
        (AskedDate(None, 2, 29), date(2025, 2, 28), date(2025, 2, 28), 365),
    ],
)
def test_nearness_fades_with_days(asked: AskedDate, first: date, last: date, days: int) -> None:
    assert asked.nearness(first, last) == pytest.approx(math.exp(-days / 10))


@pytest.mark.parametrize(
    "asked", [AskedDate(None, 2, 30), AskedDate(2025, 2, 29), AskedDate(2026, 5, 0)]
)
def test_days_that_do_not_exist_are_near_nothing(asked: AskedDate) -> None:
    assert asked.nearness(DAY, DAY) == 0


@given(
    question=st.sampled_from(["7 may", "in may", "2026-05-07", "30 february", "29 feb 2024"]),
    days=st.lists(st.dates(), min_size=2, max_size=2),
)
def test_any_session_has_a_nearness(question: str, days: list[date]) -> None:
    for first, last in (days, sorted(days)):  # a session may end before it starts
        assert 0 <= nearness(find_dates(question), first, last) <= 1
    for day in (date.min, date.max):
        assert 0 <= nearness(find_dates(question), day, day) <= 1
    assert nearness([], *days) == 0


@given(st.text(alphabet="0123 79-.,maybjunefstndrdh\n", max_size=200))
def test_any_question_can_be_asked(question: str) -> None:
    for asked in find_dates(question):
        assert not isinstance(asked, AskedDate) or 1 <= asked.month <= 12
        assert 0 <= asked.nearness(DAY, DAY) <= 1


@pytest.mark.parametrize("part", ["1 ", "7 may ", "may ", "2026-05-", "3rd of ", "in  ", "9"])
def test_long_questions_take_linear_time(part: str) -> None:
    assert_linear(find_dates, lambda size: "june " + part * size, 2_000)
    assert_linear(find_dates, lambda size: "june 1" + " " * size + part, 250)


# -- in searches ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same prompt on several days, and once without a time."""
    path = tmp_path_factory.mktemp("dates")
    times = {
        "april": "2026-04-02T10:00:00.000Z",
        "may": "2026-05-07T23:30:00.000Z",
        "august": "2026-08-20T10:00:00.000Z",
        "before": "0001-01-01T00:00:00.000Z",
        "after": "9999-12-31T23:59:59.000Z",
        "undated": None,
    }
    for name, when in times.items():
        line = {**record("user", name, "we changed the login form"), "sessionId": name}
        line["timestamp"] = when
        write(path, [line], f".claude/projects/-w/{name}.jsonl")
    assert aj(path, "sync").returncode == 0
    return path


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("in april", "april"),
        ("on 7 may 2026", "may"),
        ("on 2026-08-19", "august"),
        ("on 3 april", "april"),
    ],
)
def test_sessions_near_the_date_come_first(home: Path, words: str, expected: str) -> None:
    found = hits(home, f"login form changed {words}")
    assert found[0]["session"] == f"claude-code:{expected}"
    assert len(found) == 6  # a date is no condition


def test_a_date_that_does_not_exist_changes_nothing(home: Path) -> None:
    assert len(hits(home, "login form changed on 30 february 2026")) == 6


@pytest.mark.parametrize(("zone", "day"), [("UTC", "7 may"), ("Asia/Tokyo", "8 may")])
def test_days_are_those_of_the_users_zone(home: Path, zone: str, day: str) -> None:
    scores = {asked: _score(home, zone, f"login form on {asked} 2026") for asked in _DAYS}
    assert max(scores, key=lambda asked: scores[asked]) == day


_DAYS = ("6 may", "7 may", "8 may")


def _score(home: Path, zone: str, query: str) -> float:
    found = aj_json(home, "search", "--no-sync", query, env={"TZ": zone})["items"]
    [score] = [item["score"] for item in found if item["session"] == "claude-code:may"]
    return float(score)


@pytest.mark.parametrize(
    ("question", "days_ago"),
    [
        ("what did I change yesterday?", 1),
        ("Today's work today", 0),
        ("the flaky test 12 days ago", 12),
        ("a week ago", 7),
    ],
)
def test_days_as_seen_from_today(question: str, days_ago: int) -> None:
    day = date.today() - timedelta(days=days_ago)
    assert find_dates(question) == [AskedDays(day, day)]


@pytest.mark.parametrize("period", ["week", "month", "year"])
def test_periods_as_seen_from_today(period: str) -> None:
    [this] = find_dates(f"what broke this {period}")
    [last] = find_dates(f"what broke last {period}")
    assert isinstance(this, AskedDays)
    assert isinstance(last, AskedDays)
    assert this.first <= date.today() <= this.last
    assert last.last == this.first - timedelta(days=1)


@pytest.mark.parametrize(
    "question", ["9999 years ago", "an hour ago", "the last 3", "monday", "ago"]
)
def test_what_is_no_day(question: str) -> None:
    assert find_dates(question) == []


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what did we do on 7 May 2026", ["may"]),
        ("what happened in april 2026", ["april"]),
        ("what was that on 2 april and 20 august 2026", ["august", "april"]),
        ("sessions of 2026-08", ["august"]),
        ("project:elsewhere what happened in april 2026", []),
    ],
)
def test_a_question_for_a_time_finds_what_was_asked_then(
    home: Path, question: str, expected: list[str]
) -> None:
    """No message has a word of the question."""
    found = [hit["session"].removeprefix("claude-code:") for hit in hits(home, question)]
    assert found[: len(expected)] == expected
    if not expected:
        assert found == []


@pytest.mark.parametrize("sign", ["", "?", "?!", "..."])
def test_a_sign_behind_a_date_changes_nothing(home: Path, sign: str) -> None:
    found = aj_json(home, "search", "--no-sync", f"what was deployed on november 1st{sign}")
    assert found["missing"] == ["deployed"]


def test_a_question_about_yesterday_finds_its_sessions_first(tmp_path: Path) -> None:
    for name, days in (("old", 40), ("new", 1)):
        when = (datetime.now(UTC) - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        said = {**record("user", name, "deploy of the parser"), "timestamp": when}
        write(tmp_path, [said | {"sessionId": name}], f".claude/projects/-w/{name}.jsonl")
    answer = aj_json(tmp_path, "search", "what about the parser deploy yesterday")
    assert [item["session"] for item in answer["items"]] == ["claude-code:new", "claude-code:old"]
    assert answer["missing"] == []
