"""Syncs at regular times, run by the system: systemd, launchd, Task Scheduler or cron."""
