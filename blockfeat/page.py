"""Bytes or str to a parsed page: decoded, made safe, with a tree that holds all of its text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial

from lxml import etree

from blockfeat.encoding import Decoding, decode
from blockfeat.errors import InputTypeError, LimitExceeded, NotHTML
from blockfeat.markup import cut_raw_text, flatten, limit_attributes, strip_title_tags, without_open_tag

__all__ = ["Page"]

_SURROGATES = re.compile("[\ud800-\udfff]")
_TITLE_CHARACTERS = 5_000
_QUOTE_MARKS = (b'"', b"'")
_MAGIC = (
    (b"%PDF-", "PDF"),
    (b"\x89PNG", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"GIF8", "GIF"),
    (b"PK\x03\x04", "zip"),
    (b"\x7fELF", "ELF"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ", "xz"),
    (b"RIFF", "RIFF"),
    (b"OggS", "Ogg"),
    (b"\xd0\xcf\x11\xe0", "OLE"),
)
_CONTROLS = bytes(code for code in range(0x20) if code not in b"\t\n\r\f\x1b\x00")


@dataclass(frozen=True, slots=True)
class Page:
    """A parsed page.

    Attributes
    ----------
    root : lxml element or None
        The html element; None for a page without any markup or text.
    url : str or None
        Address of the page as the caller gave it.
    encoding, encoding_source : str
        What the bytes were decoded as and why (see `blockfeat.encoding.Decoding`); ``"str"`` for text.
    replaced : int
        Number of characters that were replaced by U+FFFD.
    warnings : tuple of str
        What was capped or repaired.
    """

    root: etree._Element | None
    url: str | None = None
    encoding: str = "utf-8"
    encoding_source: str = "str"
    replaced: int = 0
    warnings: tuple[str, ...] = ()

    @classmethod
    def parse(
        cls,
        html: str | bytes | bytearray | memoryview,
        *,
        url: str | None = None,
        charset: str | None = None,
        max_bytes: int | None = None,
        keep_raw_text: bool = False,
    ) -> Page:
        """Parse a page.

        Parameters
        ----------
        html : str or bytes-like
            The page. Bytes are decoded as `blockfeat.encoding.decode` says.
        url, charset : str, optional
            Address of the page; charset from the HTTP header.
        max_bytes : int, optional
            Largest page that is taken.
        keep_raw_text : bool
            Keep scripts, styles, drawings and comments in the tree.

        Raises
        ------
        InputTypeError
            ``html`` is neither str nor bytes-like.
        NotHTML
            The bytes are of another format.
        LimitExceeded
            The page is larger than ``max_bytes``.
        """
        if isinstance(html, str):
            _check_size(len(html), max_bytes)
            decoding = Decoding(html, "utf-8", "str")
            data, replaced = _to_utf_8(html)
        elif isinstance(html, (bytes, bytearray, memoryview)):
            raw = bytes(html)
            _check_size(len(raw), max_bytes)
            _check_format(raw)
            decoding = decode(raw, charset)
            unchanged = decoding.source in ("utf-8", "ascii")
            data, replaced = (raw, 0) if unchanged else _to_utf_8(decoding.text)
        else:
            raise InputTypeError(f"a page must be str or bytes, not {type(html).__name__}")
        root, warnings = _tree(data, keep_raw_text=keep_raw_text)
        replaced += decoding.replaced
        if replaced:
            warnings.append(f"{replaced} characters could not be decoded and were replaced")
        return cls(root, url, decoding.encoding, decoding.source, replaced, tuple(warnings))

    @property
    def title(self) -> str | None:
        """Text of the title element, white space folded; None where there is none."""
        if self.root is None:
            return None
        element = self.root.find("head/title")
        if element is None:
            element = self.root.find(".//title")
        folded = " ".join("".join(map(str, element.itertext())).split()) if element is not None else ""
        return folded or None

    @property
    def declared_lang(self) -> str | None:
        """Language that the page declares: ``lang`` of html or body, else http-equiv or og:locale."""
        if self.root is None:
            return None
        for element in (self.root, self.root.find("body")):
            if element is not None:
                value = element.get("lang") or element.get("xml:lang")
                if value:
                    return value
        for meta in self.root.iterfind("head/meta"):
            key = (meta.get("http-equiv") or meta.get("property") or meta.get("name") or "").lower()
            if key in ("content-language", "og:locale", "language") and meta.get("content"):
                return meta.get("content")
        return None

    def all_text(self) -> str:
        """Return every text node of the tree, in order, joined by spaces (the paper's strategy TB)."""
        return "" if self.root is None else " ".join(map(str, self.root.itertext(etree.Element)))


def _check_size(size: int, max_bytes: int | None) -> None:
    if max_bytes is not None and size > max_bytes:
        raise LimitExceeded(f"the page has {size:,} bytes, more than the limit of {max_bytes:,}")


def _check_format(data: bytes) -> None:
    """Raise NotHTML for bytes of another format, by signature or by their share of control characters."""
    for magic, name in _MAGIC:
        if data.startswith(magic):
            raise NotHTML(f"the bytes are {name}, not HTML")
    head = data[:1024]
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if controls > len(head) // 10 and controls > 1:
        raise NotHTML("the bytes look binary, not like HTML")


def _to_utf_8(text: str) -> tuple[bytes, int]:
    """Encode a text as UTF-8 with U+FFFD for lone surrogates; return the number of those too."""
    try:
        return text.encode("utf-8"), 0
    except UnicodeEncodeError:
        cleaned, replaced = _SURROGATES.subn("\ufffd", text)
        return cleaned.encode("utf-8"), replaced


def _tree(data: bytes, *, keep_raw_text: bool) -> tuple[etree._Element | None, list[str]]:
    """Parse UTF-8 markup; repair what makes libxml2 lose text."""
    warnings: list[str] = []
    if b"\x00" in data:
        data = data.replace(b"\x00", "\ufffd".encode())
        warnings.append("NUL characters were replaced")
    if b"\xc2\xad" in data or b"&shy;" in data:
        data = data.replace(b"\xc2\xad", b"").replace(b"&shy;", b"")  # soft hyphens cut words in two
    for repair in (partial(cut_raw_text, keep=keep_raw_text), limit_attributes):
        data, repaired = repair(data)
        warnings.extend(repaired)
    root, too_deep, is_whole = _parse(data)
    if too_deep:
        data = flatten(data)
        root, too_deep, is_whole = _parse(data)
        warnings.append("elements nested deeper than 512 levels were flattened")
        if too_deep:
            warnings.append("the page is nested too deeply: text may be missing")
    if root is not None and _is_swallowed(root):
        data = strip_title_tags(data)
        root, _, is_whole = _parse(data)
        warnings.append("an unclosed title element was removed")
    if not is_whole:
        root, repaired = _with_its_end(data)
        warnings.extend(repaired)
    return root, warnings


def _with_its_end(data: bytes) -> tuple[etree._Element | None, tuple[str, ...]]:
    """Parse markup whose end stands in a tag or in raw text; keep the text behind an unclosed attribute."""
    for _ in _QUOTE_MARKS:
        mended = without_open_tag(data)
        is_shortened = len(mended) < len(data)
        data = mended
        root, _, is_whole = _parse(data)
        if is_whole:
            return root, ("a tag that was never closed was removed",) if is_shortened else ()
    root, _, _ = _parse(data, end=b"")
    if root is not None and next(root.iter("plaintext", "xmp"), None) is not None:
        return root, ()
    return root, ("an unclosed element hides the end of the page",)


def _parse(data: bytes, end: bytes = b"<wbr id=blockfeat-end>") -> tuple[etree._Element | None, bool, bool]:
    """Parse with libxml2; return the root, whether it stopped early for depth, and whether it saw the end.

    An element put behind the page shows whether something swallowed the end; it is taken out again.
    """
    if not data or data.isspace():
        return None, False, True
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, no_network=True, remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(data + end, parser)
    except etree.XMLSyntaxError:
        return None, False, True
    error = parser.error_log.last_error
    too_deep = error is not None and error.message.startswith("Excessive depth")
    return root, too_deep, _take_end_out(root) if root is not None else True


def _take_end_out(root: etree._Element) -> bool:
    """Remove the element that marks the end; False if it is not there."""
    last = root
    while len(last):
        last = last[-1]
    parent = last.getparent()
    if parent is None or last.tag != "wbr" or last.get("id") != "blockfeat-end":
        return False
    parent.remove(last)
    return True


def _is_swallowed(root: etree._Element) -> bool:
    """Tell whether a title without an end tag holds what should be the body."""
    title = root.find("head/title")
    if title is None or len(title.text or "") < _TITLE_CHARACTERS:
        return False
    body = root.find("body")
    return body is None or len(body) == 0
