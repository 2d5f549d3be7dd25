"""The invented Claude Code sessions that `aj demo` shows: what was asked, said and done."""

from __future__ import annotations

from agent_journal.demo.steps import Call, Mark, Say, Story

RETRY = '''\
"""Retries for idempotent requests."""

import random
import time

RETRYABLE = {502, 503, 504}


class Retry:
    def __init__(self, attempts=4, base=0.1, cap=2.0):
        self.attempts = attempts
        self.base = base
        self.cap = cap

    def delay(self, attempt):
        return min(self.cap, self.base * 2**attempt) * random.random()

    def call(self, send, request):
        deadline = time.time() + self.cap
        for attempt in range(self.attempts):
            response = send(request)
            if response.status not in RETRYABLE or time.time() > deadline:
                return response
            time.sleep(self.delay(attempt))
        return response
'''
RETRY_OLD = RETRY[RETRY.index("    def __init__") : RETRY.index("        for attempt")]
RETRY_NEW = """\
    def __init__(self, attempts=4, base=0.1, cap=2.0, budget=5.0, clock=time.monotonic, jitter=random.random):
        self.attempts = attempts
        self.base = base
        self.cap = cap
        self.budget = budget
        self.clock = clock
        self.jitter = jitter

    def delay(self, attempt):
        return min(self.cap, self.base * 2**attempt) * self.jitter()

    def call(self, send, request):
        deadline = self.clock() + self.budget
"""
RETRY_TEST = """\
def test_gives_up_after_deadline(server):
    server.always(503)
    client = Client(retry=Retry(attempts=50, base=0.5, cap=2.0))
    started = time.time()
    assert client.get("/slow").status == 503
    assert time.time() - started < 2.5
"""
FAILED_RUN = """\
============================= test session starts ==============================
collected 30 items

tests/test_retry.py ..............F.......F.......                        [100%]

=================================== FAILURES ===================================
____________________ test_gives_up_after_deadline[15-30] _______________________
>       assert time.time() - started < 2.5
E       assert 3.1180500984191895 < 2.5

tests/test_retry.py:41: AssertionError
=========================== short test summary info ============================
FAILED tests/test_retry.py::test_gives_up_after_deadline[15-30]
FAILED tests/test_retry.py::test_gives_up_after_deadline[23-30]
======================== 2 failed, 28 passed in 61.40s ========================="""
LONG_RUN = "\n".join(
    f"tests/test_retry.py::test_gives_up_after_deadline[{n}-400] PASSED"
    f"                          [{n / 4:3.0f}%]  {0.004 + n % 7 / 1000:.3f}s call"
    for n in range(1, 401)
)

FLAKY_RETRY = Story(
    "claude-code",
    "flaky-retry",
    "relay",
    "fix/retry-deadline",
    1,
    "09:41",
    "claude-opus-5-5",
    "2.1.325",
    title="Flaky retry test: clock and jitter",
    steps=(
        "tests/test_retry.py::test_gives_up_after_deadline fails about one run in ten on CI and never on my "
        "machine. "
        "Find out why and fix the code, not the test.",
        Say(
            "I'll read the retry code and its test, and look for every use of the clock.",
            (
                Call("Read", {"file_path": "src/relay/retry.py"}, RETRY),
                Call(
                    "Read",
                    {"file_path": "tests/test_retry.py", "offset": 36, "limit": 6},
                    RETRY_TEST,
                ),
                Call(
                    "Grep",
                    {
                        "pattern": r"time\.(time|sleep|monotonic)",
                        "output_mode": "content",
                        "path": "src",
                    },
                    "src/relay/retry.py:20:        deadline = time.time() + self.cap\n"
                    "src/relay/retry.py:23:            if response.status not in RETRYABLE or time.time() > "
                    "deadline:\n"
                    "src/relay/retry.py:25:            time.sleep(self.delay(attempt))",
                ),
            ),
            "A test that fails one time in ten and depends on time: look for the wall clock and for random numbers "
            "first. Then reproduce it before touching anything.",
        ),
        Say(
            "Two suspects: the deadline comes from the wall clock, and the delay is random. Let me reproduce it.",
            (
                Call(
                    "Bash",
                    {
                        "command": "pytest tests/test_retry.py -k deadline --count 30 -q",
                        "description": "Run the test 30 times",
                    },
                    FAILED_RUN,
                    1,
                    seconds=62,
                ),
            ),
        ),
        Say(
            "Reproduced: 2 of 30. The deadline is checked *before* the sleep, so the last sleep can run past it "
            "by up to "
            "`cap` seconds. Whether it does is decided by `random.random()`.",
            (
                Call(
                    "TaskCreate",
                    {
                        "subject": "Make clock and jitter injectable",
                        "description": "Retry.__init__",
                    },
                ),
                Call(
                    "TaskCreate",
                    {"subject": "Never sleep past the deadline", "description": "Retry.call"},
                ),
                Call(
                    "TaskCreate",
                    {"subject": "Run the test 400 times", "description": "Must not fail once"},
                ),
            ),
            "deadline = now + cap, and cap is also the longest single delay. With attempt >= 2 the delay is up to "
            "2.0 s, "
            "so a sleep that starts at 1.9 s ends at 3.9 s. On a fast machine the jitter is the same, but the test "
            "server answers sooner... no: the odds are the same everywhere. CI just runs it more often.",
            seconds=31,
        ),
        Say(
            calls=(
                Call("TaskUpdate", {"taskId": "1", "status": "in_progress"}),
                Call(
                    "Edit",
                    {
                        "file_path": "src/relay/retry.py",
                        "old_string": RETRY_OLD,
                        "new_string": RETRY_NEW,
                    },
                    before=RETRY,
                ),
            )
        ),
        Say(
            calls=(
                Call(
                    "Edit",
                    {
                        "file_path": "src/relay/retry.py",
                        "old_string": "time.time() > deadline:\n                return response\n"
                        "            time.sleep(self.delay(attempt))\n",
                        "new_string": "self.clock() >= deadline:\n                return response\n"
                        "            time.sleep(min(self.delay(attempt), deadline - "
                        "self.clock()))\n",
                    },
                    before=RETRY.replace(RETRY_OLD, RETRY_NEW),
                ),
                Call("TaskUpdate", {"taskId": "1", "status": "completed"}),
                Call("TaskUpdate", {"taskId": "2", "status": "completed"}),
            )
        ),
        Say(
            "Now the same test, 400 times.",
            (
                Call(
                    "Bash",
                    {
                        "command": "pytest tests/test_retry.py -k deadline --count 400 -v --durations=0",
                        "description": "Run the test 400 times",
                    },
                    LONG_RUN,
                    seconds=118,
                ),
            ),
        ),
        Say(calls=(Call("TaskUpdate", {"taskId": "3", "status": "completed"}),), seconds=4),
        Say(
            "400 of 400 pass. What was wrong: the deadline was checked before the sleep, so one last jittered "
            "sleep could "
            "run up to `cap` seconds past it.\n\nWhat changed in `src/relay/retry.py`:\n"
            "- a sleep is never longer than what is left until the deadline\n"
            "- the deadline has its own setting, `budget`; before, it was the longest single delay\n"
            "- the clock is monotonic, and clock and jitter can be passed in, so tests need not wait",
        ),
        Mark("rename", "Flaky retry test: clock and jitter", minutes=2),
        "Good. Add it to the changelog and commit.",
        Say(
            calls=(
                Call(
                    "Edit",
                    {
                        "file_path": "CHANGELOG.md",
                        "old_string": "## Unreleased\n",
                        "new_string": "## Unreleased\n\n- Retries never sleep past their deadline.\n",
                    },
                    before="# Changelog\n\n## Unreleased\n\n## 1.4.0\n\n- HTTP/2.\n",
                ),
                Call(
                    "Bash",
                    {
                        "command": "git commit -qam 'Never sleep past the retry deadline' && git log --oneline "
                        "-1",
                        "description": "Commit",
                    },
                    "8f3c2d1 Never sleep past the retry deadline",
                ),
            )
        ),
        Say("Committed as `8f3c2d1`.", seconds=5),
    ),
)

POOL_PLAN = """\
# A connection limit per host

## Why
`Pool` has one queue of 100 connections. A host that answers slowly fills it, and requests to every other host wait.

## Steps
1. `HostLimit`: one semaphore per host, 10 permits by default, created on first use.
2. `Pool.acquire` takes the host's permit before a connection from the shared queue.
3. A request that waits longer than `pool_timeout` raises `PoolTimeout` with the host's name.
4. Tests: a slow host must not delay a fast one.

## Not now
Fairness inside one host; it has not been asked for."""
POOL = '''\
"""At most so many connections to one host at a time."""

import threading


class HostLimit:
    def __init__(self, permits=10):
        self.permits = permits
        self._lock = threading.Lock()
        self._busy = {}
'''

SLOW_HOST = Story(
    "claude-code",
    "slow-host",
    "relay",
    "main",
    3,
    "14:12",
    "claude-opus-5-5",
    "2.1.325",
    title="Per-host connection limit",
    plan=POOL_PLAN,
    steps=(
        "Requests to one slow host starve all the others. Plan a limit per host. No code yet, I want to see the "
        "plan.",
        Say(
            "I'll have the pool and its callers mapped first.",
            (
                Call(
                    "Agent",
                    {
                        "subagent_type": "Explore",
                        "description": "Map the connection pool",
                        "prompt": "Find where connections are taken from and returned to the pool in "
                        "src/relay, and what waits when it is empty. Answer with file names and "
                        "line numbers.",
                    },
                    child=(
                        Say(
                            calls=(
                                Call(
                                    "Grep",
                                    {"pattern": r"_queue\.(get|put)", "path": "src"},
                                    "src/relay/pool.py:48:        return self._queue.get(timeout=self.timeout)\n"
                                    "src/relay/pool.py:55:        self._queue.put(connection)",
                                ),
                            )
                        ),
                        Say(
                            "Connections are taken in `Pool.acquire` (src/relay/pool.py:48) and returned in "
                            "`Pool.release` (line 55). Every request of every host waits on the same queue of 100."
                        ),
                    ),
                ),
            ),
            "Plan mode: read only. One queue for all hosts would explain the starvation.",
        ),
        Say(
            "One queue for all hosts, as suspected. Here is the plan.",
            (
                Call(
                    "ExitPlanMode",
                    {"plan": POOL_PLAN},
                    "User has approved your plan. You can now start coding.",
                ),
            ),
            seconds=48,
        ),
        Say(calls=(Call("Write", {"file_path": "src/relay/limit.py", "content": POOL}),)),
        Mark("interrupt"),
        "Use a semaphore as the plan says, not a lock and a counter.",
        Say(
            "You are right, that is what the plan says.",
            (
                Call(
                    "Edit",
                    {
                        "file_path": "src/relay/limit.py",
                        "old_string": "        self._lock = threading.Lock()\n        self._busy = {}\n",
                        "new_string": "        self._hosts = defaultdict(lambda: "
                        "threading.BoundedSemaphore(permits))\n",
                    },
                    before=POOL,
                ),
            ),
        ),
        Say(
            calls=(
                Call(
                    "Bash",
                    {"command": "pytest -q", "description": "Run all tests"},
                    "212 passed, 3 skipped in 18.22s",
                    seconds=20,
                ),
            )
        ),
        Say(
            "`HostLimit` is in `src/relay/limit.py` and used by `Pool.acquire`. All 212 tests pass; the new one "
            "starts a "
            "host that never answers and checks that another host is served within 50 ms."
        ),
    ),
)

PAGES = """\
@router.get("/trees")
def list_trees(db: Session = Depends(session), orchard: int | None = None):
    query = select(Tree).order_by(Tree.id)
    if orchard is not None:
        query = query.where(Tree.orchard_id == orchard)
    return db.scalars(query).all()
"""
PAGES_NEW = """\
@router.get("/trees")
def list_trees(page: Page, db: Session = Depends(session), orchard: int | None = None) -> Paged[Tree]:
    query = select(Tree).order_by(Tree.id).where(Tree.id > page.after).limit(page.size + 1)
    if orchard is not None:
        query = query.where(Tree.orchard_id == orchard)
    return Paged.of(db.scalars(query).all(), page)
"""

PAGINATION = Story(
    "claude-code",
    "pagination",
    "orchard-api",
    "feature/pagination",
    8,
    "10:05",
    "claude-opus-5-5",
    "2.1.325",
    title="Cursor pagination for GET /trees",
    steps=(
        "GET /trees returns all 40,000 trees at once and the mobile app dies on it. Add pagination. Cursors, not "
        "offsets: "
        "rows are inserted all the time.",
        Say(
            "I'll look at the route and at what the mobile client sends.",
            (
                Call("Read", {"file_path": "app/routes/trees.py"}, PAGES),
                Call(
                    "Bash",
                    {
                        "command": "grep -rn 'GET /trees' docs clients | head",
                        "description": "Find the callers",
                    },
                    "docs/api.md:31:### GET /trees\nclients/mobile/lib/api.dart:88:    // GET /trees",
                ),
            ),
            "Keyset pagination on the primary key: stable under inserts, and the index is already there.",
        ),
        Say(
            calls=(
                Call(
                    "Edit",
                    {
                        "file_path": "app/routes/trees.py",
                        "old_string": PAGES,
                        "new_string": PAGES_NEW,
                    },
                    before=PAGES,
                ),
            )
        ),
        Mark("queued", "Also cap the page size at 200, please."),
        Say(
            "With the cap of 200 as well.",
            (
                Call(
                    "Bash",
                    {"command": "pytest tests/test_trees.py -q", "description": "Test the route"},
                    "E       sqlalchemy.exc.CompileError: limit() applied before where()\n1 failed, 11 passed in "
                    "2.31s",
                    1,
                ),
            ),
        ),
        Mark(
            "compact",
            "The user wants cursor pagination for GET /trees in orchard-api. `Page` (after, size <= "
            "200) and "
            "`Paged.of` are written in app/paging.py. One test fails because `.limit()` comes before `.where()` "
            "in "
            "app/routes/trees.py: move the limit to the end. Then update docs/api.md.",
            minutes=1,
        ),
        Say(
            calls=(
                Call(
                    "Bash",
                    {"command": "pytest -q", "description": "Run all tests"},
                    "148 passed in 31.07s",
                ),
            ),
            thinking="Move the limit to the end of the chain, then run everything.",
        ),
        Say(
            "`GET /trees` now takes `after` and `size` (1 to 200, 50 by default) and answers with `items` and "
            "`next`. "
            "All 148 tests pass and docs/api.md shows the new parameters."
        ),
    ),
)

MIGRATION = Story(
    "claude-code",
    "migration",
    "orchard-api",
    "main",
    20,
    "16:48",
    "claude-sonnet-4-5-20250929",
    "2.0.76",
    steps=(
        "Rename the column trees.kind to trees.variety without downtime. Two app servers, rolling deploy, "
        "Postgres 15.",
        Say(
            "Without downtime this takes three releases. I'll write them down first.",
            (
                Call(
                    "TodoWrite",
                    {
                        "todos": [
                            {
                                "content": "Add column variety, write both",
                                "status": "in_progress",
                                "activeForm": "Adding variety",
                            },
                            {
                                "content": "Backfill in batches",
                                "status": "pending",
                                "activeForm": "Backfilling",
                            },
                            {
                                "content": "Read variety, drop kind",
                                "status": "pending",
                                "activeForm": "Dropping kind",
                            },
                        ]
                    },
                ),
            ),
            "A plain RENAME COLUMN breaks the old servers during the rolling deploy: expand, backfill, contract.",
        ),
        Mark("api_error", "API Error: 529 Overloaded"),
        Say(
            calls=(
                Call(
                    "Write",
                    {
                        "file_path": "migrations/0042_variety.sql",
                        "content": "ALTER TABLE trees ADD COLUMN variety text;\n\nCREATE TRIGGER trees_variety "
                        "BEFORE INSERT OR UPDATE ON trees\n  FOR EACH ROW EXECUTE FUNCTION "
                        "copy_kind();\n",
                    },
                ),
                Call(
                    "TodoWrite",
                    {
                        "todos": [
                            {
                                "content": "Add column variety, write both",
                                "status": "completed",
                                "activeForm": "Adding variety",
                            },
                            {
                                "content": "Backfill in batches",
                                "status": "in_progress",
                                "activeForm": "Backfilling",
                            },
                            {
                                "content": "Read variety, drop kind",
                                "status": "pending",
                                "activeForm": "Dropping kind",
                            },
                        ]
                    },
                ),
            )
        ),
        Say(
            "Release 1 is `migrations/0042_variety.sql`: it adds the column and a trigger that fills it. Deploy "
            "that, then "
            "backfill in batches of 5,000 so that no lock is held for long. Only when that is done may release 2 "
            "read "
            "`variety`, and release 3 drop `kind`."
        ),
    ),
)

STORIES = (FLAKY_RETRY, SLOW_HOST, PAGINATION, MIGRATION)
