"""Files are written whole or not at all, and only their owner can read them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_journal.store.atomic import write_private


def test_a_file_is_private_and_has_its_size_and_time(tmp_path: Path) -> None:
    path = tmp_path / "file"
    assert write_private(str(path), [b"one", b"two"], durable=True, mtime_ns=10**18) == 6
    assert path.read_bytes() == b"onetwo"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.stat().st_mtime_ns == 10**18
    assert os.listdir(tmp_path) == ["file"]


def test_a_failure_leaves_the_previous_file(tmp_path: Path) -> None:
    def parts() -> Iterator[bytes]:
        yield b"half"
        raise ValueError("no more")

    path = tmp_path / "file"
    path.write_bytes(b"before")
    with pytest.raises(ValueError, match="no more"):
        write_private(str(path), parts())
    assert path.read_bytes() == b"before"
    assert os.listdir(tmp_path) == ["file"]


def test_an_existing_file_is_replaced_only_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"before")
    with pytest.raises(FileExistsError):
        write_private(str(path), [b"after"], overwrite=False)
    assert path.read_bytes() == b"before"
    write_private(str(path), [b"after"])
    assert path.read_bytes() == b"after"
    assert os.listdir(tmp_path) == ["file"]
