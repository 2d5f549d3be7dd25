"""A `state.vscdb` of Cursor for the benchmark: a gigabyte in WAL mode, of which half is not about
conversations.

Conversations have 120 messages: a prompt, then steps of words, thoughts and tools, as Cursor 2 and
3 write them. Beside them lie the blobs and checkpoints that fill the databases people have, and
that nobody may have to read.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from random import Random

from text import Text, opaque, token, uuid

VERSION = 1  # incremented when the corpus changes, so that cached ones are rebuilt
MESSAGES = 120
STEPS = 400  # different steps, put together anew with other ids and times
_CACHE = os.path.join(os.path.dirname(os.path.abspath(__file__)), ".corpus")
_USER_DATA = {"darwin": "Library/Application Support", "win32": "AppData/Roaming"}.get(
    sys.platform, ".config"
)
_TABLES = (
    "CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)",
    "CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)",
)
_EMPTY = (
    '"context":{"fileSelections":[],"selections":[],"folderSelections":[],'
    '"terminalSelections":[],"selectedDocs":[],'
    '"externalLinks":[],"cursorRules":[],"mentions":{}},"attachedCodeChunks":[],'
    '"codebaseContextChunks":[],"commits":[],'
    '"pullRequests":[],"attachedFolders":[],"images":[],"gitDiffs":[],"toolResults":[],'
    '"suggestedCodeBlocks":[],'
    '"assistantSuggestedDiffs":[],"allThinkingBlocks":[],"capabilities":[],'
    '"tokenCount":{"inputTokens":0,'
    '"outputTokens":0},"isAgentic":true,"unifiedMode":2'
)
_ID, _TIME = "@i@", "@t@"


def database(home: str) -> str:
    """Where the database lies in a home folder."""
    return os.path.join(home, *f"{_USER_DATA}/Cursor/User/globalStorage/state.vscdb".split("/"))


def make(home: str, megabytes: int, seed: int = 1) -> None:
    """Writes a home folder with a database of that size."""
    path = database(home)
    os.makedirs(os.path.dirname(path))
    rng = Random(f"cursor {seed}")
    text = Text(seed)
    steps = [_step(text, rng) for _ in range(STEPS)]
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        for table in _TABLES:
            db.execute(table)
        db.execute("BEGIN")
        number = 0
        while os.path.getsize(path) + os.path.getsize(path + "-wal") < megabytes * 1_000_000:
            db.executemany(
                "INSERT INTO cursorDiskKV VALUES (?, ?)", _conversation(number, steps, rng)
            )
            blobs = [
                (f"agentKv:blob:{rng.getrandbits(256):064x}", opaque(rng, 30_000))
                for _ in range(15)
            ]
            db.executemany("INSERT INTO cursorDiskKV VALUES (?, ?)", blobs)
            number += 1
            if number % 20 == 0:
                db.execute("COMMIT")
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                db.execute("BEGIN")
        db.execute("COMMIT")


def change(path: str, number: int) -> sqlite3.Connection:
    """Adds a message to one conversation, as a running Cursor does; its connection, with the log
    not yet emptied.
    """
    db = sqlite3.connect(path, isolation_level=None)
    key, value = db.execute(
        "SELECT key, value FROM cursorDiskKV WHERE key >= 'composerData:' AND key < "
        "'composerData;' LIMIT 1 OFFSET ?",
        (number,),
    ).fetchone()
    composer_id, bubble_id = key.partition(":")[2], uuid(Random(number))
    header = f',{{"bubbleId":"{bubble_id}","type":1}}]'
    db.execute("BEGIN")
    bubble = (
        f'{{"_v":3,"type":1,"bubbleId":"{bubble_id}","text":"And what about number '
        f'{number}?",'
        f"{_EMPTY}}}"
    )
    db.execute(
        "INSERT INTO cursorDiskKV VALUES (?, ?)", (f"bubbleId:{composer_id}:{bubble_id}", bubble)
    )
    db.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", (key, value.replace("]", header, 1)))
    db.execute("COMMIT")
    return db


def _conversation(number: int, steps: list[str], rng: Random) -> Iterator[tuple[str, str]]:
    composer_id, start = uuid(rng), 1_760_000_000_000 + number * 3_600_000
    headers = []
    for place in range(MESSAGES):
        bubble_id = uuid(rng)
        headers.append(f'{{"bubbleId":"{bubble_id}","type":{1 if place % 20 == 0 else 2}}}')
        text = (
            f'{{"_v":3,"type":1,"text":"Prompt {place} of {number}","createdAt":{start},{_EMPTY}}}'
        )
        if place % 20:
            text = (
                rng.choice(steps).replace(_ID, token(rng)).replace(_TIME, str(start + place * 1000))
            )
        yield f"bubbleId:{composer_id}:{bubble_id}", text
    head = (
        f'"_v":10,"composerId":"{composer_id}","fullConversationHeadersOnly":[{",".join(headers)}]'
    )
    facts = (
        f'"name":"Conversation {number}","createdAt":{start},'
        f'"modelConfig":{{"modelName":"claude-opus-5-5"}}'
    )
    yield f"composerData:{composer_id}", f"{{{head},{facts}}}"


def _step(text: Text, rng: Random) -> str:
    """A message of the assistant: words, thoughts or a tool with its result."""
    head = f'{{"_v":3,"type":2,"createdAt":{_TIME},{_EMPTY}'
    chance = rng.random()
    if chance < 0.25:
        return f'{head},"text":"{text.prose(rng, 8)}"}}'
    if chance < 0.4:
        return (
            f'{head},"text":"","thinking":{{"text":"{text.prose(rng, 12)}",'
            f'"signature":"{opaque(rng, 600)}"}}}}'
        )
    output = text.output(rng, rng.randrange(500, 9000)).replace("\\", "\\\\")
    return (
        f'{head},"text":"","toolFormerData":{{"tool":15,"name":"run_terminal_cmd",'
        f'"toolCallId":"toolu_{_ID}",'
        f'"status":"completed","rawArgs":"{{\\"command\\":\\"make test\\"}}",'
        f'"result":"{{\\"output\\":\\"{output}\\",\\"exitCodeV2\\":0}}"}}}}'
    )


def cached(megabytes: int) -> str:
    """The folder of a corpus, made when it is not there yet."""
    path = os.path.join(_CACHE, f"v{VERSION}-cursor-{megabytes}mb")
    if not os.path.isdir(path):
        shutil.rmtree(path + ".part", ignore_errors=True)
        make(path + ".part", megabytes)
        os.rename(path + ".part", path)
    return path
