"""SQL, usage and statistics over many messages: aggregates, cold commands, and the upkeep of the
mirror.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator

import messages
from lab import Lab, Row, fastest

AGGREGATES = {
    "messages by role and kind": "SELECT role, kind, count(*) FROM messages GROUP BY ALL",
    "tokens by model": "SELECT model_name, count(*), sum(output_tokens) FROM usage GROUP BY 1",
    "tokens by day": "SELECT date_trunc('day', timestamp) AS day, sum(input_tokens) FROM usage "
    "GROUP "
    "BY "
    "1",
    "sessions by agent": "SELECT agent, count(*), sum(message_count) FROM sessions GROUP BY 1",
    "messages by project": "SELECT project_dir, count(*) FROM messages JOIN sessions USING "
    "(session_key) "
    "GROUP "
    "BY "
    "1",
    "prompts by hour": "SELECT extract(hour FROM timestamp), count(*) FROM messages WHERE kind = "
    "'prompt' "
    "GROUP BY 1",
    "longest sessions": "SELECT session_id, count(*) AS n FROM messages GROUP BY 1 ORDER BY n DESC "
    "LIMIT "
    "10",
    "conversations by type": "SELECT message_type, count(*), sum(output_tokens) FROM conversations "
    "GROUP "
    "BY "
    "ALL",
    "sessions in conversations": "SELECT count(DISTINCT session_id), count(*) FROM conversations",
    "tools in conversations": "SELECT tool_name, count(*) FROM conversations WHERE tool_name IS "
    "NOT "
    "NULL "
    "GROUP "
    "BY "
    "1",
}
_MAKE = """
import os
from agent_journal.config.loading import load
from agent_journal.sync.indexes import catch_up_indexes, mirror
config = load(os.environ)
catch_up_indexes(config, [mirror(config)])
"""
_ASK = """
import json, sys, time
from agent_journal.journal import Journal
fastest = {}
with Journal.open() as journal:
    database = journal.database()
    for name, query in json.loads(sys.argv[1]).items():
        times = []
        for _ in range(4):
            started = time.perf_counter()
            database.ask(query)
            times.append(time.perf_counter() - started)
        fastest[name] = min(times[1:])
print(json.dumps(fastest))
"""
_APPEND = """
import json, os, sys, time
home, more = sys.argv[1:]
os.environ["AJ_CLAUDE_PATH"] = os.pathsep.join((os.path.join(home, ".claude"), more))
from agent_journal.sync.indexes import mirror
from agent_journal.journal import Journal
from agent_journal.sync.run import sync
journal = Journal.open()
made = mirror(journal.config)
times, real = [], made.catch_up
def timed(*args):
    started = time.perf_counter()
    reached = real(*args)
    times.append(time.perf_counter() - started)
    return reached
made.catch_up = timed
folder = os.path.join(more, "projects", "-more")
os.makedirs(folder, exist_ok=True)
for number in range(6):
    message = {"role": "user", "content": f"One more prompt, {number}."}
    line = {"type": "user", "sessionId": "more", "uuid": f"u{number}", "cwd": "/w",
            "timestamp": f"2026-10-01T10:00:0{number}.000Z", "version": "2.1.325",
            "message": message}
    with open(os.path.join(folder, "more.jsonl"), "a") as file:
        file.write(json.dumps(line) + "\\n")
    sync(journal.config, journal.env, find_indexes=lambda: [made])
print(json.dumps(min(times[1:])))
"""


def measure_sql(lab: Lab) -> Iterator[Row]:
    """Everything on a journal of the largest number of messages."""
    count = lab.sizes.messages[-1]
    home = messages.cached(count)
    kept, synced = lab.synced(home)
    journal = os.path.join(tempfile.mkdtemp(dir=lab.scratch), "journal")
    shutil.copytree(kept, journal)
    made = lab.run(("-c", _MAKE), home, journal)
    beside = f"{made.wall:.0f} s, the sync without it {synced.cpu:.0f} s"
    yield Row(
        "sql",
        f"making the mirror of {count:,} messages, CPU a million",
        made.cpu / count * 1e6,
        "s",
        40,
        beside=beside,
    )
    yield Row("sql", "peak memory of it", made.peak / 1e6, "MB", 400)
    timings = json.loads(lab.output(("-c", _ASK, json.dumps(AGGREGATES)), home, journal))
    for name, seconds in timings.items():
        yield Row("sql", f"{name}, {count:,} messages, warm", seconds * 1000, "ms", 100)
    lab.aj("usage", home=home, journal=journal)  # looks the prices up
    bare = lab.bare()
    for command, limit in ((("usage", "daily"), 15), (("stats",), 22)):
        run = fastest(
            [lab.aj(*command, home=home, journal=journal) for _ in range(lab.sizes.repeats)]
        )
        beside = f"{run.wall * 1000:.0f} ms, Python {bare.wall * 1000:.0f} ms"
        yield Row(
            "sql",
            f"aj {' '.join(command)} / bare Python, wall",
            run.wall / bare.wall,
            "x",
            limit,
            beside=beside,
        )
    upkeep = json.loads(
        lab.output(("-c", _APPEND, home, os.path.join(lab.scratch, "more")), home, journal)
    )
    yield Row("sql", "mirror upkeep after one more prompt", upkeep * 1000, "ms", 200)
    shutil.rmtree(journal)
