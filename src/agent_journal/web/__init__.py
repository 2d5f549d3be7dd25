"""The web page: a local server that shows the journal in a browser."""
