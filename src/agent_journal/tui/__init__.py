"""The terminal UI of `aj tui`: find a session, read it, act on it."""
