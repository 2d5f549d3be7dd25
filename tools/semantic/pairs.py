"""Three sets of query and passage from the held-out sources, for evaluate.py.

* change: the first sentence of a changelog entry (or release note) -> the rest of the entry,
* docstring: the first sentence of a Python docstring -> the function without its docstring,
* heading: the heading of a documentation section -> the section.

Pairs are chosen by checksum, at most a sixth of a set from one source, no query twice.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from zlib import crc32

import sources
from collect import CHANGE, RULE, members
from words import words

SIZE = 1000
LONGEST = 150  # words of a passage
ITEM = re.compile(r"^(\s*)(?:[-*+•]|\d+\.|\.\. change::)\s+", re.M)
SENTENCE = re.compile(r"(?<=[a-z0-9)`'\"*])[.!?](?=\s)|\n\s*\n")
CREDIT = re.compile(r"\W*(thanks|patch|contributed|reported|fix contributed|courtesy|see)\b", re.I)
HEADING = re.compile(r"^(#{1,5}) +(.+)$|^([^\n]{4,90})\n([=\-~^*+\"'`#])\4{3,}[ ]*$", re.M)
Pair = tuple[str, str]


def entries(text: str) -> Iterator[Pair]:
    """Changelog items split after their first sentence."""
    marks = [m.start() for m in ITEM.finditer(text)] + [len(text)]
    for begin, end in pairwise(marks):
        item = text[begin:end]
        stop = HEADING.search(item)
        item = ITEM.sub("", item[: stop.start()] if stop else item, count=1)
        item = re.sub(r"^\s*:(tags|tickets|versions?):.*$", "", item, flags=re.M).strip()
        cut = SENTENCE.search(item)
        if cut:
            head, rest = item[: cut.start()], item[cut.end() :]
            if 5 <= len(words(head)) <= 30 and len(words(rest)) >= 20 and not CREDIT.match(rest):
                yield " ".join(head.split()), rest.strip()


def docstrings(text: str) -> Iterator[Pair]:
    """Functions: first sentence of the docstring, and the source without it."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    lines = text.split("\n")
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and len(node.body) > 1:
            said = ast.get_docstring(node)
            first = node.body[0]
            if not said or node.end_lineno is None or first.end_lineno is None:
                continue
            head = " ".join(re.split(r"\.\s|\n\s*\n", said, maxsplit=1)[0].split())
            code = (
                lines[node.lineno - 1 : first.lineno - 1]
                + lines[first.end_lineno : node.end_lineno]
            )
            if 5 <= len(words(head)) <= 30 and len(code) >= 5:
                yield head, "\n".join(code)


def sections(text: str) -> Iterator[Pair]:
    """Sections of Markdown or reStructuredText under their headings."""
    found = list(HEADING.finditer(text))
    for here, after in zip(found, [*found[1:], None], strict=False):
        head = (here.group(2) or here.group(3)).strip(" #`*")
        body = text[here.end() : after.start() if after else len(text)].strip()
        if 2 <= len(words(head)) <= 15 and len(words(body)) >= 30 and not RULE.fullmatch(head):
            yield head, body


def gather(work: str) -> dict[str, list[Pair]]:
    """The three sets, SIZE pairs each where the sources have as many."""
    found: dict[str, list[tuple[str, Pair]]] = {"change": [], "docstring": [], "heading": []}
    for source in sources.read():
        if source.role != "held":
            continue
        for path, data in members(source, work):
            text = data.decode("utf-8", "replace").replace("\r\n", "\n")
            if path.endswith(".py"):
                if not re.search(r"(^|/)tests?/", path):
                    found["docstring"] += [(source.name, pair) for pair in docstrings(text)]
            elif path.endswith((".md", ".rst", ".txt")) or "." not in path:
                changes = CHANGE.search(path) is not None
                kind, read = ("change", entries) if changes else ("heading", sections)
                found[kind] += [(source.name, pair) for pair in read(text)]
    return {kind: pick(pairs) for kind, pairs in found.items()}


def pick(
    pairs: list[tuple[str, Pair]], most: int = SIZE // 6, longest: int = LONGEST
) -> list[Pair]:
    """SIZE pairs in checksum order, at most so many from one source, passages cut after so many
    words.
    """
    per: Counter[str] = Counter()
    seen: set[str] = set()
    kept: list[Pair] = []
    for name, (query, passage) in sorted(pairs, key=lambda p: (crc32("\n".join(p[1]).encode()), p)):
        passage = shorten(passage, longest)
        fresh = query.lower() not in seen and passage not in seen
        if fresh and per[name] < most and len(kept) < SIZE:
            per[name] += 1
            seen.update((query.lower(), passage))
            kept.append((query, passage))
    print(f"{len(kept)} pairs from {len(per)} sources {dict(per.most_common(30))}")
    return kept


def shorten(text: str, longest: int) -> str:
    """At most so many words."""
    parts = re.split(r"(\s+)", text)
    return "".join(parts[: 2 * longest])
