"""Sessions as files that people can read, share and take in again."""
