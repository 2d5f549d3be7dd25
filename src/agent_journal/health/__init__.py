"""Looks for problems: in the journal, in its sources, and in what sessions contain."""
