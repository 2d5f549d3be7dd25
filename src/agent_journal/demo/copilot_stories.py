"""The invented Copilot CLI sessions that `aj demo` shows: what was asked, said and done."""

from __future__ import annotations

from agent_journal.demo.steps import Call, Mark, Say, Story

RATE_PLAN = """\
# Tell clients their rate limit

- [x] Send `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset`
- [x] Send `Retry-After` with every 429
- [ ] Say so in docs/api.md
"""
LIMITS = """\
async def limit(request, call_next):
    left = await bucket.take(request.client.host)
    if left < 0:
        return JSONResponse({"detail": "Too many requests"}, 429)
    return await call_next(request)
"""
LIMITS_NEW = """\
async def limit(request, call_next):
    state = await bucket.take(request.client.host)
    if state.left < 0:
        return JSONResponse({"detail": "Too many requests"}, 429, headers={"Retry-After": str(state.wait)})
    response = await call_next(request)
    response.headers.update(state.headers())
    return response
"""

RATE_LIMIT = Story(
    "copilot-cli",
    "rate-limit",
    "orchard-api",
    "feature/rate-limit",
    1,
    "16:05",
    "claude-sonnet-4.5",
    "1.0.102",
    plan=RATE_PLAN,
    steps=(
        "Clients that hit the rate limit retry at once and make it worse. Tell them when to come back.",
        Say(
            "I'll look at the middleware.",
            (
                Call("view", {"path": "app/limits.py"}, LIMITS),
                Call("grep", {"pattern": "429", "path": "tests"}, "tests/test_limits.py"),
            ),
            "A 429 without Retry-After: clients cannot know. The RateLimit headers help those that are not "
            "limited yet.",
        ),
        Say(
            calls=(
                Call(
                    "sql",
                    {
                        "description": "Write down the steps",
                        "query": "INSERT INTO todos (id, title, description, status) VALUES "
                        "('headers', 'Send the RateLimit headers', 'On every response', 'in_progress'), "
                        "('retry-after', 'Send Retry-After with 429', 'Whole seconds', 'pending'), "
                        "('docs', 'Document both', 'docs/api.md', 'pending'); "
                        "INSERT INTO todo_deps VALUES ('docs', 'headers'), ('docs', 'retry-after')",
                    },
                    "5 rows affected",
                ),
            )
        ),
        Say(
            calls=(
                Call(
                    "edit",
                    {"path": "app/limits.py", "old_str": LIMITS, "new_str": LIMITS_NEW},
                    before=LIMITS,
                ),
            )
        ),
        Say(
            calls=(
                Call(
                    "bash",
                    {
                        "command": "pytest tests/test_limits.py -q",
                        "description": "Test the middleware",
                    },
                    "E       AttributeError: 'int' object has no attribute 'left'\n1 failed, 6 passed in "
                    "1.12s",
                    1,
                ),
            )
        ),
        Say(
            "`bucket.take` still returns a number; it needs a small state object.",
            (
                Call(
                    "create",
                    {
                        "path": "app/bucket_state.py",
                        "file_text": "from typing import NamedTuple\n\n\nclass State(NamedTuple):\n    limit: int\n    "
                        "left: int\n"
                        "    wait: int\n",
                    },
                ),
            ),
        ),
        Say(
            calls=(
                Call(
                    "bash",
                    {"command": "pytest -q", "description": "Run all tests"},
                    "151 passed in 32.40s",
                    seconds=33,
                ),
                Call(
                    "sql",
                    {
                        "description": "Tick off",
                        "query": "UPDATE todos SET status = 'done' WHERE id IN ('headers', 'retry-after')",
                    },
                    "2 rows affected",
                ),
            )
        ),
        Say(
            "Every response now says what is left, and a 429 says when to come back. Still open: docs/api.md."
        ),
    ),
)

PYTHON_314 = Story(
    "copilot-cli",
    "python-314",
    "relay",
    "main",
    5,
    "11:20",
    "claude-sonnet-4.5",
    "1.0.102",
    title="Dependencies that block Python 3.14",
    checkpoint="<overview>\nWhich dependencies of relay block Python 3.14.\n</overview>\n\n<work_done>\nAll 14 "
    "checked; only "
    "`fasthash` has no wheel for 3.14.\n</work_done>\n\n<next_steps>\nReplace `fasthash` by "
    "hashlib.blake2b.\n</next_steps>\n"
    "\n<checkpoint_title>Dependencies and Python 3.14</checkpoint_title>",
    steps=(
        "Which of our dependencies block Python 3.14?",
        Say(
            "I'll have them checked one by one.",
            (
                Call(
                    "task",
                    {
                        "agent_type": "explore",
                        "name": "check-wheels",
                        "description": "Check wheels for 3.14",
                        "prompt": "For each dependency in pyproject.toml, find out whether a wheel for cp314 "
                        "exists.",
                        "mode": "sync",
                    },
                    child=(
                        Say(
                            calls=(
                                Call(
                                    "bash",
                                    {
                                        "command": "pip download --python-version 3.14 --only-binary "
                                        ":all: -r "
                                        "requirements.txt -d /tmp/wheels",
                                        "description": "Try to get wheels",
                                    },
                                    "ERROR: No matching distribution found for fasthash==2.1.0",
                                    1,
                                    seconds=17,
                                ),
                            )
                        ),
                        Say("13 of 14 have a cp314 wheel. Only `fasthash` 2.1.0 does not."),
                    ),
                ),
            ),
        ),
        Say(
            "One: `fasthash` 2.1.0 has no wheel for 3.14. The other 13 do. It is used once, in "
            "`src/relay/cache.py`, where "
            "`hashlib.blake2b` would do as well."
        ),
        Mark(
            "compact",
            "The user asked which dependencies of relay block Python 3.14. Only `fasthash` 2.1.0 "
            "does.",
        ),
        Mark("rename", "Dependencies that block Python 3.14"),
        Mark("resume", minutes=22 * 60),
        "Replace it then.",
        Say(
            calls=(
                Call(
                    "edit",
                    {
                        "path": "src/relay/cache.py",
                        "old_str": "fasthash.digest(key)",
                        "new_str": "hashlib.blake2b(key, digest_size=16).digest()",
                    },
                    before="import fasthash\n\n\ndef name(key: bytes) -> bytes:\n    return "
                    "fasthash.digest(key)\n",
                ),
            )
        ),
        Say("Done. Old cache entries are not found any more and are written again on first use."),
    ),
)

BISECT = Story(
    "copilot-cli",
    "bisect",
    "orchard-api",
    "main",
    13,
    "18:31",
    "gpt-5",
    "1.0.102",
    steps=(
        Mark(
            "shell",
            "git bisect log | tail -1\n# first bad commit: [4be1d90] Merge branch 'feature/import'",
        ),
        "git bisect says a merge commit is the first bad one, but both parents are good. How can that be?",
        Say(
            "Each side is fine alone and they break together: a *semantic* conflict. Typical: one side renamed a "
            "function, the "
            "other added a call with the old name. Git merges that without a conflict.\n\nTo see it, compare the "
            "merge with "
            "an automatic one: `git show --remerge-diff 4be1d90`.",
            thinking="Both parents good, merge bad.",
            seconds=9,
        ),
    ),
)

STORIES = (RATE_LIMIT, PYTHON_314, BISECT)
