"""The invented VS Code chats that `aj demo` shows: what was asked, said and done.

`#file:path` in a prompt attaches that file, `[[path]]` in an answer is a link to one.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from agent_journal.demo.steps import Call, Say


class Chat(NamedTuple):
    """One chat. `era` is how it lies on disk: a log of changes, one document, or an element of a
    row in a database.
    """

    key: str
    era: Literal["log", "json", "row"]
    days_ago: int
    time: str
    mode: Literal["agent", "ask"]
    model: str
    version: str  # of the Copilot Chat extension
    steps: tuple[str | Say, ...]  # a prompt, and what came after it
    title: str = ""  # set after the first turn
    listed_as: str = ""  # in the list that VS Code shows; a chat that it forgot has none
    stopped: bool = False  # by the person, in the second turn
    torn: bool = False  # a crash left half a line before the second turn
    has_folder: bool = True


ROUTE = '''\
"""Orchards and what grows in them."""


@router.get("/orchards/{key}")
def read_orchard(key: int, db: Session = Depends(session)) -> OrchardOut:
    orchard = db.get(Orchard, key)
    trees = [TreeOut.of(tree, tree.harvests) for tree in orchard.trees]
    return OrchardOut(name=orchard.name, trees=trees)
'''
LAZY = "    orchard = db.get(Orchard, key)\n"
EAGER = """\
    query = select(Orchard).options(selectinload(Orchard.trees).selectinload(Tree.harvests))
    orchard = db.scalars(query.where(Orchard.id == key)).one()
"""
ONE = "    orchard = db.scalars(query.where(Orchard.id == key)).one()\n"
ONE_OR_404 = """\
    orchard = db.scalars(query.where(Orchard.id == key)).one_or_none()
    if orchard is None:
        raise HTTPException(404, "No such orchard")
"""
COUNTED = """\
tests/test_orchards.py ...                                               [100%]

---------------------------- queries per test ----------------------------
test_read_orchard                412 queries    3.04 s
test_read_small_orchard           14 queries    0.11 s
test_list_orchards                 1 query      0.01 s
3 passed in 3.61s"""
MISSING = """\
tests/test_orchards.py ...F                                              [100%]

E       sqlalchemy.exc.NoResultFound: No row was found when one was required
FAILED tests/test_orchards.py::test_missing_orchard - assert 500 == 404
---------------------------- queries per test ----------------------------
test_read_orchard                  3 queries    0.05 s
1 failed, 3 passed in 0.62s"""
STEPS = (
    "Load trees and harvests with the orchard",
    "Count the queries again",
    "Answer 404 for a missing orchard",
)


def _todos(*states: str) -> dict[str, object]:
    rows = [{"id": n, "title": title, "status": states[n - 1]} for n, title in enumerate(STEPS, 1)]
    return {"todoList": rows}


def _tests(why: str) -> dict[str, object]:
    command = "pytest tests/test_orchards.py -q --count-queries"
    return {"command": command, "explanation": why, "isBackground": False}


SLOW_ORCHARD = Chat(
    "slow-orchard",
    "log",
    2,
    "10:32",
    "agent",
    "claude-sonnet-4.5",
    "0.58.1",
    title="412 queries to open one orchard",
    listed_as="412 queries to open one orchard",
    steps=(
        "Opening a large orchard takes 3 seconds and #file:app/routes/orchards.py looks harmless. Where does the time "
        "go?",
        Say(
            "I'll read the route and look at how the relations are loaded.",
            (
                Call(
                    "read_file",
                    {"filePath": "app/routes/orchards.py", "startLine": 1, "endLine": 8},
                    ROUTE,
                ),
                Call(
                    "grep_search",
                    {
                        "query": "relationship(",
                        "isRegexp": False,
                        "includePattern": "app/models/**",
                    },
                    '2 matches\napp/models/orchard.py:14:    trees = relationship("Tree", lazy="select")\n'
                    'app/models/tree.py:22:    harvests = relationship("Harvest", lazy="select")',
                ),
            ),
            "The loop touches tree.harvests. If that is loaded lazily it is one query a tree. Count before fixing.",
        ),
        Say(
            "Both are loaded on first use, so the loop may ask the database once for every tree. Let me count.",
            (
                Call(
                    "run_in_terminal", _tests("Count the queries of each test"), COUNTED, seconds=4
                ),
            ),
        ),
        Say(
            "412 queries for one orchard of 410 trees: one for the orchard, one for its trees, and one **for every "
            "tree**, because the loop in [[app/routes/orchards.py]] touches `tree.harvests`, which is loaded on first "
            "use. Each takes 7 ms, together 3 seconds. The fix is to load the harvests of all trees at once."
        ),
        "Do that. Write the steps down first, I want to see them.",
        Say(
            calls=(Call("manage_todo_list", _todos("in-progress", "not-started", "not-started")),),
            seconds=6,
        ),
        Say(
            calls=(
                Call(
                    "replace_string_in_file",
                    {"filePath": "app/routes/orchards.py", "oldString": LAZY, "newString": EAGER},
                    before=ROUTE,
                ),
            )
        ),
        Say(
            calls=(
                Call("run_in_terminal", _tests("Count again"), MISSING, 1, seconds=2),
                Call("manage_todo_list", _todos("completed", "completed", "not-started")),
            )
        ),
        Say(
            "3 queries instead of 412, and 0.05 s instead of 3.04 s.\n\nOne test fails: a missing orchard answers 500. "
            "That is not new, the test is: before, `db.get` returned `None` and the next line failed. I left it as "
            "the open step.",
            thinking="test_missing_orchard is from this morning's commit. Was it green before? No: None has no trees. "
            "Say so, and do not hide it in this change.",
        ),
        "Make it a 404 then.",
        Say(
            calls=(
                Call(
                    "replace_string_in_file",
                    {
                        "filePath": "app/routes/orchards.py",
                        "oldString": ONE,
                        "newString": ONE_OR_404,
                    },
                    before=ROUTE.replace(LAZY, EAGER),
                ),
            )
        ),
        Say(
            calls=(
                Call("run_in_terminal", _tests("Run the tests"), "4 passed in 0.58s", seconds=1),
                Call("manage_todo_list", _todos("completed", "completed", "completed")),
            ),
            seconds=7,
        ),
        Say(
            "A missing orchard answers 404 now. All 4 tests of [[tests/test_orchards.py]] pass.",
            seconds=5,
        ),
    ),
)

DOCKER_IMAGE = Chat(
    "docker-image",
    "log",
    6,
    "17:20",
    "agent",
    "gpt-5",
    "0.58.1",
    title="A smaller image",
    listed_as="A smaller image",
    torn=True,
    steps=(
        "Our image is 1.4 GB. What is in it?",
        Say(
            calls=(
                Call(
                    "read_file",
                    {"filePath": "Dockerfile", "startLine": 1, "endLine": 6},
                    "FROM python:3.13\nRUN apt-get update && apt-get install -y build-essential libpq-dev\n"
                    'COPY . /srv\nRUN pip install /srv\nCMD ["uvicorn", "app:app"]',
                ),
            )
        ),
        Say(
            "Mostly the compiler: `build-essential` and the full base image are 1.1 GB of it. They are needed to build "
            "the wheels and never again."
        ),
        "Two stages then. Is slim enough for the second one?",
        Say(
            "Yes. Build the wheels in `python:3.13`, copy them into `python:3.13-slim`, and install `libpq5` there: "
            "`psycopg` needs the library, not its headers. That leaves about 180 MB.",
            thinking="slim has no libpq at all: name the runtime package.",
        ),
    ),
)

WHO_CLOSES = Chat(
    "who-closes",
    "json",
    17,
    "15:40",
    "agent",
    "gpt-4.1",
    "0.32.5",
    listed_as="Closing of database sessions",
    stopped=True,
    steps=(
        "@workspace Who closes the database session when a handler raises?",
        Say(
            "I'll look for where sessions are made. ",
            (
                Call(
                    "grep_search",
                    {"query": "def session", "isRegexp": False},
                    "1 match\napp/db.py:11:def session() -> Iterator[Session]:",
                ),
            ),
        ),
        Say(
            "FastAPI does: [[app/db.py]] yields the session inside a `with` block, and what comes after the `yield` "
            "runs when the response is done, also after an exception."
        ),
        "Show me a test that proves it.",
        Say("Here is one that raises inside a handler and then"),
    ),
)

ORPHANS = Chat(
    "orphan-trees",
    "log",
    15,
    "12:08",
    "ask",
    "gpt-5",
    "0.57.0",
    steps=(
        "SQL that finds trees whose orchard is gone. Postgres, two million trees.",
        Say(
            "```sql\nSELECT t.id\nFROM trees t\nWHERE NOT EXISTS (SELECT 1 FROM orchards o WHERE o.id = t.orchard_id);"
            "\n```\n\nPostgres makes an anti-join of it: one pass over each table. `NOT IN` would be wrong as soon as "
            "one id is null."
        ),
    ),
)

BULK_STATUS = Chat(
    "bulk-status",
    "row",
    19,
    "09:15",
    "ask",
    "",
    "0.24.1",
    steps=(
        "Which status should POST /trees/bulk answer when some rows are bad?",
        Say(
            "200 with a list of what happened to each row. 207 belongs to WebDAV, and 422 says that nothing was "
            "taken."
        ),
    ),
)

SEMVER = Chat(
    "semver",
    "log",
    4,
    "21:47",
    "ask",
    "gpt-5",
    "0.58.1",
    listed_as="Sort versions in the shell",
    has_folder=False,
    steps=(
        "Sort a list of versions in the shell, so that 1.10 comes after 1.9.",
        Say(
            "`sort -V`. It compares the numbers in a line as numbers: `printf '1.10\\n1.9\\n' | sort -V` prints 1.9 "
            "first."
        ),
    ),
)

CHATS = (SLOW_ORCHARD, DOCKER_IMAGE, WHO_CLOSES, ORPHANS, BULK_STATUS, SEMVER)
