"""Search: the indexes that follow the catalog, and the search over them."""
