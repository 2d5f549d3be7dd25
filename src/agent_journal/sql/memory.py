"""How much memory a query may take.

DuckDB's own limit holds for what it keeps in blocks: tables, sorts, groups, lists. It does not hold
for the texts that a function makes: `repeat('x', 3000000000)` takes 6 GB within a limit of 2 GB. So
the command `aj sql` also has the system limit the memory of its process while a query runs; DuckDB
turns the refusal into an error and can be used further.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

_MOST = 2_000_000_000  # bytes of a query, unless a person says otherwise
_ROOM = 256 * 2**20  # bytes for everything else in the process
_UNITS = {"": 1, "b": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


def default_memory() -> str:
    """2 GB, or half of what the machine has if that is less."""
    try:
        machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # Windows, and systems that do not say
        return f"{_MOST // 10**6}MB"
    return f"{min(_MOST, machine // 2) // 10**6}MB"


def size_of(text: str) -> int:
    """The bytes of a size such as `2GB`, which DuckDB has accepted."""
    size = re.match(r"\s*([\d.]+)\s*([kmgt]?)", text.lower())
    if size is None:
        return 2**31
    return int(float(size[1]) * _UNITS[size[2]])


@contextmanager
def bounded(size: int) -> Iterator[None]:
    """Let the process take only so many bytes more, and some room; where the system can do that.

    It is the memory with data that is limited (RLIMIT_DATA), not all addresses: those that are only
    reserved, and mapped files, do not count.
    """
    used = _data_bytes()
    if used is None:
        yield
        return
    import resource

    kind = resource.RLIMIT_DATA
    before, highest = resource.getrlimit(kind)
    bound = used + size + size // 2 + _ROOM
    for limit in (before, highest):
        if limit != resource.RLIM_INFINITY:
            bound = min(bound, limit)
    resource.setrlimit(kind, (bound, highest))
    try:
        yield
    finally:
        resource.setrlimit(kind, (before, highest))


def _data_bytes() -> int | None:
    """The bytes of data that this process has; None where the system does not say (not Linux)."""
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as status:
            found = re.search(r"^VmData:\s*(\d+) kB$", status.read(), re.M)
    except OSError:
        return None
    if found is None:
        return None
    return int(found[1]) * 1024
