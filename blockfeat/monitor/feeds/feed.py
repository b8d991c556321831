"""What a feed, a sitemap or a list of addresses says, and its entries as they are found."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_tz
from html import unescape
from urllib.parse import urljoin, urlsplit


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One page that a feed names.

    Attributes
    ----------
    url : str
        Absolute address of the page, http or https, as the feed has it.
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
    """

    url: str
    id: str | None = None
    title: str | None = None
    published: datetime | None = None
    updated: datetime | None = None
    lang: str | None = None
    summary: str | None = None


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


_LONGEST_ADDRESS = 8_192
_LONGEST_SHOWN = 60


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
    """

    def __init__(self, base: str) -> None:
        self._base = base
        self._entries: dict[str, FeedEntry] = {}
        self._warnings: dict[str, None] = {}
        self._counted: Counter[str] = Counter()

    def add(self, link: object, **fields: object) -> None:
        """Add an entry; one without a usable address is left out with a warning."""
        url = absolute(link, self._base)
        if url is None:
            self._counted["entries left out because they name no page"] += 1
        else:
            self._entries.setdefault(url, FeedEntry(url, **fields))  # type: ignore[arg-type]

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

    def cut_off(self, is_cut: bool) -> None:
        """Note whether the feed is cut off."""
        if is_cut:
            self.warn("the feed is cut off; its complete entries were read")

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
_LONGEST_MARKUP = 100_000


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


def _space(tag: re.Match[str]) -> str:
    """Return what a tag leaves: nothing where it stands within a word, as <em> may."""
    return (
        "" if re.match(r"</?(?:a|abbr|b|bdi|em|font|i|mark|q|small|span|strong|sub|sup|u|wbr)\b", tag[0], re.I) else " "
    )
