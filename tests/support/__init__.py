"""What tests share: journals, homes, validators."""
