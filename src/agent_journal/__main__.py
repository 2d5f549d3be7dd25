"""`python -m agent_journal` is `aj`."""

from agent_journal.cli.main import main

main()
