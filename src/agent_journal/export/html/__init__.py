"""Sessions as HTML pages that need nothing but themselves."""
