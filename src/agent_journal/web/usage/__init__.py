"""Usage: what the sessions cost, by day and model, and which cost most."""
