"""Names that the parts of the terminal UI share; imports nothing."""

AGENT = "agent:"  # before the name of an agent: the look of its name
STORY, STEPS, ALL = "Story", "Steps", "Everything"
BESIDE = 110  # columns from which the preview is beside the list
DEPTHS = (STORY, STEPS, ALL)  # how much of a session is shown
