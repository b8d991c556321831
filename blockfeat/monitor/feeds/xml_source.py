"""Bytes of a feed to XML that is safe to parse: decoded, without a document type, complete up to the last entry."""

from __future__ import annotations

import re
import zlib
from collections import deque
from html.entities import html5
from typing import TYPE_CHECKING

from blockfeat.errors import FeedError
from blockfeat.page import decode

if TYPE_CHECKING:
    from lxml import etree


# The sitemap protocol allows 50 MB.
MAX_BYTES = 52_428_800
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_REFERENCE = re.compile(r"&(?:#(?:\d{1,7}|[xX][0-9a-fA-F]{1,6});|([A-Za-z][A-Za-z0-9]{1,31});)?")
_XML_NAMES = frozenset({"amp", "lt", "gt", "quot", "apos"})
_DECLARATION = re.compile(r"^\s*<\?xml[^>]{0,300}\?>")


def unpacked(data: bytes, url: str) -> bytes:
    """Return the bytes of a feed, decompressed if they are gzip.

    Raises
    ------
    FeedError
        More than 50 MB after decompression, or a damaged gzip file of which nothing can be read.
    """
    if not data.startswith(b"\x1f\x8b"):
        if len(data) > MAX_BYTES:
            raise FeedError(f"{url}: larger than {MAX_BYTES:,} bytes")
        return data
    unpacker = zlib.decompressobj(wbits=31)
    try:
        found = unpacker.decompress(data, MAX_BYTES + 1)
    except zlib.error as error:
        raise FeedError(f"{url}: damaged gzip file: {error}") from error
    if len(found) > MAX_BYTES:
        raise FeedError(f"{url}: larger than {MAX_BYTES:,} bytes after decompression")
    return found


def safe_text(data: bytes, charset: str | None, url: str) -> str:
    """Decode a feed and take out what a parser might act upon.

    The encoding is found as for pages, so that a wrong declaration does no harm. A document type is removed, named
    references of HTML become characters, and a lone ``&`` becomes ``&amp;``.

    Raises
    ------
    FeedError
        The feed declares entities.
    """
    text = _NOT_XML.sub("", decode(data, charset).text)
    text = _DECLARATION.sub("", text)
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
    at = 0
    while at < len(text):
        if text[at].isspace() or text[at] == "\ufeff":
            at += 1
        elif text.startswith("<!--", at):
            at = _behind(text, "-->", at)
        elif text.startswith("<?", at):
            at = _behind(text, "?>", at)
        else:
            break
    return at


def _behind(text: str, mark: str, start: int) -> int:
    at = text.find(mark, start)
    return len(text) if at < 0 else at + len(mark)


def _with_plain_references(text: str) -> str:
    """Replace references outside CDATA sections that XML does not know."""
    pieces: list[str] = []
    at = 0
    while at < len(text):
        opening = text.find("<![CDATA[", at)
        opening = len(text) if opening < 0 else opening
        pieces.append(_REFERENCE.sub(_reference, text[at:opening]))
        at = _behind(text, "]]>", opening) if opening < len(text) else opening
        pieces.append(text[opening:at])
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

    parser = etree.XMLParser(
        recover=True, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True
    )
    try:
        root = etree.fromstring(text.encode("utf-8", "surrogatepass"), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise FeedError(f"{url}: no XML that can be read: {error}") from error
    if root is None:
        raise FeedError(f"{url}: no XML that can be read")
    return root
