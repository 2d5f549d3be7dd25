"""Pairs of query and passage for tune.py, from the sources ``train`` and ``pairs``: ->
WORK/mined.jsonl.gz.

    python mine.py WORK [--cap 1500]

One line per pair: ``{"s": source, "k": kind, "q": query, "p": passage}``. Besides the three kinds
of pairs.py:

* said: the first sentence of a docstring -> the rest of the docstring,
* lead: the first sentence of a section -> the rest of the section,
* comment: a comment of several words -> the lines of code under it,
* cloze: one line or sentence of a chunk (collect.py) -> the chunk without it.

At most ``cap`` pairs of a kind from one source, half as many from a ``pairs`` source, chosen by
checksum; a query that another pair has already is left out, since the two passages would be told
apart although both are right.
"""

import argparse
import ast
import gzip
import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, groupby
from multiprocessing import Pool
from zlib import crc32

import carry
import pairs
import sources
from collect import CHANGE, CODE, RULE, ascii_share, chunks_of, members, plain
from pairs import Pair
from words import words

SPLIT = re.compile(r"(?<=[a-z0-9)`'\"*])[.!?:]\s+|\n\s*\n")
MARK = re.compile(r"^\s*(?:#+|//+!?|/\*+|\*+(?!/)|--)\s?(.*?)(?:\*/)?\s*$")
BUNDLED = re.compile(
    r"(^|/)(deps|externals?|bundled?|subprojects|submodules|contrib|lib[a-z0-9]+src)/"
)
UNDER = 25  # lines of code that a comment is paired with
Found = tuple[str, str, str]  # kind, query, passage


def fits(query: str, passage: str, least: int = 20) -> bool:
    """Whether both sides are long enough to mean something."""
    return 4 <= len(words(query)) <= 30 and len(words(passage)) >= least


def split(text: str) -> Iterator[Pair]:
    """The first sentence of a text and the rest."""
    cut = SPLIT.search(text)
    if cut and fits(text[: cut.start()], text[cut.end() :]):
        yield " ".join(text[: cut.start()].split()), text[cut.end() :].strip()


def said(text: str) -> Iterator[Pair]:
    """Docstrings of modules, classes and functions, split after the first sentence."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from split(ast.get_docstring(node) or "")


def leads(text: str) -> Iterator[Pair]:
    """Sections of documentation, split after the first sentence."""
    for _, body in pairs.sections(text):
        yield from split(body)


def comments(text: str) -> Iterator[Pair]:
    """Runs of comment lines and the code under them, up to the next blank line after five lines of
    code.
    """
    lines = text.split("\n")
    runs = [
        (key, list(group))
        for key, group in groupby(enumerate(lines), key=lambda x: bool(MARK.match(x[1])))
    ]
    for is_comment, run in runs:
        if not is_comment:
            continue
        query = " ".join(match.group(1) for _, line in run if (match := MARK.match(line))).strip()
        after = run[-1][0] + 1
        code = lines[after : after + UNDER]
        stop = next((n for n, line in enumerate(code) if n >= 5 and not line.strip()), UNDER)
        passage = "\n".join(line for line in code[:stop] if not MARK.match(line))
        if fits(query, passage) and not re.search(r"copyright|licen[cs]e", query, re.I):
            yield query, passage


def readers(path: str) -> list[tuple[str, Callable[[str], Iterator[Pair]]]]:
    """Which kinds of pairs a file can give."""
    if path.endswith(".py"):
        return [("docstring", pairs.docstrings), ("said", said), ("comment", comments)]
    if path.endswith(CODE):
        return [("comment", comments)]
    if path.endswith((".md", ".rst", ".txt")) or "." not in path:
        if CHANGE.search(path):
            return [("change", pairs.entries)]
        return [("heading", pairs.sections), ("lead", leads)]
    return []


def mine(cap: int, work: str, source: sources.Source) -> list[Found]:
    """The pairs of one source but for its chunks."""
    kinds: dict[str, set[Pair]] = defaultdict(set)
    cap = cap if source.role == "train" else cap // 2
    for path, data in members(source, work):
        if not readers(path) or (source.role == "pairs" and BUNDLED.search(path)):
            continue
        text = plain(data.decode("utf-8", "replace").replace("\r\n", "\n"), path)
        if re.search(r"(^|/)tests?/", path) or ascii_share(text) < 0.97:
            continue
        for kind, read in readers(path):
            kinds[kind].update(
                (query, pairs.shorten(passage, pairs.LONGEST)) for query, passage in read(text)
            )
    return [(kind, *pair) for kind, found in sorted(kinds.items()) for pair in first(found, cap)]


def first(found: set[Pair], cap: int) -> list[Pair]:
    """The first pairs in checksum order."""
    return sorted(found, key=lambda pair: (crc32("\n".join(pair).encode()), pair))[:cap]


def cloze(text: str) -> Iterator[Pair]:
    """One line or sentence of a chunk, chosen by checksum, and what is around it."""
    parts = [part for part in re.split(r"(?<=[.!?])\s+|\n", text) if not RULE.fullmatch(part)]
    good = [n for n, part in enumerate(parts) if 4 <= len(words(part)) <= 30]
    if good:
        chosen = good[crc32(text.encode()) % len(good)]
        rest = "\n".join(part for n, part in enumerate(parts) if n != chosen)
        if fits(parts[chosen], rest):
            yield parts[chosen].strip(), rest


def cut(cap: int, work: str, source: sources.Source) -> list[tuple[str, str, str]]:
    """The chunks of a source that collect.py leaves out."""
    return chunks_of((source, work, cap // 2))


def everything(work: str, cap: int) -> Iterator[tuple[str, Found]]:
    """All pairs, with their source."""
    rows = [row for row in sources.read() if row.role != "held"]
    more = [row for row in rows if row.role == "pairs"]
    with Pool(2) as pool:
        for row, found in zip(rows, pool.imap(partial(mine, cap, work), rows), strict=True):
            yield from ((row.name, pair) for pair in found)
        later = (
            (name, text)
            for found in pool.imap(partial(cut, cap, work), more)
            for name, _, text in found
        )
        for name, text in chain(((row["s"], row["t"]) for row in carry.chunk_rows(work)), later):
            yield from ((name, ("cloze", *pair)) for pair in cloze(text))


def main() -> None:
    """Write the pairs and count them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work")
    parser.add_argument("--cap", type=int, default=1500)
    given = parser.parse_args()
    seen: set[str] = set()
    kinds: Counter[str] = Counter()
    target = os.path.join(given.work, "mined.jsonl.gz")
    with open(target, "wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as out:
        for name, (kind, query, passage) in everything(given.work, given.cap):
            key = " ".join(words(query))
            if key not in seen:
                seen.add(key)
                kinds[kind] += 1
                out.write(
                    json.dumps({"s": name, "k": kind, "q": query, "p": passage}).encode() + b"\n"
                )
    print(f"{kinds.total()} pairs: {dict(kinds)}")


if __name__ == "__main__":
    main()
