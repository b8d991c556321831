"""What a round of a monitor has done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_MOST_KEPT = 1000


@dataclass
class Summary:
    """Counts of a round, and every address that failed.

    Attributes
    ----------
    feeds, pages : Counter of str
        How many feeds were "read", "unchanged", "retired" or "failed", and pages "new", "updated", "unchanged",
        "same" (another address of a page) or "failed".
    found : int
        Pages that feeds named, new or updated.
    mentions, copies, delivered : int
        Mentions in the pages that were read; pages that are copies; mentions that arrived at a receiver.
    failures : dict of str to str
        Addresses and receivers that failed, each with the reason.
    unexpected : int
        How many of them are pages and feeds on which the program itself failed.
    left : int
        Pages that are still due: the time was over, or the run was stopped.
    stopped : str or None
        Why the round ended before its work did.
    """

    feeds: Counter[str] = field(default_factory=Counter)
    pages: Counter[str] = field(default_factory=Counter)
    found: int = 0
    mentions: int = 0
    copies: int = 0
    delivered: int = 0
    failures: dict[str, str] = field(default_factory=dict)
    more_failures: int = 0
    unexpected: int = 0
    left: int = 0
    stopped: str | None = None

    @property
    def done(self) -> int:
        """Pages that are finished with."""
        return self.pages.total()

    @property
    def is_fruitless(self) -> bool:
        """Whether something was tried and nothing of it could be read."""
        read = self.feeds.total() - self.feeds["failed"] + self.pages.total() - self.pages["failed"]
        return read == 0 and bool(self.failures)

    def fail(self, address: str, reason: str, *, unexpected: bool = False) -> None:
        """Note an address that failed; beyond a thousand they are counted only."""
        self.unexpected += unexpected
        if address in self.failures or len(self.failures) < _MOST_KEPT:
            self.failures[address] = reason
        else:
            self.more_failures += 1

    def to_dict(self) -> Mapping[str, Any]:
        """Return plain values that JSON can hold."""
        return {
            "feeds": dict(self.feeds),
            "pages": dict(self.pages),
            "found": self.found,
            "mentions": self.mentions,
            "copies": self.copies,
            "delivered": self.delivered,
            "failed": len(self.failures) + self.more_failures,
            "unexpected": self.unexpected,
            "left": self.left,
            "stopped": self.stopped,
        }
