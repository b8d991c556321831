"""The commands behind the command line, and what they share."""
