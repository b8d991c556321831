"""The live page of a monitor: mentions as they come, filtered, charted, with their evidence."""
