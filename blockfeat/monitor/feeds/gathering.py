"""The entries of one feed as they are found: each address once, what is wrong noted."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from urllib.parse import urljoin, urlsplit

from blockfeat.monitor.feeds.dates import parse_date
from blockfeat.monitor.feeds.feed import FeedEntry

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
