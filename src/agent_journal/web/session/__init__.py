"""A session: its conversation and everything else that is known of it."""
