"""Brings the journal up to date with the agents' folders."""
