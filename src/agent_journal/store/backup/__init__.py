"""Copies of a whole journal: what belongs to them, making them, and giving them back."""
