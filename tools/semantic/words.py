"""The tokenizer of the table: the package's own, since text must be cut the same way here and when
it is searched.
"""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src"))

from agent_journal.search.words import signs, words

__all__ = ["signs", "words"]
