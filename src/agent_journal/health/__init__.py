"""Checks: the journal itself, the agents' files, and what sessions contain."""
