"""Text that looks like what tools print: code, logs, listings, prose. Escaped for JSON once, when
it is made.

Lines are random choices from a vocabulary, which is fast, and which zstd can shorten about as much
as real sessions (0.15 to 0.25 of the size at level 3).
"""

from __future__ import annotations

import base64
import json
import os
from operator import add
from random import Random
from typing import TextIO

_NOUNS = """
request response session cursor batch record account invoice header token bucket worker queue tree
node index message payload schema column migration route handler client socket buffer frame chunk
digest archive catalog snapshot branch commit patch hunk filter window page offset limit retry
deadline policy quota ledger entry"""
_VERBS = (
    "load store parse fetch merge split apply revert flush close open check count drain seal "
    "index rotate read"
)
_WORDS = """
the a of to and in is it that for on with this as be by not are from or an at we when one which
has more all can if no out so up into only then than its over after first also because each where
before change test file code function value error line case call type name path state time check
result build default option failing passes update remove instead already should would still keep
move write reads both never empty missing"""
NOUNS, VERBS, WORDS = _NOUNS.split(), _VERBS.split(), _WORDS.split()
TYPES = (
    "int",
    "str",
    "bytes",
    "bool",
    "float",
    "Path",
    "datetime",
    "Iterator",
    "Mapping",
    "Sequence",
    "Callable",
)
CODE = (
    "    def {v}_{n}(self, {n2}: {T}) -> {T2}:",
    "        return self.{n}.{v}({n2}, limit={i})",
    "        if {n}.{n2} is None or {n}.{v}_count > {i}:",
    '            raise {N}Error(f"cannot {v} {n2} {{{n}.{n3}}}")',
    "        self._{n}_{n2} = {N}({n3}={i}, {v}=True)",
    "        for {n} in self.{v}_{n2}s({n3}):",
    "            {n}s.append(({n}.{n2}, {n}.{n3} or {i}))",
    "from {n}.{n2} import {N}, {v}_{n3}",
    "class {N}{N2}({T}):",
    '    """{V} the {n} of a {n2} before its {n3}."""',
    '        with self.{n}.{v}() as {n2}, open("{n3}_{i}.json") as file:',
    '        assert {n}.{v}({n2}) == [{i}, {j}], "{n3}"',
    "    const {n} = await this.{v}{N2}({n2}, {{ {n3}: {i} }});",
    "    {n}: {T} = field(default={i})  # {n2} {n3}",
)
# Lines of output have two halves, each from its own vocabulary: logs repeat their words, not their
# lines.
HEADS = (
    "2026-11-{d:02d}T{h:02d}:{m:02d}:{s:02d}.{ms:03d}Z INFO  {n}.{n2}: ",
    "2026-11-{d:02d}T{h:02d}:{m:02d}:{s:02d}.{ms:03d}Z WARN  {n}.{v}: ",
    "tests/test_{n}.py::test_{v}_{n2}[{i}] ",
    "-rw-r--r-- 1 dev dev {i:7d} Nov {d:2d} {h:02d}:{m:02d} ",
    "src/{n}/{v}_{n2}.py:{i}:{d}: ",
    "{hash} {V} {n} ",
)
TAILS = (
    "{v} {n3}={i} in {j} ms",
    "{n3} {i} is slow ({j} ms)",
    "PASSED [{d2:3d}%] {ms} us",
    "{n}_{n2}_{j}.py",
    'error: Argument {d2} to "{v}" has type "{T}"; expected "{T2}"',
    "        self.{v}({n3}, {j})",
    "before {n2} ({n3} #{i})",
)


def escaped(text: str) -> str:
    """Text as it stands between the quotes of a JSON string."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


class Text:
    """A vocabulary, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        rng = Random(f"vocabulary {seed}")
        self.code = [_line(rng, CODE) for _ in range(20_000)]
        self.heads = [_line(rng, HEADS) for _ in range(10_000)]
        self.tails = [_line(rng, TAILS) + "\\n" for _ in range(10_000)]
        self.sentences = [_sentence(rng) for _ in range(10_000)]

    def prose(self, rng: Random, sentences: int) -> str:
        """Paragraphs."""
        return " ".join(rng.choices(self.sentences, k=sentences))

    def output(self, rng: Random, size: int) -> str:
        """What a command printed, of about that many bytes."""
        count = max(1, size // 66)
        return "".join(map(add, rng.choices(self.heads, k=count), rng.choices(self.tails, k=count)))

    def file(self, rng: Random, lines: int) -> list[str]:
        """The lines of a source file."""
        return rng.choices(self.code, k=lines)

    def files(self, rng: Random, size: int) -> list[list[str]]:
        """The files that a session of that size reads again and again; a small session, few and
        short ones.
        """
        longest = max(40, min(600, size // 400))
        return [
            self.file(rng, rng.randrange(30, longest)) for _ in range(min(120, 2 + size // 50_000))
        ]


def close(out: TextIO, now_ms: int) -> None:
    """Closes a log, which then has the time of its last record, as if it had just been written."""
    out.close()
    os.utime(out.name, (now_ms / 1000, now_ms / 1000))


def opaque(rng: Random, size: int) -> str:
    """Base64 of random bytes: signatures, images. Nothing can be saved on it but the base64."""
    return base64.b64encode(rng.randbytes(size)).decode()


def uuid(rng: Random) -> str:
    """A random UUID, four times faster than uuid.uuid4."""
    digits = f"{rng.getrandbits(128):032x}"
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"


def token(rng: Random) -> str:
    """The random part of an API id."""
    return f"{rng.getrandbits(120):030x}"[:24]


def _line(rng: Random, templates: tuple[str, ...]) -> str:
    n, n2, n3 = rng.choices(NOUNS, k=3)
    verb = rng.choice(VERBS)
    kind, kind2 = rng.choices(TYPES, k=2)
    return escaped(
        rng.choice(templates).format(
            n=n,
            n2=n2,
            n3=n3,
            N=n.title(),
            N2=n2.title(),
            v=verb,
            V=verb.title(),
            T=kind,
            T2=kind2,
            i=rng.randrange(9999),
            j=rng.randrange(999),
            d=rng.randrange(1, 29),
            d2=rng.randrange(100),
            h=rng.randrange(24),
            m=rng.randrange(60),
            s=rng.randrange(60),
            ms=rng.randrange(1000),
            hash=f"{rng.getrandbits(40):010x}",
        )
    )


def _sentence(rng: Random) -> str:
    words = rng.choices(WORDS, k=rng.randrange(6, 18))
    noun, verb = rng.choice(NOUNS), rng.choice(VERBS)
    words[len(words) // 2] = f"`{verb}_{noun}`" if rng.random() < 0.5 else noun
    if rng.random() < 0.02:
        words[0] = rng.choice(("größer", "naïve", "データ", "—"))
    return escaped(" ".join(words).capitalize() + rng.choice((".", ".", ".", ":\n\n", ".\n- ")))
