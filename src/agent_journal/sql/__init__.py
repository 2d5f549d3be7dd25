"""SQL over everything: DuckDB on the mirror, with a few small tables straight from the catalog."""
