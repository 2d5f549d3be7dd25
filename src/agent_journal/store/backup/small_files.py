"""Whether a small file of a journal is damaged, as far as the file itself tells."""

from __future__ import annotations

import json
import zlib

from agent_journal.text.human import plural


def damage_of(name: str, data: bytes) -> str:
    """What is wrong with a file; empty when it looks whole."""
    if name.endswith(".jsonl"):
        return _damage_of_lines(data)
    if name.endswith(".toml"):
        return _damage_of_settings(data)
    return ""


def _damage_of_lines(data: bytes) -> str:
    lines = data.split(b"\n")
    bad = sum(not _is_whole(line) for line in lines[:-1])
    bad += lines[-1] != b""  # one without an end
    if not bad:
        return ""
    return f"{plural(bad, 'line')} cannot be read"


def _is_whole(line: bytes) -> bool:
    """Whether a line is JSON, with or without a checksum before it; or blank."""
    if not line.strip():
        return True
    check, _, text = line.partition(b" ")
    if check == b"%08x" % zlib.crc32(text):
        return True
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _damage_of_settings(data: bytes) -> str:
    import tomllib

    try:
        tomllib.loads(data.decode("utf-8-sig"))
    except ValueError as error:
        return str(error)
    return ""
