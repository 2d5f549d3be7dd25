"""The mirror: the catalog's rows as Parquet files that any tool can read, updated by each sync."""
