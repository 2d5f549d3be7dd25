"""How other programs start this one."""

from __future__ import annotations

import os
import sys


def program_words() -> list[str]:
    """The words that run `aj`, whatever the PATH is."""
    program = os.path.abspath(sys.argv[0])
    name = os.path.splitext(os.path.basename(program))[0]
    if name == "aj" and os.access(program, os.X_OK):
        return [program]
    # -P: what is in the working folder, which may be anybody's project, is not imported
    return [sys.executable, "-P", "-m", "agent_journal"]
