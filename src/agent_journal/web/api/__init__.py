"""The API: the answers of docs/json.md over HTTP, for programs; nothing is written."""
