"""Bytes to a parsed page: encoding, repair, tags, JSON-LD, title, declared language."""
