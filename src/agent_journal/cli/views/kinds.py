"""What the kinds of messages are called; other kinds have their own name."""

KIND_NAMES = {
    "prompt": "you",
    "answer": "agent",
    "command": "you",
    "shell": "you",
    "command_output": "output",
    "compaction": "summary of what came before",
    "interrupt": "interrupted",
    "system_prompt": "system prompt",
}
HIT_MARK = "▶"  # before a hit that is shown with the messages around it
