"""Parse dates in declarations, text and URLs: ISO 8601 and its variants, digits, and words in many languages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, timezone
from functools import cache, lru_cache

from blockfeat._files import bundled_table
from blockfeat.metadata.metadata import pattern, tables

_FIRST_YEAR, _LAST_YEAR = 1800, 2100
# Digits without separators before this year are numbers of something else: no page was published then.
_FIRST_YEAR_OF_PAGES = 1990
_LONGEST = 200
_CLOCK = pattern("clock")
_ISO = re.compile(r"(?P<year>\d{4})-(?P<month>\d\d?)-(?P<day>\d\d?)(?!\d)" + _CLOCK)
_COMPACT, _RFC, _IN_URL = (re.compile(pattern(name)) for name in ("compact", "rfc", "in_url"))
_COMPACT_IN_URL = re.compile(r"[/_-](?P<year>(?:19|20)\d\d)(?P<month>\d\d)(?P<day>\d\d)(?!\d)")
_DIGITS = re.compile(r"\d(?:\d|\D+\d)")
# Forms of dates in text, each with what every one of that form holds: the search for that is far cheaper.
_FORMS = tuple(
    (re.compile(pattern(name) + _CLOCK), re.compile(pattern(f"needs_{name}")))
    for name in ("year_first", "day_first", "month_first", "numbers")
)
_EPOCH = re.compile(r"\d{10}(?:\d{3})?\Z")
# Names that mean one offset wherever they are written.
ZONE_MINUTES: dict[str, int] = tables()["zones"]
"""Minutes east of Greenwich by the name of a time zone."""


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
        if self.time is None or not (self.time.hour or self.time.minute or self.time.second):
            return int(self.time is not None)
        return 2 if self.time.tzinfo is None else 3

    def isoformat(self) -> str:
        """Return ISO 8601: ``2023-04-28``, ``2023-04-28T18:03:46`` or ``2023-04-28T18:03:46+02:00``."""
        return self.day.isoformat() if self.time is None else _stamp(self, self.time).isoformat()

    __str__ = isoformat


def _stamp(moment: Moment, clock: time) -> datetime:
    """Return the date and time as they are declared."""
    return datetime.combine(moment.day + timedelta(days=moment.ahead), clock)


Dated = tuple[Moment, str]
"""A moment and its source."""
# It is still yesterday in America before this hour of UTC, and tomorrow in the east of Asia from this one.
_WEST, _EAST = 8, 12


def parse_moment(text: str, *, month_first: bool = False) -> Moment | None:
    """Read what a page declares to be a date: ISO 8601 and its variants, RFC 5322, seconds since 1970, or words.

    Parameters
    ----------
    text : str
        The declared value.
    month_first : bool
        Whether 4/5/2023 is the fifth of April, as in the United States.
    """
    text = text.strip()[:_LONGEST]
    if text[4:5] == "-" and text[10:11] == "T":
        # Most declarations; a tenth of the time that the patterns take.
        with suppress(ValueError):
            stamp = datetime.fromisoformat(text)
            return Moment(stamp.date(), stamp.timetz()) if _is_plausible(stamp.date()) else None
    if _EPOCH.match(text):
        stamp = datetime.fromtimestamp(int(text[:10]), UTC)
        return recent(Moment(stamp.date(), stamp.timetz()))
    if compact := _COMPACT.match(text):
        return recent(_of_match(compact))
    found = filter(None, (form.match(text) for form in (_ISO, _RFC)))
    return next(filter(None, map(_of_match, found)), None) or find_moment(text, month_first=month_first)


def find_moment(text: str, *, month_first: bool = False) -> Moment | None:
    """Return the first date that a text holds in digits or words; None where it has none.

    Reads at most the first 200 characters; names of months in many languages.
    """
    found = find_span(text, month_first=month_first)
    return found[2] if found else None


def find_span(text: str, *, month_first: bool = False) -> tuple[int, int, Moment] | None:
    """Return where the first date in a text begins and ends, and the moment."""
    text = text[:_LONGEST]
    return _find_span(text, month_first) if _DIGITS.search(text) else None


@lru_cache(maxsize=256)
def _find_span(text: str, month_first: bool) -> tuple[int, int, Moment] | None:
    """Return what `find_span` does; the same blocks are read for names and for dates of several kinds."""
    best: tuple[int, int, Moment] | None = None
    if month_first and "/" not in text:
        return _find_span(text, False)
    for form, needed in _FORMS:
        for found in form.finditer(text) if needed.search(text) else ():
            moment = _of_match(found, month_first=month_first)
            if moment is not None:
                if best is None or found.start() < best[0]:
                    best = found.start(), found.end(), moment
                break
    return best


def moment_in_url(url: str) -> Moment | None:
    """Return the day that an address holds, such as ``/2020/09/21/`` or ``/20200921-``; None where it has none."""
    parted = (moment for found in _IN_URL.finditer(url) if _is_past(moment := _of_match(found)))
    compact = (moment for found in _COMPACT_IN_URL.finditer(url) if (moment := recent(_of_match(found))))
    return next(parted, None) or next(compact, None)


def _is_past(moment: Moment | None) -> bool:
    """Return whether a page may have been published then; one year is left for clocks and announcements."""
    return moment is not None and moment.day.year <= date.today().year + 1


def recent(moment: Moment | None) -> Moment | None:
    """Return a moment at which there were pages; None for another one, which digits gave by chance."""
    return moment if moment and moment.day.year >= _FIRST_YEAR_OF_PAGES and _is_past(moment) else None


def _of_match(found: re.Match[str], *, month_first: bool = False) -> Moment | None:
    """Make a moment of the named groups of a match; None where no such day exists."""
    parts = found.groupdict()
    if "a" in parts:
        first, second = int(parts["a"]), int(parts["b"])
        swapped = second > 12 or (month_first and first <= 12 and parts["mark"] == "/")
        day, month = (second, first) if swapped else (first, second)
        year = int(parts["year"])
        if year < 100:
            year += 2000 if year < 70 else 1900
    else:
        month = month_number(parts["name"]) if "name" in parts else int(parts["month"])
        day, year = int(parts["day"]), int(parts["year"])
    try:
        found_day = date(year, month, day)
        return Moment(found_day, _time_of(parts)) if _is_plausible(found_day) else None
    except ValueError:
        return None


def _is_plausible(day: date) -> bool:
    """Return whether a day is one of this calendar's last centuries and not the zero of a clock."""
    return _FIRST_YEAR <= day.year <= _LAST_YEAR and (day.year, day.month, day.day) != (1970, 1, 1)


def _time_of(parts: dict[str, str | None]) -> time | None:
    """Return the time of the day that a match holds."""
    if parts.get("hour") is None:
        return None
    hour, minute, second = (int(parts.get(name) or 0) for name in ("hour", "minute", "second"))
    half = (parts.get("half") or "")[:1].lower()
    if half and hour <= 12:
        hour = hour % 12 + (12 if half == "p" else 0)
    microsecond = int((parts.get("fraction") or "0").ljust(6, "0")[:6])
    return time(hour, minute, second, microsecond, _zone_of(parts.get("zone")))


def _zone_of(text: str | None) -> timezone | None:
    """Return the zone of an offset or of a name that is not ambiguous."""
    offset = re.search(r"([+-])(\d\d?):?(\d\d)?\Z", text or "")
    if text in ZONE_MINUTES:
        minutes = ZONE_MINUTES[text]
    elif offset is None or (minutes := int(offset[2]) * 60 + int(offset[3] or 0)) > 14 * 60:
        return None
    elif offset[1] == "-":
        minutes = -minutes
    return timezone(timedelta(minutes=minutes)) if minutes else UTC


def month_number(name: str) -> int:
    """Return the number of a month by its name or abbreviation in one of many languages; 0 for another word."""
    return _months().get(name.casefold(), 0)


@cache
def _months() -> dict[str, int]:
    """Numbers of months by their names and abbreviations, folded."""
    table = bundled_table("blockfeat.metadata", "months.toml")
    return {name.casefold(): int(number) for number, names in table.items() for name in names.split()}


def choose_publication(
    declared: list[Dated], modified: list[Dated], url_day: date | None, seen: Callable[[], Iterable[Dated]]
) -> Dated | None:
    """Return the moment of publication of a page that declares any.

    The first that is declared counts, with three exceptions. Where sources contradict each other, the one counts that
    readers see. A date that is not before that of the last change is often a stamp of the system, and gives way to an
    earlier visible one. Of an instant in UTC, the day is that of the page where the page shows it.

    Parameters
    ----------
    declared, modified : list of (Moment, str)
        Declared moments of publication and of the last change.
    url_day : date or None
        The day in the address.
    seen : callable
        Returns the visible dates of publication, the nearest first. It is called only where declarations leave doubt,
        and read up to the first that agrees.
    """
    if not declared:
        return None
    days = {moment.day for moment, _ in declared}
    may_be_stamp = bool(modified) and declared[0][0].day >= modified[0][0].day and declared[0][0].day != url_day
    visible = _until(declared[0][0].day, seen()) if len(days) > 1 or may_be_stamp else []
    seen_days = {moment.day for moment, _ in visible}
    # The first, or another one where readers see that and not the first.
    chosen = most_precise(next((each for each in declared if each[0].day in seen_days), declared[0]), declared)
    local = url_day or (visible[0][0].day if visible else None)
    if local is not None and _is_elsewhere(chosen[0], local):
        # The same instant with the day that it has on the page.
        return replace(chosen[0], day=local, ahead=(chosen[0].day - local).days), chosen[1]
    if may_be_stamp and visible and chosen[0].day not in seen_days and visible[0][0].day < chosen[0].day:
        return visible[0]
    return chosen


def _until(day: date, seen: Iterable[Dated]) -> list[Dated]:
    """Return the visible dates up to the first of a day."""
    visible: list[Dated] = []
    for each in seen:
        visible.append(each)
        if each[0].day == day:
            break
    return visible


def _is_elsewhere(moment: Moment, local: date) -> bool:
    """Return whether a day may be the one of an instant in UTC in a zone where people live."""
    if moment.time is None or moment.instant is None or moment.time.utcoffset():
        return False
    ahead = (moment.day - local).days
    return (ahead == 1 and moment.time.hour < _WEST) or (ahead == -1 and moment.time.hour >= _EAST)


def most_precise(first: Dated, given: list[Dated]) -> Dated:
    """Return a date, or a more precise one of the same day from another source."""
    for other in given:
        # In another zone the same instant may be of the day before or behind.
        days = 1 if other[0].instant is not None else 0
        if other[0].precision > first[0].precision and abs((other[0].day - first[0].day).days) <= days:
            first = other
    return first
