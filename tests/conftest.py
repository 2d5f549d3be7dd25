"""What holds for all tests."""

from __future__ import annotations

import signal

from hypothesis import settings

# A busy machine may take its time: no test is about how fast something is.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")

# A shell that starts the tests in the background ignores interrupts, and so would every program
# that a test starts and interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
