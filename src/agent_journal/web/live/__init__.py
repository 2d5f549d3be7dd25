"""What changes while the page is open: a process that watches, and streams that tell of it."""
