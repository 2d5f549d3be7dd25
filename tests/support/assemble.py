"""The reference: pieces joined in memory by the plain rules, without the catalog. Tests compare
both.
"""

from agent_journal.testing import Assembly, BytesContent, DiskContent, read_root

__all__ = ["Assembly", "BytesContent", "DiskContent", "read_root"]
