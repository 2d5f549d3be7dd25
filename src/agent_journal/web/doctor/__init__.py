"""Doctor: what needs attention, and which sessions agents will delete."""
