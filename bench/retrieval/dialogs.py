"""Dialogs with questions whose sessions are known: what search over whole sessions is measured
with.

Two forms of file are read:

* our own (the folder `dialogs`): the invented sessions of one developer or team, and questions of
  five kinds: question, date, typo, paraphrase, command,
* that of LoCoMo: a list of conversations between two people, with questions that name the turns
  which answer them. The first speaker is taken for the user, the second for the assistant.
"""

from __future__ import annotations

import glob
import json
import os
import re
from datetime import datetime
from typing import Any, NamedTuple

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "dialogs")
KINDS = ("question", "date", "typo", "paraphrase", "command")
_NONSENSE = "nonsense.json"
_SESSION_KEY = re.compile(r"session_(\d+)")
_EVIDENCE = re.compile(r"D(\d+):")  # D8:6 is turn 6 of session 8
_LOCOMO_DATE = "%I:%M %p on %d %B, %Y"  # 1:56 pm on 8 May, 2023


class Turn(NamedTuple):
    """What one side said."""

    role: str
    text: str


class Session(NamedTuple):
    """One conversation."""

    date: datetime | None
    title: str | None
    turns: list[Turn]


class Question(NamedTuple):
    """What somebody looks for, and the places in the list of the sessions that answer it."""

    text: str
    sessions: frozenset[int]
    kind: str


class Home(NamedTuple):
    """All sessions of one person or team, and the questions about them."""

    name: str
    sessions: list[Session]
    questions: list[Question]


def own_homes() -> list[Home]:
    """The homes that were invented for this project."""
    paths = sorted(glob.glob(os.path.join(FOLDER, "*.json")))
    return [home for path in paths if os.path.basename(path) != _NONSENSE for home in read(path)]


def nonsense() -> list[str]:
    """Queries that must find nothing."""
    queries: list[str] = _load(os.path.join(FOLDER, _NONSENSE))["queries"]
    return queries


def read(path: str) -> list[Home]:
    """The homes of a file in either form."""
    content = _load(path)
    name = os.path.splitext(os.path.basename(path))[0]
    if isinstance(content, dict):
        return [_own(name, content)]
    return [_locomo(f"{name}-{place}", sample) for place, sample in enumerate(content)]


def _load(path: str) -> Any:
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def _own(name: str, content: dict[str, Any]) -> Home:
    sessions = []
    for record in content["sessions"]:
        turns = [Turn(role, text) for role, text in record["turns"]]
        date = datetime.fromisoformat(record["date"])
        sessions.append(Session(date, record["title"], turns))
    questions = [
        Question(record["question"], frozenset(record["sessions"]), record["kind"])
        for record in content["questions"]
    ]
    return Home(name, sessions, questions)


def _locomo(name: str, sample: dict[str, Any]) -> Home:
    conversation = sample["conversation"]
    numbers = _session_numbers(conversation)
    speakers = _speakers(conversation, numbers)
    sessions = [_locomo_session(conversation, number, speakers) for number in numbers]
    places = {number: place for place, number in enumerate(numbers)}
    questions = []
    for record in sample["qa"]:
        named = _evidence(record.get("evidence"))
        gold = frozenset(places[number] for number in named if number in places)
        if gold:
            questions.append(Question(str(record["question"]), gold, "question"))
    return Home(name, sessions, questions)


def _session_numbers(conversation: dict[str, Any]) -> list[int]:
    """The numbers of the sessions that have turns; some have a date only."""
    numbers = []
    for key, turns in conversation.items():
        found = _SESSION_KEY.fullmatch(key)
        if found and turns:
            numbers.append(int(found[1]))
    return sorted(numbers)


def _speakers(conversation: dict[str, Any], numbers: list[int]) -> list[str]:
    """Everybody who speaks, in the order of their first turns."""
    seen: dict[str, None] = {}
    for number in numbers:
        for turn in conversation[f"session_{number}"]:
            seen[turn["speaker"]] = None
    return list(seen)


def _locomo_session(conversation: dict[str, Any], number: int, speakers: list[str]) -> Session:
    turns = []
    for record in conversation[f"session_{number}"]:
        speaker = record["speaker"]
        role = "assistant"
        if speaker == speakers[0]:
            role = "user"
        turns.append(Turn(role, f"{speaker}: {record['text']}"))
    return Session(_locomo_date(conversation.get(f"session_{number}_date_time")), None, turns)


def _locomo_date(text: str | None) -> datetime | None:
    try:
        return datetime.strptime(text or "", _LOCOMO_DATE)
    except ValueError:
        return None


def _evidence(evidence: object) -> set[int]:
    """The numbers of the sessions in a list such as ["D1:3", "D8:6; D9:17", "D", ""]."""
    if not isinstance(evidence, list):
        return set()
    return {int(number) for text in evidence for number in _EVIDENCE.findall(str(text))}
