"""XML of feeds, made safe to parse; RSS, Atom and RDF, read by feedparser; mentions as an Atom feed, and back."""

from __future__ import annotations

import re
import zlib
from collections import deque
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from html.entities import html5
from io import BytesIO
from itertools import islice
from typing import TYPE_CHECKING, Any

from blockfeat.content import xml_characters
from blockfeat.errors import FeedError
from blockfeat.monitor.feeds.feed import Feed, Gathering, own_text, plain_text
from blockfeat.page import decode

if TYPE_CHECKING:
    from jinja2 import Template
    from lxml import etree

# The sitemap protocol allows 50 MB.
MAX_BYTES = 52_428_800
SAFE: dict[str, Any] = {"resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": False}
"""Options of parsers: nothing is loaded, no entity is expanded."""
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_REFERENCE = re.compile(r"&(?:#(?:\d{1,7}|[xX][0-9a-fA-F]{1,6});|([A-Za-z][A-Za-z0-9]{1,31});)?")
_OPENING = "<![CDATA["
_XML_NAMES = frozenset({"amp", "lt", "gt", "quot", "apos"})
_BEFORE_WORDS = re.compile(r"(?:[\s\ufeff]|<!(?=--).*?(?:-->|\Z)|<(?=\?).*?(?:\?>|\Z))*+", re.S)
_DECLARATION = re.compile(r"^\s*<\?xml[^>]{0,300}\?>")


def unpacked(data: bytes, url: str) -> bytes:
    """Return the bytes of a feed, decompressed if they are gzip.

    Raises
    ------
    FeedError
        More than 50 MB after decompression, or a damaged gzip file of which nothing can be read.
    """
    is_packed = data.startswith(b"\x1f\x8b")
    try:
        found = zlib.decompressobj(wbits=31).decompress(data, MAX_BYTES + 1) if is_packed else data
    except zlib.error as error:
        raise FeedError(f"{url}: damaged gzip file: {error}") from error
    if len(found) > MAX_BYTES:
        raise FeedError(f"{url}: larger than {MAX_BYTES:,} bytes{' after decompression' * is_packed}")
    return found


def safe_text(data: bytes, charset: str | None, url: str) -> str:
    """Decode a feed and remove what is unsafe or invalid for an XML parser.

    The encoding is found as for pages, so that a wrong declaration does no harm. A document type is removed, named
    references of HTML become characters, and a lone ``&`` becomes ``&amp;``.

    Raises
    ------
    FeedError
        The feed declares entities.
    """
    text = _DECLARATION.sub("", _NOT_XML.sub("", decode(data, charset).text))
    return _with_plain_references(_without_document_type(text, url))


def _without_document_type(text: str, url: str) -> str:
    """Remove ``<!DOCTYPE …>`` before the root; refuse one with declarations of its own."""
    at = first_word(text)
    if text[at : at + 9].upper() != "<!DOCTYPE":
        return text
    bracket, closing = text.find("[", at), text.find(">", at)
    if closing < 0 or -1 < bracket < closing:
        raise FeedError(f"{url}: its document type declares entities, which are not read")
    return text[:at] + text[closing + 1 :]


def first_word(text: str) -> int:
    """Return where the root element or the first other word begins, behind comments and instructions."""
    found = _BEFORE_WORDS.match(text)
    return found.end() if found else 0


def _with_plain_references(text: str) -> str:
    """Replace entity references outside CDATA sections that XML does not define."""
    first, *sections = text.split(_OPENING)
    pieces = [_REFERENCE.sub(_reference, first)]
    for section in sections:
        inside, closing, behind = section.partition("]]>")
        pieces += (_OPENING, inside, closing, _REFERENCE.sub(_reference, behind))
    return "".join(pieces)


def _reference(match: re.Match[str]) -> str:
    name = match[1]
    if name is None:
        return match[0] if len(match[0]) > 1 else "&amp;"
    if name in _XML_NAMES:
        return match[0]
    return html5.get(f"{name};", f"&amp;{match[0][1:]}")


def cut_at_last(text: str, name: str, root: str) -> tuple[str, bool]:
    """Return the text up to its last complete entry, and whether anything is missing behind it.

    Parameters
    ----------
    name, root : str
        Local names of an entry (``item``) and of the root element (``rss``).
    """
    if _last_end(text, root) >= 0:
        return text, False
    end = _last_end(text, name)
    if end >= 0:
        return text[:end], True
    first = re.search(rf"<(?:[\w.-]{{1,40}}:)?{name}[\s>/]", text)
    return text[: first.start()] if first else text, True


def _last_end(text: str, name: str) -> int:
    """Return where the last end tag of an element ends, or -1."""
    ends = re.finditer(rf"</(?:[\w.-]{{1,40}}:)?{name}\s{{0,20}}>", text)
    last = deque(ends, maxlen=1)
    return last[0].end() if last else -1


def parse_xml(text: str, url: str) -> etree._Element:
    """Parse XML, mending what can be mended; no entity is expanded and nothing is loaded.

    Raises
    ------
    FeedError
        There is no element in it.
    """
    from lxml import etree

    parser = etree.XMLParser(recover=True, remove_comments=True, **SAFE)
    try:
        root = etree.fromstring(text.encode("utf-8", "surrogatepass"), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise FeedError(f"{url}: no XML that can be read: {error}") from error
    if root is None:
        raise FeedError(f"{url}: no XML that can be read")
    return root


_KINDS = {"rss": ("rss", "item"), "rdf": ("RDF", "item"), "atom": ("feed", "entry")}
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MOST_ATTRIBUTES = 50
# feedparser takes some 30 µs for an element, however short it is.
_FREE_ELEMENTS, _CHARACTERS_AN_ELEMENT = 10_000, 40
_ELEMENT = re.compile("<[^/?]")
_PERIODS = {"hourly": 3_600, "daily": 86_400, "weekly": 604_800, "monthly": 2_592_000, "yearly": 31_536_000}


def read_syndication(text: str, *, kind: str, url: str) -> Feed:
    """Read a feed that was decoded by `blockfeat.monitor.feeds.syndication.safe_text`.

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
    root, gathering = parse_xml(text, url), Gathering(url, is_cut=is_cut)
    most = _FREE_ELEMENTS + len(text) // _CHARACTERS_AN_ELEMENT
    text = etree.tostring(root, encoding="unicode")
    if behind := next(islice(_ELEMENT.finditer(text), most, None), None):
        gathering.warn(f"more than {most:,} elements; the entries before these were read")
        root = parse_xml(cut_at_last(text[: behind.start()], entry_name, root_name)[0], url)
    _drop_attributes(root)
    # What lxml has mended is well-formed, so that feedparser reads it by its strict parser. A stream, because
    # feedparser takes other values for addresses and file names.
    mended = BytesIO(etree.tostring(root, encoding="utf-8", xml_declaration=True))
    headers = {"content-type": "application/xml; charset=utf-8", "content-location": url}
    try:
        parsed = feedparser.parse(mended, response_headers=headers, sanitize_html=False, resolve_relative_uris=False)
    except (ValueError, LookupError, AttributeError, TypeError, RecursionError) as error:
        raise FeedError(f"{url}: {error}") from error
    return _feed(parsed, root, kind, gathering)


def _drop_attributes(root: etree._Element) -> None:
    """Leave each element its first attributes: feedparser takes quadratic time over them."""
    for element in root.iter():
        if len(element.attrib) > _MOST_ATTRIBUTES:
            for name in list(element.attrib)[_MOST_ATTRIBUTES:]:
                del element.attrib[name]


def _feed(parsed: Any, root: etree._Element, kind: str, gathering: Gathering) -> Feed:
    head, days = parsed.get("feed", {}), {text.strip().lower() for text in _listed(root, "skipDays")}
    for entry in parsed.get("entries", ()):
        _add(gathering, dict(entry), kind, head.get("language"))
    if parsed.get("bozo"):
        gathering.warn("the XML is broken; what could be read was read")
    return Feed(
        kind=kind,
        title=_text(head, "title", kind),
        entries=gathering.entries,
        ttl_seconds=_ttl(head),
        skip_hours=_skip_hours(root),
        skip_days=tuple(number for number, day in enumerate(_DAYS) if day in days),
        warnings=gathering.warnings,
    )


def _add(gathering: Gathering, entry: dict[str, Any], kind: str, lang: str | None) -> None:
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
    value = entry.get(name)
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


def _listed(root: etree._Element, name: str) -> list[str]:
    """Return the texts of the children of elements of that local name."""
    return [child.text or "" for element in root.iter(f"{{*}}{name}") for child in element]


_ATOM = "http://www.w3.org/2005/Atom"


def atom(
    rows: Iterable[Mapping[str, Any]], *, title: str, address: str, home: str = "", older: Iterable[str] = ()
) -> bytes:
    """Return mentions as an Atom feed.

    Parameters
    ----------
    rows : iterable of mapping
        ``id``, ``brand``, ``title``, ``url``, ``host``, ``sentence`` and ``fetched_at`` (or ``day``) of each.
    title, address : str
        Name and address of the feed, which is its id.
    home : str
        Address of its page; empty where it has none.
    older : iterable of str
        Entries that stand behind these, as `entries_of` returns them.
    """
    found = [{**row, "updated": row["fetched_at"] or f"{row['day']}T00:00:00Z"} for row in rows]
    now = datetime.now(UTC).isoformat(timespec="seconds")
    values = {"title": title, "address": address, "home": home, "rows": found, "older": older, "xml": xml_characters}
    updated = max((row["updated"] for row in found), default=now)
    filled = template("mentions.xml").render(values, updated=updated)
    return filled.encode("utf-8", "replace")


def entries_of(data: bytes) -> dict[str, str]:
    """Return the entries of a feed that `atom` has written, by id; none of a file that is damaged or something else."""
    from lxml import etree

    parser = etree.XMLParser(**SAFE)
    try:
        found = etree.fromstring(data, parser).findall(f"{{{_ATOM}}}entry")
    except etree.XMLSyntaxError:
        return {}
    names = [entry.findtext(f"{{{_ATOM}}}id", "").rpartition(":")[2] for entry in found]
    return dict(
        zip(names, (etree.tostring(entry, encoding="unicode", with_tail=False) for entry in found), strict=True)
    )


def template(name: str) -> Template:
    """Return a template of the package, which escapes what it is filled with."""
    from jinja2 import Environment, PackageLoader

    return Environment(loader=PackageLoader("blockfeat", "web/templates"), autoescape=True).get_template(name)
