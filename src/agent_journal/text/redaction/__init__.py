"""Finds and removes secrets and home folders."""
