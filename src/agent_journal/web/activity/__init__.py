"""Activity: when, where and with which tools people worked."""
