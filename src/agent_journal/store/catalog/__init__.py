"""The catalog: SQLite tables derived from the archive. Only this package speaks SQL to our
database.
"""
