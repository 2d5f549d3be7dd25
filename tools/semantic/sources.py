"""Which texts the table is made from: the archives of SOURCES.tsv, fetched from the index that pip
uses.

    INDEX=<simple index> python sources.py WORK    # SOURCES.tsv -> WORK/sdists/*, checked by sha256

Each row names an archive by its file name and sha256, so a build is repeatable wherever it is
fetched from. Rows without a file are documentation that is installed on a machine: the variable
DOCS_<NAME> says where (DOCS_RUST_DOCS); without it the row is left out, with a warning. Licences
are those that the projects declare.
"""

import csv
import hashlib
import os
import re
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import urljoin

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "SOURCES.tsv")
_LINK = re.compile(r'href="([^"#]+)')


@dataclass(frozen=True)
class Source:
    """One row of SOURCES.tsv."""

    role: str  # "train", "pairs" (for mine.py alone) or "held"
    name: str
    version: str
    licence: str
    file: str
    sha256: str

    @property
    def folder(self) -> str | None:
        """Where installed documentation is; None for an archive, and for one that this machine does
        not have.
        """
        return (
            os.environ.get("DOCS_" + self.name.upper().replace("-", "_"))
            if self.file == "-"
            else None
        )


def read() -> list[Source]:
    """The rows of SOURCES.tsv."""
    with open(TABLE, encoding="utf-8", newline="") as rows:
        return [Source(**row) for row in csv.DictReader(rows, delimiter="\t")]


def address(source: Source, index: str) -> str:
    """Where the index has an archive."""
    page = f"{index.rstrip('/')}/{re.sub(r'[-_.]+', '-', source.name).lower()}/"
    with urllib.request.urlopen(page, timeout=120) as answer:
        links = _LINK.findall(answer.read().decode())
    for link in links:
        if link.rpartition("/")[2] == source.file:
            return urljoin(page, link)
    raise OSError(f"{source.file} is not in the index")


def download(source: Source, folder: str, index: str) -> str:
    """Fetch one archive unless it is there already; returns an error text or ''."""
    path = os.path.join(folder, source.file)
    try:
        if not os.path.exists(path):
            with urllib.request.urlopen(address(source, index), timeout=300) as answer:
                data = answer.read()
            with open(path + ".part", "wb") as out:
                out.write(data)
            os.replace(path + ".part", path)
        with open(path, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        return f"{source.name}: {error}"
    return "" if digest == source.sha256 else f"{source.name}: sha256 differs"


def fetch(work: str, index: str) -> None:
    """Download every archive of SOURCES.tsv."""
    folder = os.path.join(work, "sdists")
    os.makedirs(folder, exist_ok=True)
    remote = [source for source in read() if source.file != "-"]
    with ThreadPoolExecutor(4) as pool:
        errors = [e for e in pool.map(lambda source: download(source, folder, index), remote) if e]
    print(f"{len(remote) - len(errors)} archives in {folder}")
    if errors:
        sys.exit("\n".join(errors))


if __name__ == "__main__":
    if len(sys.argv) != 2 or "INDEX" not in os.environ:
        sys.exit(__doc__)
    fetch(sys.argv[1], os.environ["INDEX"])
