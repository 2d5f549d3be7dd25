"""What every front end shows: a function for each kind of answer, with its shape (docs/json.md)."""
