"""A session of Gemini CLI as one document, with few or many messages around long results."""

from __future__ import annotations

import os
import shutil
from random import Random

from text import Text

_CACHE = os.path.join(os.path.dirname(os.path.abspath(__file__)), ".corpus")
_HEAD = (
    '{"sessionId":"d0c00000-0000-4000-8000-000000000001","projectHash":"fig",'
    '"startTime":"2026-01-10T20:00:00.000Z","lastUpdated":"2026-01-10T23:00:00.000Z","messages":['
)
_TIME = '"timestamp":"2026-01-10T20:00:00.000Z"'


def cached(size: int, result: int) -> str:
    """The home of one document of about `size` bytes, with results of about `result` bytes."""
    path = os.path.join(_CACHE, f"v1-gemini-{size // 1_000_000}mb-{result // 1000}kb")
    if not os.path.isdir(path):
        part = path + ".part"
        shutil.rmtree(part, ignore_errors=True)
        _make(part, size, result)
        os.rename(part, path)
    return path


def _make(home: str, size: int, result: int) -> None:
    folder = os.path.join(home, ".gemini/tmp/fig/chats")
    os.makedirs(folder)
    text = Text(1)
    rng = Random(1)
    name = os.path.join(folder, "session-2026-01-10T20-00-d0c00000.json")
    with open(name, "w", encoding="utf-8") as file:
        file.write(_HEAD)
        number = 0
        while file.tell() < size:
            if number:
                file.write(",")
            file.write(_turn(text, rng, number, result))
            number += 1
        file.write("]}")


def _turn(text: Text, rng: Random, number: int, result: int) -> str:
    """A prompt, and an answer with one call."""
    output = text.output(rng, rng.randrange(result // 2, result * 3 // 2))
    return (
        f'{{"id":"u{number}",{_TIME},"type":"user","content":"{text.prose(rng, 4)}"}},'
        f'{{"id":"g{number}",{_TIME},"type":"gemini","content":"{text.prose(rng, 8)}",'
        f'"model":"gemini-2.5-pro","toolCalls":[{{"id":"read_file-{number}","name":"read_file",'
        f'"args":{{"file_path":"/home/dev/fig/part_{number % 300}.py"}},"status":"success",'
        f'"result":[{{"functionResponse":{{"id":"read_file-{number}","name":"read_file",'
        f'"response":{{"output":"{output}"}}}}}}]}}]}}'
    )
