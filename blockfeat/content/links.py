"""Links: the targets that output may contain, what relative ones refer to, and those of a text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import quote, urljoin, urlsplit

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.page.encoding import unescape
from blockfeat.page.tags import Tags

_SCHEMES = ("http", "https", "mailto")
_SCHEME = re.compile("([^/?#:]*):")
# Spaces, controls, quotes, brackets and whatever else may end a link target in Markdown or HTML.
_ENCODED = re.compile(
    "[\x00-\x20\x7f-\xa0\"'()<>\\\\^`{|}\xad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000"
    "\ud800-\udfff\ufeff\ufffe\uffff]"
)
# Absolute addresses that resolving leaves as they are, and that are allowed as they are.
_ABSOLUTE = re.compile(r"https?://[\w.-]+(?:/[\w./%~+,=@:-]*)?(?:\?[\w./%~+,=@:&-]+)?", re.ASCII)
# Relative ones that are put behind the folder or the host as they are: no empty segments, none of dots.
_PLAIN_RELATIVE = re.compile(r"/?[\w-]+(?:[./][\w-]+)*/?(?:\?[\w./%~+,=@:&-]+)?", re.ASCII)
# What browsers strip before they parse a target.
_DROPPED = re.compile("^[\x00-\x20\x7f-\xa0]+|[\x00-\x20\x7f-\xa0]+$|[\t\n\r]+")
# Rounds of entity decoding that are checked; browsers and renderers each make at most one.
_MAX_DISGUISES = 5

# NUL and the control characters but tab and newline, C1 controls, lone surrogates.
_UNWANTED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_RETURN = re.compile("\r\n?")
# What stands for them: a space for control characters that separate words or lines, nothing for others.
_REPLACED = {**dict.fromkeys([*range(0x20), *range(0x7F, 0xA0)], ""), **dict.fromkeys(range(0xD800, 0xE000), "\ufffd")}
_REPLACED |= {0x09: "\t", 0x0A: "\n", **dict.fromkeys(map(ord, "\x0b\x0c\x1c\x1d\x1e\x1f\x85"), " ")}
_NOT_IN_XML = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_WHITE_SPACE = re.compile("[\t\n\x0b\x0c\r \x1c-\x1f\x85\u2028\u2029]+")
_NOT_BLANKS = re.compile("[\t\n\x0b\x0c\r\x1c-\x1f\x85\u2028\u2029]")
_NOT_PLAIN = re.compile("[&<>\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")

TEI_NAMESPACE = "http://www.tei-c.org/ns/1.0"
"""Namespace of what is written as TEI."""
MOST_LINKS = 200
"""Maximum number of links returned for a page."""

_LONGEST = 2_000


def safe_target(href: str) -> str | None:
    """Return a link target for output, or None if it is not allowed.

    Allowed are http, https, mailto and relative targets. Any other scheme is refused, also if white space,
    control characters, letter case or entities disguise it. Spaces, parentheses and other characters with a
    meaning in markup are percent-encoded.
    """
    if _ABSOLUTE.fullmatch(href):
        return href
    target = _DROPPED.sub("", href)
    if not target or not _scheme_allowed(target):
        return None
    return _ENCODED.sub(lambda match: quote(match.group(), safe="", errors="replace"), target)


def _scheme_allowed(target: str) -> bool:
    """Check the target as written and after each round of entity decoding.

    White space or control characters inside a scheme, which browsers ignore, make it a scheme that is not allowed.
    """
    for _ in range(_MAX_DISGUISES):
        scheme = _SCHEME.match(target)
        if scheme is not None and scheme.group(1).lower() not in _SCHEMES:
            return False
        decoded = unescape(target)
        if decoded == target:
            return True
        target = decoded
    return False


@dataclass(frozen=True)
class Base:
    """What the relative addresses of a page refer to; None where that is not known, so that they stay relative."""

    address: str | None

    @classmethod
    def of(cls, tags: Tags, url: str | None) -> Base:
        """Return the base of a page: its ``<base>`` on top of its address, of its canonical one where none is given.

        A ``<base>`` that is no web address counts for nothing, as in browsers.
        """
        address = url if url and _SCHEME.match(url) else first_address(tags, "link", "canonical")
        given = first_address(tags, "base")
        candidates = (_joined(address, given) if given else None, address)
        return cls(next((each for each in candidates if each and _is_web_address(each)), None))

    def resolved(self, href: str) -> str:
        """Return an address made absolute."""
        if not self.address or _ABSOLUTE.fullmatch(href):
            return href
        if _PLAIN_RELATIVE.fullmatch(href):
            return self._folders[href[0] == "/"] + href
        return _joined(self.address, href)

    @cached_property
    def _folders(self) -> tuple[str, str]:
        """What stands before an address relative to the page's folder, and before one relative to its host."""
        return _joined(self.address, "a")[:-1], _joined(self.address, "/a")[:-2]


def _is_web_address(address: str) -> bool:
    """Return whether an address is absolute and of the web: http or https, with a host."""
    if _ABSOLUTE.fullmatch(address):
        return True
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _joined(base: str | None, href: str) -> str:
    """Return an address resolved against a base; unchanged where it cannot be parsed."""
    cleaned = _DROPPED.sub("", href)
    try:
        return urljoin(base or "", cleaned)
    except ValueError:
        return href


def first_address(tags: Tags, name: str, rel: str | None = None) -> str | None:
    """Return the ``href`` of the first element of a name, with this ``rel`` where one is given."""
    elements, wanted = tags.named(name), (rel or "").encode()
    for element, tag in zip(elements.tolist(), tags.start_tags(elements), strict=True):
        # Few have it; a reference may stand for a letter.
        attributes = tags.attributes(element) if wanted in tag.lower() or b"&" in tag else {}
        if "href" in attributes and (rel is None or rel in attributes.get("rel", "").lower().split()):
            return attributes["href"].strip() or None
    return None


def clean_characters(text: str) -> str:
    """Return the text without NUL, lone surrogates and control characters except tab and newline.

    Carriage returns become newlines, separating controls a space, lone surrogates U+FFFD; the other
    controls are dropped. A clean text is returned unchanged.
    """
    return text if _UNWANTED.search(text) is None else _RETURN.sub("\n", text).translate(_REPLACED)


def xml_characters(text: str) -> str:
    """Return the text with only the characters of XML 1.0: clean, and without U+FFFE and U+FFFF."""
    return text if _NOT_IN_XML.search(text) is None else _NOT_IN_XML.sub("\ufffd", clean_characters(text))


def is_plain(text: str) -> bool:
    """Return whether nothing in a text has to be escaped in XML, replaced or folded; most of a page has not."""
    return "  " not in text and _NOT_PLAIN.search(text) is None


def fold_white_space(text: str) -> str:
    """Fold runs of spaces, tabs and line ends of any kind to one space (no-break spaces stay)."""
    return text if "  " not in text and _NOT_BLANKS.search(text) is None else _WHITE_SPACE.sub(" ", text)


@dataclass(frozen=True, slots=True)
class TextLink:
    """A link in the text: its words, and the absolute address that it points to."""

    text: str
    url: str


def links_of_text(blocks: Blocks, kept: NDArray[np.bool_], base: Base) -> tuple[TextLink, ...]:
    """Return the links that begin in the blocks that are kept, in order, at most `MOST_LINKS`.

    Only addresses of the web, absolute once they are resolved against ``base``; links without words are passed over.
    """
    text, owners = blocks.page_text.text, blocks.page_text.block_ends.searchsorted(blocks.anchors.start, "right")
    shown = (kept.take(owners, mode="clip") & (owners < kept.size)).nonzero()[0]
    found = []
    for element, start, end in zip(*(column[shown].tolist() for column in blocks.anchors[:3]), strict=True):
        words = " ".join(text[start:end].split())
        href = blocks.tags.attributes(element).get("href", "")
        target = base.resolved(href.strip()) if words and href and len(href) <= _LONGEST else ""
        if target and _is_web_address(target):
            found.append(TextLink(words, target))
        if len(found) == MOST_LINKS:
            break
    return tuple(found)
