"""What agents ask about earlier sessions, and the answers: for `aj mcp` and the page's /mcp."""
