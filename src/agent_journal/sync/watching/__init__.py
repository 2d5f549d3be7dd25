"""Watching: files of the agents are read while they are being written."""
