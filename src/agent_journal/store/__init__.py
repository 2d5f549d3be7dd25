"""What the journal keeps on disk: the archive, the catalog, and the mirror for SQL."""
