"""Plain text: dates, names, what is safe to show, what is redacted."""
