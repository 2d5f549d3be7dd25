"""What every front door shows: one function per kind of docs/json.md."""
