"""Tokens, their cost, and activity, from the sums that the catalog keeps."""
