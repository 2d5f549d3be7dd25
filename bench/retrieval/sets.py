"""Questions with one right answer each, from public text: what search by words and by meaning is
measured with.

* commit: the subject of a commit -> its body; from changelogs of installed packages that are a
  `git log`,
* docstring: the first sentence of a docstring -> the code without it,
* heading: the heading of a section of documentation -> the section.

The last two are of the packages that tools/semantic keeps out of its training (role `held` in
SOURCES.tsv), and no training text has a git log. Pairs are chosen by checksum, so the same packages
always give the same sets.
"""

from __future__ import annotations

import glob
import gzip
import os
import re
import sys
from collections.abc import Iterator
from zlib import crc32

sys.path.append(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "semantic")
)

import pairs
import sources
from words import words

DOCS = "/usr/share/doc"
_COMMIT = re.compile(r"^commit [0-9a-f]{40}.*\n", re.M)
_TRAILER = re.compile(
    r"^\s*([A-Z][A-Za-z]+-[A-Za-z-]+|Bug|Fixes|Closes|Ref|Bugzilla|Cc|git-svn-id)\s*:.*$"
    r"|^\s*\(cherry picked.*$|^\s*https?://\S+\s*$",
    re.M | re.I,
)
# Words. So it is as hard as the set that the goals were taken from: words alone find 88 of 100
# there, too.
_SUBJECT, _BODY = range(6, 21), 60
_SOURCES = 14  # so many packages at least
_WHOLE = 10_000  # words: a commit is a message, and messages are not cut


def gather(work: str) -> dict[str, list[pairs.Pair]]:
    """The three sets, 1,000 pairs each where there are as many; `work` holds the archives of
    tools/semantic.
    """
    held = pairs.gather(work)
    return {"commit": commits(), "docstring": held["docstring"], "heading": held["heading"]}


def fetch(work: str) -> None:
    """Gets the archives of the packages that are not there yet."""
    folder = os.path.join(work, "sdists")
    os.makedirs(folder, exist_ok=True)
    held = [one for one in sources.read() if one.role == "held"]
    wanted = [one for one in held if not os.path.exists(os.path.join(folder, one.file))]
    if wanted and "INDEX" not in os.environ:
        sys.exit(
            f"{len(wanted)} packages are missing in {folder}: INDEX=<simple index> says "
            f"where to get them"
        )
    for one in wanted:
        print(f"fetching {one.file} ...", file=sys.stderr)
        trouble = sources.download(one, folder, os.environ["INDEX"])
        if trouble:
            sys.exit(trouble)


def commits() -> list[pairs.Pair]:
    """Subjects and bodies of commits; several packages may carry the same changelog."""
    found: list[tuple[str, pairs.Pair]] = []
    seen: set[int] = set()
    for path in sorted(glob.glob(f"{DOCS}/*/changelog.gz")):
        with gzip.open(path, "rt", encoding="utf-8", errors="replace") as file:
            text = file.read()
        key = crc32(text.encode())
        if key not in seen and _COMMIT.search(text[:300]):
            seen.add(key)
            found += [(path.split("/")[-2], pair) for pair in _of_log(text)]
    return pairs.pick(found, pairs.SIZE // _SOURCES, longest=_WHOLE)


def _of_log(text: str) -> Iterator[pairs.Pair]:
    for entry in _COMMIT.split(text)[1:]:
        head, _, message = entry.partition("\n\n")
        if re.search(r"^Merge:", head, re.M):
            continue
        lines = []
        for line in message.split("\n"):  # after the message may come the list of files
            if line.strip() and not line.startswith("    "):
                break
            lines.append(line[4:])
        subject, _, body = "\n".join(lines).strip().partition("\n\n")
        subject, body = " ".join(subject.split()), _TRAILER.sub("", body).strip()
        if len(words(subject)) in _SUBJECT and len(words(body)) >= _BODY:
            yield subject, body
