"""What is read from a set of files does not depend on the order in which they came.

CI tries a few orders of each case; AJ_ALL_CUTS tries many.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.arrivals import build, cases_with_several_files, digest_of, orders

_ORDERS = 40 if os.environ.get("AJ_ALL_CUTS") else 2


@pytest.mark.parametrize("case", cases_with_several_files(), ids=lambda case: case.name)
def test_any_order_and_grouping_gives_the_journal_of_one_read(tmp_path: Path, case: Path) -> None:
    names = build(case, tmp_path / "source")
    at_once = digest_of(tmp_path / "source", tmp_path / "home", [names])
    for groups in orders(names, _ORDERS):
        in_turn = digest_of(tmp_path / "source", tmp_path / "home", groups)
        assert in_turn == at_once, groups
