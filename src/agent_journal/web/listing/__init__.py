"""Sessions and hits: one list, one box."""
