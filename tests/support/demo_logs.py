"""The files of the demo's home folder."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

NOW = datetime(2026, 11, 15, 8, 30, tzinfo=timezone(timedelta(hours=2)))
Records = dict[str, list[dict[str, Any]]]


def logs(home: Path, pattern: str) -> Records:
    return {
        str(path.relative_to(home)): [json.loads(line) for line in path.read_bytes().splitlines()]
        for path in sorted(home.glob(pattern))
    }


def tree(home: Path) -> dict[str, Path]:
    return {str(path.relative_to(home)): path for path in sorted(home.rglob("*")) if path.is_file()}
