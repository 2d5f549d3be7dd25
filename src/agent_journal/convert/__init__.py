"""Sessions of one agent as files that another agent opens, and what that costs them."""
