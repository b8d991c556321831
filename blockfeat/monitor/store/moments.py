"""Moments as text: ISO 8601 in UTC, to the second, so that their order is that of the text."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_FIRST_YEAR = 1990
_AHEAD = timedelta(days=2)


def iso(moment: float) -> str:
    """Return seconds since 1970 as text."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def iso_of(moment: datetime | None) -> str | None:
    """Return a moment as text; one without a time zone is taken as UTC.

    None where it cannot be when a page was published: before 1990, or more than two days ahead.
    """
    if moment is None:
        return None
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    if aware.year < _FIRST_YEAR or aware.year > 9000 or aware > datetime.now(UTC) + _AHEAD:
        return None
    return aware.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def day_or_moment(text: object) -> str | None:
    """Return what a page says of its date as text that begins with the day; None where it names no day."""
    try:
        moment = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return iso_of(moment)
