"""Feeds and their entries, with the parsing of dates, addresses and texts in them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from hashlib import blake2b
from html import escape, unescape
from typing import Any
from urllib.parse import quote, urldefrag, urljoin, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from blockfeat.metadata import ZONE_MINUTES, month_number


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One page that a feed names.

    Attributes
    ----------
    url : str
        Absolute address of the page, http or https, as the feed has it; without a page that of the feed, with a
        fragment for the entry.
    id : str or None
        The feed's own name for the entry (``guid``, ``id``).
    title : str or None
        Plain text.
    published, updated : datetime or None
        In UTC; None where the feed gives no date or one that cannot be read. A date without a zone is taken as UTC.
    lang : str or None
        Language tag of the entry, else of the feed, as written there.
    summary : str or None
        Plain text, at most 2,000 characters.
    content : str or None
        The feed's own text as HTML: the whole article where the feed has it, else the summary.
    linked : bool
        Whether the entry names a page.
    """

    url: str
    id: str | None = None
    title: str | None = None
    published: datetime | None = None
    updated: datetime | None = None
    lang: str | None = None
    summary: str | None = None
    content: str | None = None
    linked: bool = True


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed that was read.

    Attributes
    ----------
    kind : str
        ``"rss"``, ``"rdf"``, ``"atom"``, ``"json"``, ``"sitemap"``, ``"sitemapindex"``, ``"opml"`` or ``"list"``.
    title : str or None
        Plain text.
    entries : tuple of FeedEntry
        In the feed's order, each address once.
    feeds : tuple of str
        Addresses of other feeds that this one lists (OPML, sitemap index).
    ttl_seconds : int or None
        Least time between two polls that the feed asks for (``<ttl>``, ``sy:updatePeriod``).
    skip_hours : tuple of int
        Hours of the day, 0 to 23 in UTC, at which the feed asks not to be polled.
    skip_days : tuple of int
        Days of the week, Monday 0 to Sunday 6 in UTC, on which the feed asks not to be polled.
    expired : bool
        Whether the feed says of itself that nothing more will come (JSON Feed).
    warnings : tuple of str
        What was wrong, such as a date that cannot be read or a feed that is cut off.
    """

    kind: str
    title: str | None = None
    entries: tuple[FeedEntry, ...] = ()
    feeds: tuple[str, ...] = ()
    ttl_seconds: int | None = None
    skip_hours: tuple[int, ...] = ()
    skip_days: tuple[int, ...] = ()
    expired: bool = False
    warnings: tuple[str, ...] = ()


# Years outside are placeholders, such as .NET's year 1 and the epoch's 1970, not dates of pages.
_YEARS = range(1990, 2101)
_LONGEST = 64
_WEEKDAY = re.compile(r"^[^\W\d_]{2,16}\.?(?:,\s+|\s+(?=\d\d?[.\s-]+[^\W\d_]))")
# One month in Croatian, another in Polish and Czech.
_TWO_MONTHS = re.compile(r"lis(?:topad\w*)?$|lip$", re.I)
_DAY_FIRST = re.compile(r"(\d{1,2})\.?[\s-]+(?:de )?([^\W\d_]{3,14})\.?[\s-]+(?:de )?(\d{4}|\d\d)(?!\d),?\s*")
_MONTH_FIRST = re.compile(r"(?:[^\W\d_]{2,12} )?([^\W\d_]{3,14})\.? (\d{1,2}),? (?:(\d{4})(?!\d),?\s*)?")
_ISO = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ]\s*|$)")
_TIME = re.compile(r"(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:\s?([AaPp])\.?[Mm]\.?)?\s*")
_OFFSET = re.compile(r"(?:UTC|GMT)?\s?([+-])(\d\d?)(?::?(\d\d))?$")
_NAMED_PLACE = re.compile(r"[A-Z][A-Za-z]+(?:/[A-Z][A-Za-z_-]+){1,2}$")
_CENTRAL_AMERICAN = -360
_MOST_MINUTES = 14 * 60


def parse_date(text: str | None) -> datetime | None:
    """Return a date of RFC 822 (RSS) or W3C form (Atom, JSON Feed, sitemaps) in UTC.

    Months are known by their names in many languages, zones by their offset, a name that means one offset everywhere,
    or a place (``Europe/Berlin``). None where it is neither form, where there is no such day, hour or zone, and for
    years before 1990 or after 2100. A date without a zone is taken as UTC, one without a time as midnight.
    """
    value = " ".join((text or "").split())
    if not value or len(value) > _LONGEST:
        return None
    try:
        day, rest = _day_of(value)
        date = _at_time(day, rest) if day is not None else None
        return date if date is not None and date.year in _YEARS else None
    except (ValueError, OverflowError):
        return None


def _day_of(value: str) -> tuple[datetime | None, str]:
    """Return the day that a date begins with, and what follows; a weekday in whatever language is passed over."""
    if iso := _ISO.match(value):
        return datetime.fromisoformat(iso[1]), value[iso.end() :]
    value = _WEEKDAY.sub("", value)
    if found := _DAY_FIRST.match(value):
        day, name, year = found.groups()
    elif found := _MONTH_FIRST.match(value):
        name, day, year = found.groups()
    else:
        return None, ""
    rest = value[found.end() :]
    if year is None:
        # As C's asctime has it: Thu Mar 14 06:00:00 2024.
        rest, _, year = rest.rpartition(" ")
    month = 0 if _TWO_MONTHS.match(name) else month_number(name)
    if not month or not rest.isascii():
        return None, ""
    number = int(year)
    number += 0 if number > 99 else 2000 if number < 70 else 1900
    return datetime(number, month, int(day)), rest


def _at_time(day: datetime, rest: str) -> datetime | None:
    """Return a day at the time and in the zone that follow it."""
    if not rest:
        return day.replace(tzinfo=UTC)
    found = _TIME.match(rest)
    if found is None:
        return None
    hour, minute, second = (int(part or 0) for part in found.groups()[:3])
    if found[5] is not None:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if found[5] in "Pp" else 0)
    zone = _zone_of(rest[found.end() :])
    if zone is None:
        return None
    # A leap second (60) is read as second 59.
    second, fraction = 59 if second == 60 else second, int((found[4] or "").ljust(6, "0")[:6])
    return day.replace(hour=hour, minute=minute, second=second, microsecond=fraction, tzinfo=zone).astimezone(UTC)


def _zone_of(text: str) -> tzinfo | None:
    """Return the zone that a text names; UTC for none, None for no zone that is known."""
    # Drop the name of the zone after a numeric offset.
    text = re.sub(r"(?<=\d)\s?(?:\([^)]*\)|\s[A-Z]{2,5})$", "", text).strip("() ")
    if text in ("", "Z", "UT"):
        return UTC
    if text == "CST":
        # RFC 822 lists it, so that in feeds it is not China's.
        return timezone(timedelta(minutes=_CENTRAL_AMERICAN))
    if text in ZONE_MINUTES:
        return timezone(timedelta(minutes=ZONE_MINUTES[text]))
    if found := _OFFSET.match(text):
        minutes = int(found[2]) * 60 + int(found[3] or 0)
        sign = -1 if found[1] == "-" else 1
        return timezone(timedelta(minutes=sign * minutes)) if minutes <= _MOST_MINUTES else None
    try:
        return ZoneInfo(text) if _NAMED_PLACE.match(text) else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


_LONGEST_ADDRESS = 8_192
_LONGEST_NAME = 400
_LONGEST_SHOWN = 60
_CUT_OFF = "the feed is cut off; its complete entries were read"


def absolute(link: object, base: str) -> str | None:
    """Return a link as an absolute http or https address, or None."""
    if not isinstance(link, str) or len(link) > _LONGEST_ADDRESS or not link.strip():
        return None
    try:
        url = urljoin(base, "".join(link.split()) if "\n" in link else link.strip())
        parts = urlsplit(url)
        usable = parts.scheme.lower() in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return None
    return url if usable else None


class Gathering:
    """Collects entries and warnings.

    Parameters
    ----------
    base : str
        The address of the feed, that relative links refer to.
    is_cut : bool
        Whether the feed is cut off.
    """

    def __init__(self, base: str, *, is_cut: bool = False) -> None:
        self._base = base
        self._entries: dict[str, FeedEntry] = {}
        self._warnings: dict[str, None] = {_CUT_OFF: None} if is_cut else {}
        self._counted: Counter[str] = Counter()

    def add(self, link: object, **fields: Any) -> None:
        """Add an entry; one with neither a usable address nor a text of its own is left out with a warning."""
        url = absolute(link, self._base)
        if url is None and fields.get("content"):
            name = fields.get("id") or blake2b(fields["content"].encode("utf-8", "replace"), digest_size=12).hexdigest()
            url = f"{urldefrag(self._base).url}#{quote(name[:_LONGEST_NAME], safe='')}"
            fields["linked"] = False
        if url is None:
            self._counted["entries left out because they name no page"] += 1
        else:
            self._entries.setdefault(url, FeedEntry(url, **fields))

    def date(self, text: object) -> datetime | None:
        """Return a date of the feed; one that cannot be read is None with a warning."""
        found = parse_date(text) if isinstance(text, str) else None
        if found is None and text not in (None, ""):
            self.warn(f"date that cannot be read: {str(text)[:_LONGEST_SHOWN]!r}")
        return found

    def warn(self, warning: str) -> None:
        """Note what is wrong, once."""
        if len(self._warnings) < 20:
            self._warnings[warning] = None

    @property
    def entries(self) -> tuple[FeedEntry, ...]:
        """The entries, in the feed's order."""
        return tuple(self._entries.values())

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was wrong."""
        return (*self._warnings, *(f"{what}: {count}" for what, count in self._counted.items()))


_TAG = re.compile(r"<!--.*?(?:-->|\Z)|<[!/?]?[A-Za-z][^<>]*>", re.S)
_HIDDEN = re.compile(r"<(script|style)\b[^<>]*>.*?(?:</\1\s*>|\Z)", re.S | re.I)
_WITHIN_WORDS = re.compile(r"</?(?:a|abbr|b|bdi|em|font|i|mark|q|small|span|strong|sub|sup|u|wbr)\b", re.I)
_LONGEST_MARKUP = 100_000
_LONGEST_OWN_TEXT = 200_000


def plain_text(value: object, *, html: bool = True, longest: int = 2_000) -> str | None:
    """Return a text of a feed without markup, its spaces collapsed; None where nothing is left.

    Parameters
    ----------
    value : object
        What the feed has; anything but a string gives None.
    html : bool
        Whether tags and character references are markup, or stand for themselves.
    longest : int
        Most characters; more are cut off.
    """
    if not isinstance(value, str):
        return None
    text = value[:_LONGEST_MARKUP]
    if html:
        text = unescape(_TAG.sub(_space, _HIDDEN.sub(" ", text)))
    return " ".join(text.split())[:longest].rstrip() or None


def own_text(*texts: tuple[object, bool]) -> str | None:
    """Return the longest text of a feed as HTML, at most 200,000 characters; None where none has a word.

    Parameters
    ----------
    *texts : (object, bool)
        What the feed has, and whether it is HTML; anything but a string does not count.
    """
    found = [text if html else _paragraphs(text) for text, html in texts if isinstance(text, str)]
    best = max(found, key=len, default="")[:_LONGEST_OWN_TEXT]
    return best if plain_text(best) else None


def _paragraphs(text: str) -> str:
    return "".join(f"<p>{escape(line)}</p>" for line in text.splitlines() if line.strip())


def _space(tag: re.Match[str]) -> str:
    """Return what a tag leaves: nothing where it stands within a word, as <em> may."""
    return "" if _WITHIN_WORDS.match(tag[0]) else " "
