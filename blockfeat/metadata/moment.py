"""``Moment``: a point in time as precise as a page gives it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta


@dataclass(frozen=True, slots=True)
class Moment:
    """A day, with the time and the zone where the page gives them.

    Attributes
    ----------
    day : date
        In the zone of the page.
    time : datetime.time or None
        Time of the day, with ``tzinfo`` where the zone is known.
    ahead : int
        Days by which the date of a time in UTC is ahead of `day`, where the page shows its day and declares the instant
        in UTC: -1, 0 or 1.
    """

    day: date
    time: time | None = None
    ahead: int = 0

    @property
    def instant(self) -> datetime | None:
        """The point in time; None without a time or without a zone."""
        return None if self.time is None or self.time.tzinfo is None else _stamp(self, self.time)

    @property
    def precision(self) -> int:
        """0 for a day, 1 with a time that is midnight (often filled in), 2 with a time, 3 with its zone too."""
        if self.time is None:
            return 0
        if not (self.time.hour or self.time.minute or self.time.second):
            return 1
        return 2 if self.time.tzinfo is None else 3

    def isoformat(self) -> str:
        """Return ISO 8601: ``2023-04-28``, ``2023-04-28T18:03:46`` or ``2023-04-28T18:03:46+02:00``."""
        return self.day.isoformat() if self.time is None else _stamp(self, self.time).isoformat()

    def __str__(self) -> str:
        """Return ISO 8601."""
        return self.isoformat()


def _stamp(moment: Moment, clock: time) -> datetime:
    """Return the date and time as they are declared."""
    return datetime.combine(moment.day + timedelta(days=moment.ahead), clock)
