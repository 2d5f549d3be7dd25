"""When files are read: soon after a write, seldom when that fails or costs much."""

from __future__ import annotations

import itertools

from agent_journal.sync.watching.budget import MOST_SHARE, WINDOW, Budget
from agent_journal.sync.watching.pace import GROWING, REST, Pending


def test_a_file_that_rests_is_read() -> None:
    pending = Pending()
    assert pending.next_due() is None
    pending.add("a", 10.0)
    pending.add("b", 10.1)
    assert pending.next_due() == 10.0 + REST
    assert pending.take_due(10.0 + REST - 0.01) == []
    assert pending.take_due(10.0 + REST) == ["a"]
    assert pending.take_due(10.1 + REST) == ["b"]
    assert pending.next_due() is None


def test_a_file_that_never_rests_is_read_now_and_then() -> None:
    pending = Pending()
    reads = []
    for step in range(101):
        now = step / 10
        pending.add("a", now)
        reads += [now for _ in pending.take_due(now)]
    gaps = [later - earlier for earlier, later in itertools.pairwise(reads)]
    assert len(reads) >= 9
    assert max(gaps) <= GROWING + 0.21  # until it is written again, and heard of
    assert min(gaps) >= GROWING


def test_a_file_that_fails_waits_twice_as_long_each_time() -> None:
    pending = Pending()
    waits = [pending.fail(["a"], 0.0) for _ in range(11)]
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]
    assert pending.next_due() == 300
    pending.add("b", 1.0)
    assert pending.take_due(2.0) == ["b"]
    assert pending.take_due(300.0) == ["a"]
    pending.succeed(["a"], 300.0, 0.0)
    assert pending.fail(["a"], 400.0) == 1


def test_a_file_that_costs_much_is_read_seldom() -> None:
    pending = Pending()
    pending.succeed(["a", "b"], 10.0, 0.4)
    pending.add("a", 10.1)
    assert pending.next_due() == 14.0
    pending.succeed(["a"], 20.0, 0.02)
    pending.add("a", 20.0)
    assert pending.take_due(20.0 + REST) == ["a"]


def test_everything_waits_longer_when_it_is_slow() -> None:
    pending = Pending()
    pending.slowness = 4
    pending.add("a", 0.0)
    assert pending.next_due() == 4 * REST
    assert pending.fail(["a"], 0.0) == 4


def test_what_is_known_of_old_files_is_forgotten() -> None:
    pending = Pending()
    pending.succeed(["a"], 0.0, 10.0)
    pending.forget_old(1_000.0)
    pending.add("a", 5.0)
    assert pending.next_due() == 5.0 + REST


def _use(budget: Budget, start: float, used: float, share: float) -> tuple[float, float, bool]:
    """Two windows in which a share of a core is used."""
    has_changed = False
    for _ in range(int(2 * WINDOW / 10)):
        start += 10
        used += share * 10
        has_changed |= budget.look(start, used)
    return start, used, has_changed


def test_the_pace_is_halved_above_the_budget_and_comes_back() -> None:
    budget = Budget(0.0, 0.0)
    now, used, has_changed = _use(budget, 0.0, 0.0, MOST_SHARE - 0.001)
    assert not has_changed
    assert budget.slowness == 1
    now, used, has_changed = _use(budget, now, used, 0.05)
    assert has_changed
    assert budget.slowness >= 2
    assert budget.share > MOST_SHARE
    for _ in range(6):
        now, used, _ = _use(budget, now, used, 0.001)
    assert budget.slowness == 1


def test_a_short_effort_changes_nothing() -> None:
    budget = Budget(0.0, 0.0)
    assert not budget.look(10.0, 3.0)  # 30 % for ten seconds
    now, _, has_changed = _use(budget, 10.0, 3.0, 0.005)
    assert not has_changed
    assert now > WINDOW
