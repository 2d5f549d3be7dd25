"""Cut the sources into chunks: WORK/sdists and local folders -> WORK/chunks.jsonl.gz.

    python collect.py WORK [--cap 2000]

One line per chunk: ``{"s": source, "k": kind, "t": text}`` with kind ``doc``, ``change`` or
``code``, in the order of SOURCES.tsv and of the paths inside, so that the same archives give the
same file. Four chunks of five hold about 60 to 110 signs and words, the fifth about 10 to 25
(queries are short, the table must know short texts too). Files are taken in an order given by a
checksum of their path, at most ``cap`` chunks of prose and half as many of code from one source, so
that no project rules the table. Only ``train`` sources are cut; the ``held`` ones are for
evaluate.py.
"""

import argparse
import gzip
import html
import json
import os
import re
import sys
import tarfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from multiprocessing import Pool
from zlib import crc32

import sources
from words import words

DOC = (".rst", ".md", ".mdx", ".html", ".txt")
CODE = (
    ".py",
    ".pyx",
    ".js",
    ".ts",
    ".tsx",
    ".jsx",
    ".rs",
    ".c",
    ".h",
    ".cc",
    ".cpp",
    ".hpp",
    ".go",
    ".java",
    ".sh",
    ".sql",
    ".yaml",
    ".yml",
    ".toml",
)
SKIP = re.compile(
    r"(^|/)(_?vendor(ed)?|_?vendored_packages|third[-_]party|thirdparty|node_modules|site-packages|locales?|fixtures"
    r"|testdata|test_data|cassettes|snapshots?|__snapshots__|\.git|dist|static/js|translations|licenses?)/"
    r"|(^|/)(LICEN[CS]E|COPYING|NOTICE|requirements[^/]*\.txt|SOURCES\.txt|top_level|entry_points|RECORD|print\.html"
    r"|all\.html|[^/]*\.min\.js|[^/]*\.lock|[^/]*\.src\.html)",
    re.I,
)
CHANGE = re.compile(r"change|news|history|release|whats[-_]?new|upgrading", re.I)
PIECE = re.compile(r"[A-Za-z]+|\d+|[^\sA-Za-z\d]")
RULE = re.compile(r"[^\w\s]{4,}\s*")
REPEAT = re.compile(r"([^\w\s])\1{3,}")
MARKUP = re.compile(
    r"(?is)<(script|style|nav|head|svg)\b.*?</\1>|<!--.*?-->|</?(p|div|li|h\d|tr|pre|br|section)\b[^>]*>|<[^>]*>"
)
LARGEST = 400_000  # bytes of one file; bigger ones are data, but for packed changelogs


def members(source: sources.Source, work: str) -> Iterator[tuple[str, bytes]]:
    """The (path, bytes) pairs of a source's text files, without the archive's top folder."""
    if source.file == "-":
        return members_of_folder(source.name, source.folder or "")
    archive = os.path.join(work, "sdists", source.file)
    if archive.endswith((".zip", ".whl")):
        return members_of_zip(archive)
    return members_of_tar(archive)


def members_of_folder(name: str, top: str) -> Iterator[tuple[str, bytes]]:
    """The text files in a folder of this machine; those with `.gz` are unpacked."""
    if not os.path.isdir(top):
        print(f"{name}: {top} is not on this machine", file=sys.stderr)
        return
    for folder, _, names in os.walk(top):
        for file_name in names:
            full = os.path.join(folder, file_name)
            is_packed = file_name.endswith(".gz")
            path = os.path.relpath(full, top).removesuffix(".gz")
            if chosen(path) and (is_packed or os.path.getsize(full) <= LARGEST):
                with gzip.open(full) if is_packed else open(full, "rb") as file:
                    yield path, file.read()


def members_of_zip(archive: str) -> Iterator[tuple[str, bytes]]:
    """The text files in a zip file or a wheel, which has no top folder."""
    with zipfile.ZipFile(archive) as packed:
        for info in packed.infolist():
            path = info.filename
            if not archive.endswith(".whl"):
                path = path.partition("/")[2]
            if chosen(path) and info.file_size <= LARGEST:
                yield path, packed.read(info)


def members_of_tar(archive: str) -> Iterator[tuple[str, bytes]]:
    """The text files in a tar file."""
    with tarfile.open(archive) as tar:
        for member in tar:
            path = member.name.partition("/")[2]
            if member.isfile() and chosen(path) and member.size <= LARGEST:
                stream = tar.extractfile(member)
                if stream is not None:
                    yield path, stream.read()


def chosen(path: str) -> bool:
    """Whether a path is text worth reading."""
    name = path.rsplit("/", 1)[-1]
    known = path.endswith(DOC + CODE) or ("." not in name and CHANGE.search(name) is not None)
    return known and SKIP.search(path) is None


def kind_of(path: str) -> str:
    """``code``, ``change`` (changelogs and release notes) or ``doc``."""
    if CHANGE.search(path) and not path.endswith(CODE[:-3]):
        return "change"
    return "code" if path.endswith(CODE) else "doc"


def plain(text: str, path: str) -> str:
    """Text without HTML tags, rulers and other runs of one sign (every sign is a token to the
    teacher).
    """
    if path.endswith(".html"):
        body = text.find("<main")
        text = text[max(body, 0) :]
        text = html.unescape(MARKUP.sub(lambda m: "\n" if m.group(2) or m.group(1) else "", text))
        text = re.sub(r"\n\s*\n\s*", "\n\n", text)
    return REPEAT.sub(r"\1\1\1", text.replace("\t", "  "))


def cut(text: str, seed: int) -> Iterator[str]:
    """Chunks of consecutive lines; ends at a blank line when the chunk is long enough, else where
    it is full.
    """
    held: list[str] = []
    size = number = 0
    goal = goal_of(seed, 0)
    for line in [*text.split("\n"), ""]:
        line = line.rstrip()
        if len(line) > 600 or RULE.fullmatch(line):
            continue
        if line:
            held.append(line)
            size += len(PIECE.findall(line))
        if size >= goal or (not line and size >= 0.6 * goal):
            chunk = "\n".join(held)
            if sound(chunk):
                yield chunk
            number += 1
            goal = goal_of(seed, number)
            held, size = [], 0


def goal_of(seed: int, number: int) -> int:
    """How long the next chunk should be; spread by a checksum, not by chance."""
    roll = crc32(b"%d %d" % (seed, number))
    return 10 + roll // 5 % 15 if roll % 5 == 0 else 60 + roll // 5 % 50


def sound(chunk: str) -> bool:
    """Whether a chunk is language or code, not a table of numbers or a list of hashes."""
    if len(chunk) > 1200:
        return False
    pieces = PIECE.findall(chunk)
    letters = [p for p in pieces if p[0].isalpha() and len(p) > 1]
    digits = sum(p[0].isdigit() for p in pieces)
    return (
        len(set(letters)) >= 5
        and len(letters) >= 0.35 * len(pieces)
        and digits <= 0.2 * len(pieces)
    )


def chunks_of(job: tuple[sources.Source, str, int]) -> list[tuple[str, str, str]]:
    """The (source, kind, text) chunks of one source, at most ``cap`` of prose and cap/2 of code."""
    source, work, cap = job
    files = sorted(members(source, work), key=lambda item: crc32(item[0].encode()))
    room = {"doc": cap, "change": cap // 2, "code": cap // 2}
    per_file = {"doc": 60, "change": 250, "code": 12}
    taken: list[tuple[str, int, str, str]] = []
    for path, data in files:
        kind = kind_of(path)
        if room[kind] <= 0:
            continue
        text = plain(data.decode("utf-8", "replace"), path)
        if text.count("\ufffd") > 3 or ascii_share(text) < 0.97:
            continue
        found = list(enumerate(cut(text, crc32(path.encode()))))
        found.sort(key=lambda item: crc32(item[1].encode()))
        found = sorted(found[: min(per_file[kind], room[kind])])
        room[kind] -= len(found)
        taken += [(path, number, kind, chunk) for number, chunk in found]
    taken.sort()
    return [(source.name, kind, chunk) for _, _, kind, chunk in taken]


def ascii_share(text: str) -> float:
    """The share of ASCII characters: texts in other languages are left out, the teacher knows
    English.
    """
    return len(text.encode("ascii", "ignore")) / max(len(text), 1)


def main() -> None:
    """Write WORK/chunks.jsonl.gz and print what it holds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work")
    parser.add_argument("--cap", type=int, default=2000)
    given = parser.parse_args()
    rows = [row for row in sources.read() if row.role == "train"]
    seen: set[int] = set()
    kinds: Counter[str] = Counter()
    per: Counter[str] = Counter()
    target = os.path.join(given.work, "chunks.jsonl.gz")
    with (
        open(target, "wb") as raw,
        gzip.GzipFile("", "wb", 6, raw, mtime=0) as out,
        Pool(2) as pool,
    ):
        for chunks in pool.imap(chunks_of, [(row, given.work, given.cap) for row in rows]):
            for name, kind, text in chunks:
                key = hash(tuple(words(text)))
                if key in seen:
                    continue
                seen.add(key)
                kinds[kind] += 1
                per[name] += 1
                out.write(json.dumps({"s": name, "k": kind, "t": text}).encode() + b"\n")
    print(f"{kinds.total()} chunks from {len(per)} sources: {dict(kinds)}")
    print("largest:", per.most_common(8), "empty:", [r.name for r in rows if not per[r.name]])


if __name__ == "__main__":
    main()
