"""Invents code: functions of the statements of a language and the words of a repository."""

from __future__ import annotations

import re
from random import Random

from bench.provenance.languages import LANGUAGES, Language

_NOUNS = (
    "order invoice customer cart parcel refund voucher stock shelf driver route ticket coupon "
    "vendor payment ledger account address basket review rating supplier batch pallet depot "
    "scanner label"
)
_VERBS = "load save merge check count parse send fetch apply split build reset close move list find"
_FIELDS = (
    "price amount weight status total owner region created name code limit depth score height "
    "currency quantity discount tax token state color number reason source target"
)
_NAME = re.compile(r"\{(\w+)\}")
_NUMBERS = (0, 1, 2, 3, 5, 8, 10, 10, 20, 50, 100, 100, 250, 1000)
_WORDS_OF_A_REPOSITORY = {"noun": 14, "verb": 12, "field": 16}
_EVERYBODY_WRITES = 0.6  # against statements with words of the repository
_ODD_NUMBERS = 0.5  # the share of numbers that are not round


class Coder:
    """Writes functions in the words of one repository, so that sessions write alike."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.words = {
            "noun": random.sample(_NOUNS.split(), _WORDS_OF_A_REPOSITORY["noun"]),
            "verb": random.sample(_VERBS.split(), _WORDS_OF_A_REPOSITORY["verb"]),
            "field": random.sample(_FIELDS.split(), _WORDS_OF_A_REPOSITORY["field"]),
        }

    def language(self) -> Language:
        """Return one of the languages."""
        return self.random.choices(LANGUAGES, weights=(5, 4, 3, 2, 1))[0]

    def name(self) -> str:
        """Return the name of a file, without its ending."""
        return f"{self._word('noun')}_{self._word('verb')}"

    def phrase(self) -> str:
        """Return what somebody asks for, or says in the subject of a commit."""
        return f"{self._word('verb')} the {self._word('field')} of each {self._word('noun')}"

    def head(self, language: Language) -> list[str]:
        """Return the first lines of a file."""
        return self._filled(language.imports, self._values())

    def function(self, language: Language) -> list[str]:
        """Return a whole function."""
        values = self._values()
        lines = [""]
        if self.random.random() < 0.4:
            lines += self._filled((language.comment,), values)
        lines += self._filled(language.opening, values)
        count = min(self.random.randint(2, 7), len(language.statements))
        for statement in self._chosen(language, count):
            # Some statements are about something else than the rest of the function.
            other = self._values() if self.random.random() < 0.4 else values
            lines += [language.step + line for line in self._filled(statement, other)]
        return lines + self._filled(language.closing, values)

    def statement(self, language: Language) -> list[str]:
        """Return one statement inside a function."""
        lines = self._filled(self._chosen(language, 1)[0], self._values())
        return [language.step + line for line in lines]

    def _chosen(self, language: Language, count: int) -> list[tuple[str, ...]]:
        """Return different statements; those that everybody writes come less often."""
        order = {
            statement: self.random.random() * (1 if "{" in statement[0] else _EVERYBODY_WRITES)
            for statement in language.statements
        }
        return sorted(language.statements, key=lambda statement: -order[statement])[:count]

    def changed(self, line: str) -> str:
        """Return a line with a small change: another number, another word, or one more."""
        numbers = re.findall(r"\d+", line)
        if numbers and self.random.random() < 0.6:
            return line.replace(numbers[-1], str(self.random.randint(2, 997)), 1)
        for kind in ("field", "verb", "noun"):
            for word in self.words[kind]:
                if word in line:
                    return line.replace(word, self._word(kind), 1)
        return f"{line}  {self._word('noun')}_{self.random.randint(2, 997)}"

    def _values(self) -> dict[str, str]:
        found = {name: self._word(name) for name in self.words}
        found |= {f"{name}2": self._word(name) for name in self.words}
        capitals = {name.capitalize(): word.capitalize() for name, word in found.items()}
        found |= capitals | {name.upper(): word.upper() for name, word in found.items()}
        return found | {"n": str(self._number()), "m": str(self._number())}

    def _number(self) -> int:
        if self.random.random() < _ODD_NUMBERS:
            return self.random.randint(4, 5000)
        return self.random.choice(_NUMBERS)

    def _word(self, kind: str) -> str:
        return self.random.choice(self.words[kind])

    def _filled(self, lines: tuple[str, ...], values: dict[str, str]) -> list[str]:
        return [_NAME.sub(lambda name: values.get(name[1], name[0]), line) for line in lines]
