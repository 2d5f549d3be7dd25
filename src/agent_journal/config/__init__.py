"""Settings: defaults, the configuration file, the environment."""
