"""The configuration of a monitor: a TOML file, read with the line of every key."""
