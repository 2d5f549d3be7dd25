"""Text becomes the same words on every path: the fast ones are compared with what they replace."""

from __future__ import annotations

import re
import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from agent_journal.search.terms import humps, prepared
from agent_journal.search.words import words
from agent_journal.text.plain import without_escapes

MARKS = re.compile("[\u0300-\u036f]+")
CJK = re.compile(
    r"([\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u30ff"
    r"\u3130-\u318f\u31f0-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003fffd])"
)
# Characters that meet others: accents, jamo, kana with marks, symbols with a stroke, emoji, escapes
AWKWARD = "éÅñłßйё\u0301\u0338\u0345\u1100\u1161\u11a8か\u3099한検索①™ﬁ²≠↚…─→✅\ufe0f🚀\x1b[0m\x9b"
TEXTS = st.text(st.characters() | st.sampled_from(AWKWARD + "aAbBzZ019_- .\n"), max_size=40)
WORDS = st.text(st.sampled_from("abcABC019_ é→検"), max_size=24)
CHUNK = 4096


def slowly_prepared(text: str) -> str:
    bare = MARKS.sub("", unicodedata.normalize("NFD", without_escapes(text)))
    return CJK.sub(r" \1 ", unicodedata.normalize("NFC", bare))


def slow_humps(text: str) -> list[str]:
    found = []
    for word in set(re.findall(r"[A-Za-z0-9]{4,}", text)):
        if not (word.islower() or word[1:].islower() or word.isupper()):
            found.append(re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", word))
    return sorted(" ".join(found).split())


def slow_words(text: str) -> list[str]:
    text = MARKS.sub("", unicodedata.normalize("NFKD", text))
    found = []
    for run in re.findall(r"[A-Za-z]{2,}|(?<![0-9])[0-9]{1,4}(?![0-9])", text):
        if len(run) > 40:
            continue
        found.append(run.lower())
        if not (run.islower() or run.isdigit() or run[1:].islower() or run.isupper()):
            parts = re.findall(r"[A-Z]{2,}(?=s(?![a-z]))|[A-Z]+(?![a-z])|[A-Z]?[a-z]+", run)
            found += [part.lower() for part in parts if len(part) > 1]
    return found


def every_character() -> list[str]:
    """Every code point of the planes with characters, alone, inside a word and with an accent."""
    texts = []
    for first in (*range(0, 0x32000, CHUNK), 0xE0000, 0xF0000, 0x10F000):
        characters = map(chr, range(first, first + CHUNK))
        texts.append("\n".join(f"{c} a{c}b {c}\u0301" for c in characters))
    return texts


EVERY_CHARACTER = every_character()


@settings(deadline=None)
@given(TEXTS | WORDS)
def test_text_is_prepared_alike(text: str) -> None:
    assert prepared(text) == slowly_prepared(text)


def test_every_character_is_prepared_alike() -> None:
    for text in EVERY_CHARACTER:
        assert prepared(text) == slowly_prepared(text)


@settings(deadline=None)
@given(st.lists(TEXTS | WORDS))
def test_texts_are_prepared_together_as_they_are_alone(texts: list[str]) -> None:
    assert prepared("\n".join(texts)) == "\n".join(map(prepared, texts))


@settings(deadline=None)
@given(TEXTS | WORDS)
def test_humps_are_found_alike(text: str) -> None:
    assert sorted(humps(text).split()) == slow_humps(text)


def test_humps_of_every_character_are_found_alike() -> None:
    for text in EVERY_CHARACTER:
        camel = text.replace("a", "getA")
        assert sorted(humps(camel).split()) == slow_humps(camel)


def test_long_numbers_are_parts() -> None:
    found = humps("1234 12345x 123 x1234 v1.2024").split()
    assert sorted(found) == ["1234", "2024"]


@settings(deadline=None)
@given(TEXTS | WORDS | st.text("aB1", min_size=30, max_size=90))
def test_words_are_found_alike(text: str) -> None:
    assert words(text) == slow_words(text)


def test_words_with_every_character_are_found_alike() -> None:
    for text in EVERY_CHARACTER:
        assert words(text) == slow_words(text)
