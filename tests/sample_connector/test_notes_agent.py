"""The contract of all connectors, checked on the cases of this one."""

from pathlib import Path

import pytest
from notes_agent import CONNECTOR

from agent_journal.testing import Contract

CONTRACT = Contract(CONNECTOR, Path(__file__).parent / "cases", root=".notes-agent")


@pytest.mark.parametrize("check", CONTRACT.checks(), ids=lambda check: check.__name__)
def test_contract(check):
    check()
