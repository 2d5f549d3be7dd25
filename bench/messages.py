"""A home of many short messages, to ask an index of that size: prompts and answers in the shape of
Claude Code.

The words follow Zipf's law, as in any language: the first are in every second message, the last in
a few of a million.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Container
from datetime import UTC, datetime
from itertools import accumulate
from random import Random

from text import NOUNS, VERBS, WORDS, uuid

VERSION = 2
_CACHE = os.path.join(os.path.dirname(os.path.abspath(__file__)), ".corpus")
FLOOD = "floodgate"
FLOOD_PROJECT = "-home-dev-flood"  # folder of the session in which every message has it
_SESSION = 200  # messages
_FIRST = 1_790_000_000
_MODELS = ("claude-opus-5-5", "claude-sonnet-4-5", "claude-haiku-4-5")
_SYLLABLES = (
    "ba",
    "con",
    "de",
    "fil",
    "gra",
    "hex",
    "in",
    "jo",
    "ker",
    "lo",
    "mi",
    "nor",
    "os",
    "pre",
    "qua",
    "ri",
    "sub",
    "ter",
    "un",
    "vec",
    "wa",
    "xy",
    "yon",
    "zu",
)


class Vocabulary:
    """Words from frequent to rare."""

    def __init__(self, rng: Random, size: int = 40_000) -> None:
        made = {"".join(rng.choices(_SYLLABLES, k=rng.randrange(2, 5))) for _ in range(size)}
        self.words = [*WORDS, *NOUNS, *VERBS, *sorted(made)]
        self._weights = list(accumulate(1 / (rank + 10) for rank in range(len(self.words))))

    def text(self, rng: Random, count: int) -> str:
        """So many words, by their frequency."""
        return " ".join(rng.choices(self.words, cum_weights=self._weights, k=count))


def vocabulary(count: int) -> Vocabulary:
    """The words of a home with so many messages."""
    return Vocabulary(Random(f"messages {count}"))


def cached(count: int) -> str:
    """The folder of a home with so many messages, made when it is not there yet."""
    return _cached(f"messages-v{VERSION}-{count}", lambda out: make(out, count))


def cached_flood(count: int) -> str:
    """The same for a home with a session of so many messages that all have one word."""
    return _cached(f"flood-v{VERSION}-{count}", lambda out: make_flood(out, count))


def _cached(name: str, write: Callable[[str], None]) -> str:
    path = os.path.join(_CACHE, name)
    if not os.path.isdir(path):
        part = path + ".part"
        shutil.rmtree(part, ignore_errors=True)
        write(part)
        os.rename(part, path)
    return path


def make(out: str, count: int) -> None:
    """Writes the sessions."""
    rng = Random(f"messages {count}")
    vocabulary = Vocabulary(rng)
    for start in range(0, count, _SESSION):
        numbers = range(start, min(count, start + _SESSION))
        project = f"project-{start // _SESSION % 50}"
        _write_session(out, project, rng, vocabulary, numbers, ())


def make_flood(out: str, count: int) -> None:
    """Writes a session in which every message has the word FLOOD, and as many messages in other
    sessions, of which every tenth has it.
    """
    rng = Random(f"flood {count}")
    vocabulary = Vocabulary(rng)
    _write_session(out, "flood", rng, vocabulary, range(count), range(count))
    for start in range(count, 2 * count, _SESSION):
        numbers = range(start, start + _SESSION)
        _write_session(out, "other", rng, vocabulary, numbers, numbers[::10])


def _write_session(
    out: str,
    project: str,
    rng: Random,
    vocabulary: Vocabulary,
    numbers: range,
    flooded: Container[int],
) -> None:
    """Writes one session; `flooded` are the messages that have the word FLOOD."""
    session = uuid(rng)
    folder = os.path.join(out, ".claude", "projects", f"-home-dev-{project}")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, f"{session}.jsonl"), "w", encoding="utf-8") as file:
        parent = "null"
        for number in numbers:
            own = f'"{uuid(rng)}"'
            text = vocabulary.text(rng, rng.randrange(6, 60))
            if number in flooded:
                text = f"{FLOOD} {text}"
            file.write(_line(text, session, parent, own, number))
            parent = own


def _line(text: str, session: str, parent: str, own: str, number: int) -> str:
    when = datetime.fromtimestamp(_FIRST + number, UTC).isoformat()[:19] + ".000Z"
    rest = (
        f'"uuid":{own},"timestamp":"{when}","cwd":"/home/dev/project",'
        f'"sessionId":"{session}","version":"2.1.325",'
        '"isSidechain":false,"userType":"external","gitBranch":"main"}\n'
    )
    if number % 2 == 0:
        return (
            f'{{"parentUuid":{parent},"type":"user","message":{{"role":"user",'
            f'"content":"{text}"}},{rest}'
        )
    said = f'[{{"type":"text","text":"{text}"}}]'
    model, usage = _MODELS[number // 2 % len(_MODELS)], _usage(number)
    message = (
        f'{{"id":"msg_{number}","type":"message","role":"assistant","model":"{model}",'
        f'"content":{said},{usage}}}'
    )
    return f'{{"parentUuid":{parent},"type":"assistant","message":{message},{rest}'


def _usage(number: int) -> str:
    return (
        f'"usage":{{"input_tokens":{number % 977},"output_tokens":{number % 1499},'
        f'"cache_read_input_tokens":{number % 99991},'
        f'"cache_creation_input_tokens":{number % 4999}}}'
    )
