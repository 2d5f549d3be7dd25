"""Files: which sessions changed them, and how."""
