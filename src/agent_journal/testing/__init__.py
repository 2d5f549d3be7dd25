"""For authors of connectors: the contract every connector keeps, to be run on cases of their own.

CONTRACT = Contract(CONNECTOR, Path(__file__).parent / "cases", root=".notes-agent")

@pytest.mark.parametrize("check", CONTRACT.checks())
def test_contract(check): check()

Files over 2 KiB are cut at their line ends and at a fixed sample of other places; set the
environment variable AJ_ALL_CUTS to cut them after every byte.

No test framework is needed or imported: what fails raises ContractBroken, an AssertionError.
docs/adding-an-agent.md walks through a whole connector and its cases.
"""

from __future__ import annotations

from agent_journal.testing.contents import Assembly, BytesContent, DiskContent, read_root
from agent_journal.testing.contract import Case, Contract, ContractBroken
from agent_journal.testing.damage import damaged
from agent_journal.testing.expected import described

__all__ = [
    "Assembly",
    "BytesContent",
    "Case",
    "Contract",
    "ContractBroken",
    "DiskContent",
    "damaged",
    "described",
    "read_root",
]
