"""What holds for all tests."""

from __future__ import annotations

from hypothesis import settings

# A busy machine may take its time: no test is about how fast something is.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")
