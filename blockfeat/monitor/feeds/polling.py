"""When a feed is polled next."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta

_MAX_AGE = re.compile(r"(?:^|[,\s])max-age\s*=\s*\"?(\d{1,9})", re.I)
# However long a feed asks for, it is polled once a day.
_LONGEST = 86_400.0
_HOURS_OF_A_WEEK = 168


def next_poll(
    *,
    now: float,
    every: float,
    headers: Mapping[str, str] | None = None,
    ttl_seconds: int | None = None,
    skip_hours: Collection[int] = (),
    skip_days: Collection[int] = (),
    retry_at: float | None = None,
) -> float:
    """Return the time of the next poll in epoch seconds.

    The longest of ``every``, the feed's time to live and ``Cache-Control: max-age`` (less the ``Age``), of which the
    last two count for at most a day; never before ``retry_at``; then the next hour that the feed does not skip.

    Parameters
    ----------
    now : float
        Time of the last answer, epoch seconds.
    every : float
        Seconds between two polls that the user wishes.
    headers : mapping, optional
        Headers of the last answer, names in lower case.
    ttl_seconds, skip_hours, skip_days
        As `Feed` has them. A feed that skips every hour skips none.
    retry_at : float, optional
        As `Fetched` has it.
    """
    asked = max(float(ttl_seconds or 0), _max_age(headers or {}))
    due = max(now + max(every, min(asked, _LONGEST)), retry_at or 0.0)
    return _unskipped(due, frozenset(skip_hours), frozenset(skip_days))


def _max_age(headers: Mapping[str, str]) -> float:
    found = _MAX_AGE.search(headers.get("cache-control", ""))
    age = headers.get("age", "").strip()
    seconds = float(found[1]) if found else 0.0
    return max(seconds - (float(age) if age.isascii() and age.isdigit() and len(age) < 10 else 0.0), 0.0)


def _unskipped(due: float, hours: frozenset[int], days: frozenset[int]) -> float:
    """Return a time, or the beginning of the first hour after it that is not skipped."""
    moment = datetime.fromtimestamp(due, UTC)
    for _ in range(_HOURS_OF_A_WEEK):
        if moment.hour not in hours and moment.weekday() not in days:
            return max(due, moment.timestamp())
        moment = moment.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    return due
