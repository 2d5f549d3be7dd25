"""Text with the vocabulary of real sessions: prose, code and what commands print, by size.

Words follow Zipf's law with the constants of real sessions (the ten most frequent words are an
eighth of all words, the first thousand three quarters), sentences and lines are put together from
two halves, and every 20th line of output has a hash that is nowhere else: so indexing costs what it
costs in a real home. A third of all texts have characters outside ASCII. Everything is escaped for
JSON once, when the vocabulary is made.

Real sessions repeat themselves: phrases and lines come again, some of them often, commands are
given again with a word changed, and print what they printed before. So a session has a part of the
vocabulary only (`RealText.part`) and remembers what it printed: zstd makes its texts, and a log,
about as small as real ones.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from copy import copy
from itertools import accumulate
from operator import add
from random import Random

from text import NOUNS, VERBS, WORDS, escaped

FOREIGN_SHARE = 0.4  # of long texts: those with characters outside ASCII
_EXPONENT, _SHIFT = 1.2, 15  # of Zipf's law: frequency = 1 / (rank + shift) ** exponent
_RARE_WORDS = 9_000
_IDENTIFIERS = 4_000
_PART = 250  # lines of each kind that a session has
_PHRASES = 150  # beginnings of sentences that a session has, and as many ends
_COMMON = 12  # the first of these are drawn often, the others less and less
_AGAIN = 0.3  # share of the outputs that begin with what was printed before
_PRINTED = 300  # lines that a session remembers
_SCRIPT = 60  # lines that the commands of a session are taken from
_MORE_WORDS = """
you I but was have will do there they what about just use used using make made run runs see now how
why let look like get need work works also any same other between without while still new old next
last user data json key list string number return self none true false import class def const await
async export default from null undefined error warning info debug test tests src main init config
server request http api docs readme version release package module install python node npm git diff
add added fix fixed bug issue feature refactor cleanup wrong right correct broken slow fast small
large memory cpu disk cache lock thread process signal start stop open close begin end left right
input output format print log logs parse parser token tokens model agent tool prompt answer context
question think step plan done todo maybe probably actually exactly simple hard easy clear explain"""
_START = "b c d f g h j k l m n p r s t v w br cl cr dr fl gr pl pr sc sh sl sp st tr th qu"
_MIDDLE = "a e i o u ai ea ee io ou"
_CLOSE = "b ck d ft g l ll m mp n nd ng nt p r rd rm rt s ss st t x"
_ENDING = "er ing ed ion able ment ness ly or ize al ive s"
_FOREIGN_WORDS = """
größer Prüfung für über naïve café déjà très façon élève señor mañana niño język żeby łatwo České
データ 設定 変更 エラー 処理 测试 文件 错误 修改 한국어 파일 проверка файл ошибка αβγ"""
_SENTENCES = (
    "{C} {w} {w} {w} {w} {w}",
    "{C} {w} {w} {w} {w} {w} {w} {w} {w} {w} {w}",
    "{w} {w}",
    "{C} {w} {w}",
    "{w} {w} {w} {w} `{p}`",
    "{C} {w} {w} {w} {w} {w} {w} {w} #{i}",
)
_BEGINNINGS = (
    "{C} {w} {w}",
    "{C} {w} {w} {w} {w} {w}",
    "{C} {w} {w} `{s}` {w} {w}",
    "{C} {w} {w} {w} {w} {w} {w},",
    "{C} {w} {w} {i} {w} {w}",
    "**{C} {w}**: {w} {w}",
    '{C} {w} "{w} {w}"',
)
_ENDS = (
    " {w} {w}",
    " {w} {w} {w} {w} {w}",
    " {w} {w} {w} {w} {w} {w} {w}",
    " {w} {w} `{p}`",
    " ({w} {w} {i}) {w} {w} {w}",
    " {w} {w} {p}:{i}",
    " {w} {w} {w} {w} #{i}",
)
_FOREIGN_SENTENCES = (
    "{C} {w} {f} {w} {w} {w} {w}",
    "{C} {w} {w} {w} — {w} {w} {w} {w}",
    "{w} → {w}",
    "✅ {C} {w} {w} {w} `{s}`",
    "{C} {w}’s {w} {w} {w} {w}… {w} {w}",
    "{f} {f} {w}",
    "🚀 {C} {w} {f} {w}",
)
_STOPS = (". ", ". ", ". ", "? ", ":\n\n", ".\n\n", ".\n- ", "\n")
_CODE_HEADS = (
    "        self.{s} = ",
    "    {s}: {C} = ",
    "        return self.{w}.",
    "        if {s}.{w} is None or ",
    "    const {w} = await this.",
    "        for {w} in ",
    "def {s}(self, {w}: {C}) -> ",
    "            raise {C}Error(f'{w} {w}' + ",
    "from {w}.{w} import ",
    "        # {C} {w} {w} {w} {w}, ",
    "  {w}: '{w}-{w}', ",
    "        assert {s}({w}) == ",
)
_CODE_TAILS = (
    "{s}({w}, {w}={i})",
    "{w}.{s}[{i}]",
    "{C}{C}.{w}({w})",
    "{w} {w} {w} {w}",
    "[{w} for {w} in {s} if {w}.{w}]",
    '{w}.get("{s}", {i})',
    "{{ {w}: {w}, {w}: {i} }}",
    "{w} or {C}()",
    '"{w}/{w}_{i}.json"',
    "{s},",
)
_OUTPUT_HEADS = (
    "2026-11-{d}T{d}:{d}:{d}.{i}Z INFO  {w}.{w}: ",
    "tests/test_{w}.py::test_{s} ",
    "-rw-r--r-- 1 dev dev {i} Nov {d} {d}:{d} ",
    "{p}:{i}: ",
    "{h} {C} {w} ",
    "  {w}_{w}  ",
    "+    ",
    "     ",
    '  "{s}": ',
)
_OUTPUT_TAILS = (
    "{w} {w}={i} in {i} ms",
    "PASSED [ {d}%]",
    "{s}.py",
    'error: argument {d} to "{s}" has type "{C}"; expected "{C}"',
    "{w} {w} {w} {w} {w} (#{i})",
    "self.{s}({w}, {i})",
    "{w} {w} {w}",
    '{{"{w}": {i}, "{w}": "{w}-{h}"}},',
)
_FOREIGN_OUTPUT = (
    "├── {w}_{w}.py",
    "│   └── {p}",
    "│ {w}  │ {i} │ {w} {w} │",
    "┌──────────┬──────────┐",
    "✓ {w} {w} {w} ({i} ms)",
    "✗ {s} — {w} {w}",
    "→ {p}: {w} {f}",
    "  • {w} {w} “{w}”",
    "# {f} {f}: {w} {w}",
)


class _Frequent:
    """Words from frequent to rare, drawn by Zipf's law."""

    def __init__(self, rng: Random, words: list[str]) -> None:
        self._rng = rng
        self._all = words
        ranks = range(1, len(words) + 1)
        self._weights = list(accumulate(1 / (rank + _SHIFT) ** _EXPONENT for rank in ranks))
        self._drawn: list[str] = []

    def draw(self) -> str:
        """The next word."""
        if not self._drawn:
            self._drawn = self._rng.choices(self._all, cum_weights=self._weights, k=50_000)
        return self._drawn.pop()


class _Draw(dict[str, str]):
    """What the fields of a template stand for, another one each time."""

    def __init__(self, rng: Random) -> None:
        super().__init__()
        self._rng = rng
        self._words = _Frequent(rng, _lexicon(rng))
        names = [f"{self._words.draw()}_{self._words.draw()}" for _ in range(_IDENTIFIERS)]
        self._names = _Frequent(rng, list(dict.fromkeys(names)))
        self._foreign = _FOREIGN_WORDS.split()

    def __getitem__(self, key: str) -> str:
        rng = self._rng
        if key == "w":
            return self._words.draw()
        if key == "C":
            return self._words.draw().capitalize()
        if key == "s":
            return self._names.draw()
        if key == "i":
            return str(rng.randrange(10 ** rng.choice((1, 1, 2, 2, 3, 4))))
        if key == "d":
            return f"{rng.randrange(60):02d}"
        if key == "h":
            return f"{rng.getrandbits(32):08x}"
        if key == "p":
            return f"src/{self._words.draw()}/{self._names.draw()}.py"
        return rng.choice(self._foreign)


class _Lines:
    """Lines to draw from; the first ones come more often than the others."""

    def __init__(self, lines: list[str]) -> None:
        self.all = lines
        self._weights = list(accumulate(1 / (rank + _COMMON) for rank in range(len(lines))))

    def draw(self, rng: Random, count: int) -> list[str]:
        """So many of the lines."""
        return rng.choices(self.all, cum_weights=self._weights, k=count)

    def part(self, rng: Random, size: int) -> _Lines:
        """Some of the lines that follow each other."""
        start = rng.randrange(len(self.all) - size + 1)
        return _Lines(self.all[start : start + size])


class _Halves:
    """Lines that are put together from two halves."""

    def __init__(self, heads: _Lines, tails: _Lines) -> None:
        self.heads = heads
        self.tails = tails

    def draw(self, rng: Random, count: int) -> list[str]:
        """So many lines."""
        return list(map(add, self.heads.draw(rng, count), self.tails.draw(rng, count)))

    def part(self, rng: Random, size: int) -> _Halves:
        """Lines of fewer halves."""
        return _Halves(self.heads.part(rng, size), self.tails.part(rng, size))


class RealText:
    """A vocabulary, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        rng = Random(f"real text {seed}")
        draw = _Draw(rng)
        self._short = _by_length(_sentences(rng, draw, _SENTENCES, 24_000))
        self._short_foreign = _by_length(_sentences(rng, draw, _FOREIGN_SENTENCES, 4_000))
        ends = _Lines(_sentences(rng, draw, _ENDS, 12_000))
        self._sentences = _Halves(_Lines(_filled(rng, draw, _BEGINNINGS, 12_000)), ends)
        self._mean = _mean(self._sentences.heads.all) + _mean(ends.all)
        self._code = _Halves(
            _Lines(_filled(rng, draw, _CODE_HEADS, 12_000)),
            _Lines(_filled(rng, draw, _CODE_TAILS, 12_000)),
        )
        self._output = _Halves(
            _Lines(_filled(rng, draw, _OUTPUT_HEADS, 16_000)),
            _Lines(_filled(rng, draw, _OUTPUT_TAILS, 16_000)),
        )
        self._foreign_output = _Lines(_filled(rng, draw, _FOREIGN_OUTPUT, 4_000))
        self._printed: list[str] = []
        self._script: list[str] = []

    def part(self, rng: Random) -> RealText:
        """The same with fewer phrases and lines: those of one session."""
        part = copy(self)
        part._sentences = self._sentences.part(rng, _PHRASES)
        part._code = self._code.part(rng, _PART)
        part._output = self._output.part(rng, _PART)
        part._foreign_output = self._foreign_output.part(rng, _PART)
        part._printed = []
        part._script = part._output.draw(rng, _SCRIPT)
        return part

    def prose(self, rng: Random, size: int) -> str:
        """Sentences of about so many characters."""
        foreign = rng.random() < FOREIGN_SHARE
        if size < self._mean * 1.5:
            return _near(rng, self._short_foreign if foreign else self._short, size)
        chosen = self._sentences.draw(rng, round(size / self._mean))
        if foreign:
            _sprinkle(rng, chosen, self._short_foreign[1])
        return "".join(chosen)

    def output(self, rng: Random, size: int) -> str:
        """What a command printed, of about that many bytes."""
        count = max(1, size // 43)
        lines = self._printed_before(rng, count)
        fresh = self._output.draw(rng, count - len(lines))
        for index in range(rng.randrange(20), len(fresh), 20):
            fresh[index] = f"{rng.getrandbits(28):07x} {fresh[index]}"
        lines += fresh
        if rng.random() < FOREIGN_SHARE:
            _sprinkle(rng, lines, self._foreign_output.all)
        self._printed = (self._printed + fresh)[-_PRINTED:]
        return "\\n".join(lines)

    def command(self, rng: Random, size: int) -> str:
        """A command of about that many bytes, much like one that was given before."""
        count = max(1, size // 43)
        start = rng.randrange(max(1, len(self._script) - count))
        lines = self._script[start : start + count]
        lines += self._output.draw(rng, count - len(lines))
        for index in range(rng.randrange(8), len(lines), 8):
            lines[index] = self._output.draw(rng, 1)[0]
        return "\\n".join(lines)

    def file(self, rng: Random, lines: int) -> list[str]:
        """The lines of a source file."""
        made = self._code.draw(rng, lines)
        if rng.random() < FOREIGN_SHARE:
            _sprinkle(rng, made, self._foreign_output.all)
        return made

    def changed(self, rng: Random, lines: list[str]) -> list[str]:
        """Lines of a source file after an edit: one more, and a third of them other ones."""
        made = [*lines, *self.file(rng, 1)]
        for index in range(rng.randrange(3), len(lines), 3):
            made[index] = self._code.draw(rng, 1)[0]
        return made

    def files(self, rng: Random, size: int) -> list[list[str]]:
        """The files that a session of that size reads again and again; a small session, few and
        short ones.
        """
        longest = max(60, min(1_000, size // 300))
        count = min(120, 2 + size // 50_000)
        return [self.file(rng, rng.randrange(30, longest)) for _ in range(count)]

    def _printed_before(self, rng: Random, most: int) -> list[str]:
        """Lines that were printed before, or none."""
        if not self._printed or rng.random() >= _AGAIN:
            return []
        start = rng.randrange(len(self._printed))
        return self._printed[start : start + most]


def _lexicon(rng: Random) -> list[str]:
    """Words from frequent to rare: those of English and of programs, then made ones."""
    start, middle, close = _START.split(), _MIDDLE.split(), _CLOSE.split()
    endings = _ENDING.split() + [""] * 14
    made = set()
    while len(made) < _RARE_WORDS:
        syllables = [
            rng.choice(start) + rng.choice(middle) + rng.choice(close)
            for _ in range(rng.choice((1, 1, 2)))
        ]
        made.add("".join(syllables) + rng.choice(endings))
    rare = sorted(made)
    rng.shuffle(rare)
    known = list(dict.fromkeys([*WORDS, *_MORE_WORDS.split(), *NOUNS, *VERBS]))
    return known + [word for word in rare if word not in known]


def _filled(rng: Random, draw: _Draw, templates: Iterable[str], count: int) -> list[str]:
    """So many lines of the templates."""
    return [escaped(one.format_map(draw)) for one in rng.choices(tuple(templates), k=count)]


def _sentences(rng: Random, draw: _Draw, templates: Iterable[str], count: int) -> list[str]:
    return [one + escaped(rng.choice(_STOPS)) for one in _filled(rng, draw, templates, count)]


def _by_length(texts: list[str]) -> tuple[list[int], list[str]]:
    texts.sort(key=len)
    return [len(text) for text in texts], texts


def _near(rng: Random, pool: tuple[list[int], list[str]], size: int) -> str:
    """One of the texts of about that length."""
    lengths, texts = pool
    at = bisect_left(lengths, size) + rng.randrange(-60, 60)
    return texts[min(max(at, 0), len(texts) - 1)]


def _mean(texts: list[str]) -> float:
    return sum(map(len, texts)) / len(texts)


def _sprinkle(rng: Random, lines: list[str], pool: list[str]) -> None:
    """Replaces a few of the lines, one at least, by lines of the pool."""
    for _ in range(1 + len(lines) // 15):
        lines[rng.randrange(len(lines))] = rng.choice(pool)
