"""Dates of feeds: read exactly, or not at all."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_tz

# Years outside are placeholders, such as .NET's year 1 and the epoch's 1970, not dates of pages.
_YEARS = range(1990, 2101)
_LONGEST = 64
# Names of zones that RFC 822 does not list and feeds use all the same; ambiguous ones (IST, CST of China) are not here.
_ZONES = {
    "BST": "+0100",
    "CEST": "+0200",
    "CET": "+0100",
    "EEST": "+0300",
    "EET": "+0200",
    "HKT": "+0800",
    "JST": "+0900",
    "KST": "+0900",
    "MSK": "+0300",
    "WEST": "+0100",
    "WET": "+0000",
}
_RFC_ZONES = frozenset({"CDT", "CST", "EDT", "EST", "GMT", "MDT", "MST", "PDT", "PST", "UTC"})
_ZONE = re.compile(r"\s([A-Z]{3,4})$")
_WEEKDAY = re.compile(r"^[^\W\d_]{2,12}\.?,\s+")
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?$")


def parse_date(text: str | None) -> datetime | None:
    """Return a date of RFC 822 (RSS) or W3C form (Atom, JSON Feed, sitemaps) in UTC.

    None where it is neither, where there is no such day or hour, and for years before 1990 or after 2100. A date
    without a zone is taken as UTC, one without a time as midnight.
    """
    value = " ".join((text or "").split())
    if not value or len(value) > _LONGEST:
        return None
    try:
        date = _iso(value) if _ISO.match(value) else _rfc_822(value)
        if date is None or date.year not in _YEARS:
            return None
        return date.astimezone(UTC) if date.tzinfo else date.replace(tzinfo=UTC)
    except (ValueError, OverflowError, TypeError):
        return None


def _iso(value: str) -> datetime:
    """Parse the W3C profile of ISO 8601; a space may stand for the T, and before the zone."""
    head, _, tail = value.partition(" ")
    return datetime.fromisoformat(f"{head}T{tail.replace(' ', '')}" if tail and "T" not in head else head + tail)


def _rfc_822(value: str) -> datetime | None:
    """Parse an RFC 822 date; a weekday in whatever language is passed over."""
    value = _WEEKDAY.sub("", value)
    zone = _ZONE.search(value)
    if zone and zone[1] in _ZONES:
        value = value[: zone.start(1)] + _ZONES[zone[1]]
    elif zone and zone[1] not in _RFC_ZONES:
        return None
    found = parsedate_tz(value if ":" in value else f"{value} 00:00:00 +0000")
    if found is None:
        return None
    year, month, day, hour, minute, second = found[:6]
    date = datetime(year, month, day, hour, minute, min(second, 59), tzinfo=UTC)
    return date - timedelta(seconds=found[9] or 0)
