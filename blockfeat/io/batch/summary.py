"""The outcome of a batch in a few words: how many pages of each status, failures by reason, pages a second."""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import dataclass, field

from blockfeat.io.outputs.rendering import Rendered
from blockfeat.page.urls import host_of

_MOST_REASONS = 6
# The place before a reason: a file's line or a part of an archive.
_PLACE = r"(?s)^.{0,4096}?:\d+: "
_DETAIL = r": | \(|; | after line \d+"


@dataclass
class Tally:
    """Counts the documents of a run by their outcome.

    Attributes
    ----------
    earlier : int
        Documents that an earlier run has done.
    statuses, reasons : Counter
        Documents by status, and failed ones by reason.
    started : float
        When the run began, by the monotonic clock.
    """

    earlier: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    started: float = field(default_factory=time.monotonic)

    def add(self, rendered: Rendered) -> None:
        """Count one document."""
        if rendered.error is None:
            self.statuses[rendered.status] += 1
        else:
            self.reasons[reason_of(rendered.id, rendered.error)] += 1

    @property
    def total(self) -> int:
        """Number of documents counted."""
        return self.statuses.total() + self.reasons.total()

    def summary(self) -> str:
        """Return one line: outcomes, time, and pages a second."""
        if not self.total:
            return f"nothing left to do: {self.earlier:,} pages done earlier"
        seconds = time.monotonic() - self.started
        parts = [f"{self.statuses['ok']:,} ok"]
        parts += [f"{count:,} {status}" for status, count in self.statuses.most_common() if status != "ok"]
        if failed := self.reasons.total():
            parts.append(f"{failed:,} failed ({self._failures()})")
        if self.earlier:
            parts.append(f"{self.earlier:,} done earlier")
        rate = f", {_rate(self.total / seconds)} pages a second" if seconds > 0 else ""
        return f"{self.total:,} page{'' if self.total == 1 else 's'}: {', '.join(parts)}; {seconds:.1f} s{rate}"

    def _failures(self) -> str:
        shown = self.reasons.most_common(_MOST_REASONS)
        parts = [f"{reason}: {count:,}" for reason, count in shown]
        if rest := self.reasons.total() - sum(count for _, count in shown):
            parts.append(f"other reasons: {rest:,}")
        return ", ".join(parts)


def reason_of(name: str, error: str) -> str:
    """Return the reason in a message without its page and details, so that equal reasons are equal text."""
    reason = error.removeprefix(f"{name}: ")
    if reason == error:
        reason = re.sub(_PLACE, "", reason, count=1)
    reason = re.split(_DETAIL, reason, maxsplit=1)[0].strip()
    if host := host_of(name):
        reason = reason.replace(f" for host {host}", "").replace(f"host {host}", "host").replace(f" to {host}", "")
    return reason or "no reason given"


def _rate(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"
