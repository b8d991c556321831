"""RSS, Atom and RDF, read by feedparser."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

from blockfeat.errors import FeedError
from blockfeat.monitor.feeds.feed import Feed, Gathering, own_text, plain_text
from blockfeat.monitor.feeds.xml_source import cut_at_last, parse_xml

if TYPE_CHECKING:
    from lxml import etree


_KINDS = {"rss": ("rss", "item"), "rdf": ("RDF", "item"), "atom": ("feed", "entry")}
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MOST_ATTRIBUTES = 50
_PERIODS = {"hourly": 3_600, "daily": 86_400, "weekly": 604_800, "monthly": 2_592_000, "yearly": 31_536_000}


def read_syndication(text: str, *, kind: str, url: str) -> Feed:
    """Read a feed that was decoded by `blockfeat.monitor.feeds.xml_source.safe_text`.

    Parameters
    ----------
    kind : str
        ``"rss"``, ``"rdf"`` or ``"atom"``.
    url : str
        Address of the feed; relative links refer to it, or to the ``xml:base`` that stands above them.

    Raises
    ------
    FeedError
        It cannot be parsed.
    """
    import feedparser
    from lxml import etree

    root_name, entry_name = _KINDS[kind]
    text, is_cut = cut_at_last(text, entry_name, root_name)
    root = parse_xml(text, url)
    _drop_attributes(root)
    # What lxml has mended is well-formed, so that feedparser reads it by its strict parser. A stream, because
    # feedparser takes other values for addresses and file names.
    mended = BytesIO(etree.tostring(root, encoding="utf-8", xml_declaration=True))
    headers = {"content-type": "application/xml; charset=utf-8", "content-location": url}
    try:
        parsed = feedparser.parse(mended, response_headers=headers, sanitize_html=False, resolve_relative_uris=False)
    except (ValueError, LookupError, AttributeError, TypeError, RecursionError) as error:
        raise FeedError(f"{url}: {error}") from error
    return _feed(parsed, root, kind, url, is_cut)


def _drop_attributes(root: etree._Element) -> None:
    """Leave each element its first attributes: feedparser takes quadratic time over them."""
    for element in root.iter():
        if len(element.attrib) > _MOST_ATTRIBUTES:
            for name in list(element.attrib)[_MOST_ATTRIBUTES:]:
                del element.attrib[name]


def _feed(parsed: Any, root: etree._Element, kind: str, url: str, is_cut: bool) -> Feed:
    gathering = Gathering(url)
    gathering.cut_off(is_cut)
    head = parsed.get("feed", {})
    for entry in parsed.get("entries", ()):
        _add(gathering, entry, kind, head.get("language"))
    if parsed.get("bozo"):
        gathering.warn("the XML is broken; what could be read was read")
    return Feed(
        kind=kind,
        title=_text(head, "title", kind),
        entries=gathering.entries,
        ttl_seconds=_ttl(head),
        skip_hours=_skip_hours(root),
        skip_days=_skip_days(root),
        warnings=gathering.warnings,
    )


def _add(gathering: Gathering, entry: Any, kind: str, lang: str | None) -> None:
    detail = entry.get("title_detail") or {}
    published, updated = _raw(entry, "published"), _raw(entry, "updated")
    if kind != "atom" and not published:
        # The one date of RDF and of many RSS feeds, dc:date, which feedparser files under ``updated``.
        published, updated = updated, None
    gathering.add(
        # FeedBurner's links lead over a counter to the page that it names beside them.
        entry.get("feedburner_origlink") or entry.get("link"),
        id=entry.get("id") or None,
        title=_text(entry, "title", kind),
        published=gathering.date(published),
        updated=gathering.date(updated),
        lang=_raw(entry, "language") or detail.get("language") or lang or None,
        summary=_text(entry, "summary", kind),
        content=own_text(*(_marked(part, kind) for part in (*entry.get("content", ()), entry.get("summary_detail")))),
    )


def _raw(entry: Any, name: str) -> str | None:
    """Return a field only where it was given: feedparser lends ``updated`` the value of ``published``."""
    value = dict.get(entry, name)
    return value if isinstance(value, str) else None


def _text(entry: Any, name: str, kind: str) -> str | None:
    """Return a text; in Atom plain text is plain, in RSS everything may have markup."""
    detail = entry.get(f"{name}_detail") or {}
    is_html = kind != "atom" or detail.get("type") != "text/plain"
    return plain_text(entry.get(name), html=is_html)


def _marked(part: Any, kind: str) -> tuple[object, bool]:
    """Return a text with whether it has markup, as feedparser describes it."""
    return (part or {}).get("value"), kind != "atom" or (part or {}).get("type") != "text/plain"


def _ttl(head: Any) -> int | None:
    """Return the seconds of ``<ttl>`` (minutes) or of ``sy:updatePeriod``, the longer of both."""
    minutes = _number(head.get("ttl"))
    period = _PERIODS.get(str(head.get("sy_updateperiod", "")).strip().lower())
    times = max(_number(head.get("sy_updatefrequency")) or 1, 1)
    seconds = max(minutes * 60 if minutes else 0, period // times if period else 0)
    return seconds or None


def _number(value: object) -> int | None:
    text = str(value or "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else None


def _skip_hours(root: etree._Element) -> tuple[int, ...]:
    hours = {_number(text) for text in _listed(root, "skipHours")}
    # RSS 0.91 counts the hours from 1 to 24.
    return tuple(sorted({hour % 24 for hour in hours if hour is not None and hour <= 24}))


def _skip_days(root: etree._Element) -> tuple[int, ...]:
    days = {text.strip().lower() for text in _listed(root, "skipDays")}
    return tuple(number for number, day in enumerate(_DAYS) if day in days)


def _listed(root: etree._Element, name: str) -> list[str]:
    """Return the texts of the children of elements of that local name."""
    return [child.text or "" for element in root.iter(f"{{*}}{name}") for child in element]
