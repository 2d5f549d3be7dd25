"""`aj mcp`: agents ask the journal, over the streams of a process that they start.

The loop is our own. The server of the official library costs 700 ms of CPU time to import, this one
23 (a bare Python is 13); its client, in every version of the protocol, is what the tests use.
"""
