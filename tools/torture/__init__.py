"""Failure injection: every call that can fail fails in turn, and nothing that was done may be lost."""
