"""Where the repository keeps what tests read."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
CASES = ROOT / "tests" / "connectors"
