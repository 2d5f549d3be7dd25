"""The index of lines: which edit wrote a line with this text."""
