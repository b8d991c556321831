"""Parse bytes or str into a page: decoded and repaired, with all of its text, as columns of tags."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape, unescape
from operator import itemgetter
from typing import TYPE_CHECKING

from blockfeat.errors import LimitExceeded, NotHTML
from blockfeat.page.document import NO_MARKUP, as_markup, check_is_no_name, wrong_type
from blockfeat.page.encoding import LEAST_PAIRS, Decoding, decode, mend_twice_encoded, source_of_utf_8, utf_16_order
from blockfeat.page.json_ld import declared_texts
from blockfeat.page.tables import NAMES
from blockfeat.page.tags import Tags, attributes_of, lxml_tree, name_key
from blockfeat.page.utf_8 import Marks, doubled_pairs

if TYPE_CHECKING:
    from lxml import etree


_SURROGATES = re.compile("[\ud800-\udfff]")
# Control characters become spaces; soft hyphens are removed.
_NOT_IN_TITLES = {**dict.fromkeys([*range(0x20), *range(0x7F, 0xA0)], " "), 0xAD: ""}
_FORMAT = re.compile(
    rb"(?P<PDF>%PDF-)|(?P<PNG>\x89PNG)|(?P<JPEG>\xff\xd8\xff)|(?P<GIF>GIF8[79]a)|(?P<zip>PK\x03\x04)|(?P<ELF>\x7fELF)|"
    rb"(?P<gzip>\x1f\x8b)|(?P<bzip2>BZh[1-9]1AY)|(?P<xz>\xfd7zXZ)|(?P<RIFF>RIFF.{4}(?:AVI |WAVE|WEBP))|"
    rb"(?P<Ogg>OggS\x00)|(?P<OLE>\xd0\xcf\x11\xe0)|(?P<PostScript>%!PS)|(?P<RTF>\{\\rtf)|(?P<tar>.{257}ustar)",
    re.DOTALL,
)
# Controls that text does not contain; bell to carriage return and escape occur in logs and in ISO-2022.
_CONTROLS = bytes([*range(1, 7), *range(14, 27), *range(28, 32), 127])
_SAMPLE_BYTES, _SAMPLES = 512, 4
_MEGABYTE = 1024 * 1024
_FREE_BYTES, _BYTES_A_BYTE = 64 * _MEGABYTE, 25
_BYTES_OF_ELEMENT, _BYTES_OF_REFERENCE = 1_900, 60

_TAG = re.compile(rb"<(?:/[a-z]|!(?:--|\[|doctype)|\?[a-z]|([a-z][a-z0-9]{0,10})[\s/>])", re.IGNORECASE)
_OF_HTML_5 = "aside audio details dialog figcaption figure footer header hgroup main nav picture search summary video"
_ELEMENTS = frozenset(name.encode() for name in (*NAMES, *_OF_HTML_5.split()))

_TITLE, _DESCRIPTION = name_key("title"), b'escription"'
_LANGUAGES = ("language", "content-language", "og:locale")
_OF_LANGUAGES = Marks.of((b"language", b"og:locale"))
# From attribute to attribute: a value may end in " lang=".
_LANG, _XML_LANG = (re.compile(rb'<[^\s>]+(?:\s[^\s=]+="[^"]*")*?\s%slang="([^"]+)"' % xml) for xml in (b"", b"xml:"))
_CONTENT = re.compile(rb'\scontent="([^"]*)"')
_MOST_DESCRIPTIONS, _LONGEST_DESCRIPTION = 4, 600


@dataclass(frozen=True, eq=False)
class DeclaredText:
    """Texts that a page declares, plain; empty where it declares none. Those of JSON-LD are read at first use.

    Attributes
    ----------
    title : str
        The text of its title element.
    descriptions : str
        Its descriptions (plain, og, twitter), a line each.
    data : bytes
        The page, UTF-8.
    scripts : tuple of (int, int)
        Where its JSON-LD begins and ends.
    """

    title: str = ""
    descriptions: str = ""
    data: bytes = field(default=b"", repr=False)
    scripts: tuple[tuple[int, int], ...] = ()

    @property
    def body(self) -> str:
        """All ``articleBody`` of the JSON-LD, a line each."""
        return self._texts[0]

    @property
    def other(self) -> str:
        """All ``text`` of the JSON-LD: of answers, posts, comments, a line each."""
        return self._texts[1]

    @cached_property
    def _texts(self) -> tuple[str, str]:
        return declared_texts(self.data, self.scripts)


_TEMPLATE = re.compile(r'\stype="\s*text/(?:x-)?template\s*"', re.IGNORECASE)
# Ends what may be open, so that markup behind it is read.
_ENDS = b"</script></style></textarea></title></iframe></noscript></template></select><p>"

NOTHING_DECLARED = DeclaredText()
"""The declared text of an input that is no page."""


@dataclass(frozen=True)
class Page:
    """A parsed page.

    Attributes
    ----------
    tags : Tags or None
        Its tree as columns, the first element is html; None for a page without any markup or text.
    url : str or None
        Address of the page as the caller gave it.
    encoding, encoding_source : str
        The encoding of the bytes, and how it was found (`blockfeat.page.encoding.Decoding`); ``"str"`` for text.
    replaced : int
        Number of characters that were replaced by U+FFFD.
    warnings : tuple of str
        What was capped or repaired.
    declared : DeclaredText
        What the page declares of its text, in its head and in JSON-LD.
    data : bytes
        The page as it was read, in UTF-8.
    body : int
        Where the start tag of its body stands in the source of ``tags``; 0 where there is none.
    title : str or None
        Text of the title element, white space folded; None where there is none.
    declared_lang : str or None
        Language that the page declares: ``lang`` of html or body, else http-equiv or og:locale.
    has_markup : bool
        False for plain text, which is read as the markup of its paragraphs.
    """

    tags: Tags | None
    url: str | None = None
    encoding: str = "utf-8"
    encoding_source: str = "str"
    replaced: int = 0
    warnings: tuple[str, ...] = ()
    declared: DeclaredText = NOTHING_DECLARED
    data: bytes = field(default=b"", repr=False)
    body: int = 0
    title: str | None = None
    declared_lang: str | None = None
    has_markup: bool = True

    @classmethod
    def parse(
        cls,
        html: str | bytes | bytearray | memoryview,
        *,
        url: str | None = None,
        charset: str | None = None,
        max_bytes: int | None = None,
        keep_raw_text: bool = False,
        keep_drawings: bool = False,
    ) -> Page:
        """Parse a page.

        Parameters
        ----------
        html : str or bytes-like
            The page. Bytes are decoded as `blockfeat.page.encoding.decode` says.
        url, charset : str, optional
            Address of the page; charset from the HTTP header.
        max_bytes : int, optional
            Size limit of a page in bytes; of a str, in UTF-8.
        keep_raw_text : bool
            Keep scripts, styles and drawings in the tree.
        keep_drawings : bool
            Keep drawings (svg), for tag tables that read them.

        Raises
        ------
        InputTypeError
            ``html`` is neither str nor bytes-like, or a str that is an address or a path.
        NotHTML
            The page is of another format.
        LimitExceeded
            The page is larger than ``max_bytes``.
        """
        data, decoding, decoded = _in_utf_8(html, charset, max_bytes)
        is_marked_up = _has_markup(data) or not data.strip()
        if not is_marked_up:
            _check_is_text(data, is_plain=True)
            data = as_markup(data)
        tags, scripts, mended, unnamed = _read(data, keep_raw_text=keep_raw_text, keep_drawings=keep_drawings)
        warnings = [*decoded, *mended]
        if not is_marked_up:
            warnings.append(NO_MARKUP)
        replaced = decoding.replaced + unnamed
        if replaced:
            warnings.append(f"{replaced} characters could not be decoded and were replaced")
        body, first = (0, -1) if tags is None else (tags.body(), tags.first(_TITLE))
        title = tags.text(first) if tags is not None and first >= 0 else ""
        return cls(
            tags=tags,
            url=url,
            encoding=decoding.encoding,
            encoding_source=decoding.source,
            replaced=replaced,
            warnings=tuple(warnings),
            declared=DeclaredText(title, "" if tags is None else _descriptions(tags.source, body), data, scripts),
            data=data,
            body=body,
            title=" ".join((title if title.isprintable() else title.translate(_NOT_IN_TITLES)).split()) or None,
            declared_lang=None if tags is None else _declared_lang(tags, body),
            has_markup=is_marked_up,
        )

    @property
    def linked_data(self) -> tuple[bytes, ...]:
        """The JSON-LD scripts of the page, in UTF-8."""
        return tuple(self.data[start:end] for start, end in self.declared.scripts)

    def with_hidden_text(self) -> Page | None:
        """Return the page with text behind its end that only attributes and scripts hold, and a warning that says so.

        That of the first kind that has any: ``srcdoc`` of frames, text areas, templates in scripts, ``articleBody`` of
        JSON-LD. None where there is no such text.
        """
        tags = Tags.read(self.data, keeps_raw_text=True).tags
        frames, areas, scripts = (tags.named(name).tolist() for name in ("iframe", "textarea", "script"))
        texts = {
            "frames (srcdoc)": [tags.attributes(frame).get("srcdoc", "") for frame in frames],
            "text areas": map(tags.text, areas),
            "templates": [tags.text(script) for script in scripts if _TEMPLATE.search(tags.start_tag(script))],
            "JSON-LD (articleBody)": map(escape, self.declared.body.splitlines()),
        }
        joined = ((kind, "<p>".join(found).strip()) for kind, found in texts.items())
        kind, text = next(filter(itemgetter(1), joined), ("", ""))
        if not text:
            return None
        found = Page.parse((self.data + _ENDS).decode("utf-8", "replace") + text, url=self.url)
        known = {name: getattr(self, name) for name in ("encoding", "encoding_source", "replaced", "has_markup")}
        return replace(found, warnings=(*self.warnings, f"the page has no text but that of its {kind}"), **known)

    @cached_property
    def tree(self) -> etree._Element | None:
        """The page as it was read and mended as a tree of lxml, made at first use; None for a page without tags.

        It has the elements of `tags` in the same order, so that an XPath of one holds in the other.
        """
        return None if self.tags is None else lxml_tree(self.tags)

    def __getstate__(self) -> dict[str, object]:
        """Leave out lxml's tree, which cannot be pickled; it is made again at its next use."""
        return {name: value for name, value in vars(self).items() if name != "tree"}

    def all_text(self) -> str:
        """Return every text node of the tree, in order, joined by spaces (the paper's strategy TB)."""
        return "" if self.tags is None else self.tags.all_text()


def _in_utf_8(
    html: str | bytes | bytearray | memoryview, charset: str | None, max_bytes: int | None
) -> tuple[bytes, Decoding, list[str]]:
    """Return a page in UTF-8, how it was decoded, and warnings about its characters."""
    if isinstance(html, str):
        if "<" not in html:
            check_is_no_name(html)
        data, replaced = _to_utf_8(html)
        decoding = Decoding(html, "utf-8", "str", replaced)
        _check_size(len(data), max_bytes)
        _check_format(data)
    elif isinstance(html, (bytes, bytearray, memoryview)):
        raw = bytes(html)
        _check_size(len(raw), max_bytes)
        _check_format(raw)
        source = source_of_utf_8(raw)
        _check_is_text(raw, None if source else utf_16_order(raw, charset))
        if source is not None:
            return raw, Decoding("", "utf-8", source), []
        decoding = decode(raw, charset)
        data, _ = _to_utf_8(decoding.text)
    else:
        raise wrong_type(html)
    mended, passages = mend_twice_encoded(data) if doubled_pairs(data) >= LEAST_PAIRS else (data, 0)
    warnings = ["NUL characters were replaced"] if 0x00 in data else []
    if passages:
        warnings.append(f"{passages} passages were encoded as UTF-8 twice and were mended")
    return mended, decoding, warnings


def _check_size(size: int, max_bytes: int | None) -> None:
    if max_bytes is not None and size > max_bytes:
        raise LimitExceeded(f"the page has {size:,} bytes, more than the limit of {max_bytes:,}")


def check_memory(size: int, needed: int, what: str) -> None:
    """Raise LimitExceeded for what takes more than 64 MB and 25 times the bytes of its page."""
    most = _FREE_BYTES + _BYTES_A_BYTE * size
    if needed > most:
        takes = f"{needed // _MEGABYTE:,} MB, for a page of {size:,} bytes at most {most // _MEGABYTE:,}"
        raise LimitExceeded(f"{what} would take {takes}")


def check_tree(size: int, tags: Tags) -> None:
    """Raise LimitExceeded where a tree that is written and read again takes too much for a page of a size."""
    needed = _BYTES_OF_ELEMENT * len(tags) + _BYTES_OF_REFERENCE * tags.source.count(b"&")
    check_memory(size, needed, "the elements of the page")


def _check_format(data: bytes) -> None:
    """Raise NotHTML for another format, by its signature."""
    if found := _FORMAT.match(data):
        raise NotHTML(f"the bytes are {found.lastgroup}, not HTML")


def _check_is_text(data: bytes, order: str | None = None, *, is_plain: bool = False) -> None:
    """Raise NotHTML if the beginning of the data, or samples further on, have too many control characters.

    ``order`` is UTF-16 or UTF-32 with its byte order where the bytes are in one of them.
    """
    sample = data
    if len(data) > _SAMPLES * _SAMPLE_BYTES:
        # Aligned to four bytes, for UTF-32.
        step = len(data) // _SAMPLES & ~3
        sample = b"".join([data[place : place + _SAMPLE_BYTES] for place in range(0, step * _SAMPLES, step)])
    if order is not None:
        # Every second byte of Cyrillic would look like a control character.
        sample = sample.decode(order, "replace").encode("utf-8", "replace")
    # Of 6,689 pages one has any, ten; random bytes have 190. NUL stands in holes and padded fields of pages.
    controls, few, share = (b"\0" + _CONTROLS, 1, 0.01) if is_plain else (_CONTROLS, 32, 0.05)
    if len(sample) - len(sample.translate(None, controls)) > max(few, share * len(sample)):
        raise NotHTML("the bytes look binary, not like HTML")


def _has_markup(data: bytes) -> bool:
    """Return whether some text has a tag of HTML, an end tag, a comment or a declaration: not ``<stdio.h>``."""
    return any(found[1] is None or found[1].lower() in _ELEMENTS for found in _TAG.finditer(data))


def _to_utf_8(text: str) -> tuple[bytes, int]:
    """Encode a text as UTF-8 with U+FFFD for lone surrogates; return the number of those too."""
    try:
        return text.encode("utf-8"), 0
    except UnicodeEncodeError:
        cleaned, replaced = _SURROGATES.subn("\ufffd", text)
        return cleaned.encode("utf-8"), replaced


def _read(
    data: bytes, *, keep_raw_text: bool, keep_drawings: bool
) -> tuple[Tags | None, tuple[tuple[int, int], ...], tuple[str, ...], int]:
    """Read UTF-8 markup.

    Returns its tags (None where there are none), where its JSON-LD begins and ends, warnings of what was mended, and
    the number of character references that name no character.
    """
    if not data or data.isspace():
        return None, (), (), 0
    read = Tags.read(data, keeps_raw_text=keep_raw_text, keeps_drawings=keep_drawings or keep_raw_text)
    tags = read.tags
    if read.may_have_formulas and not keep_raw_text:
        from blockfeat.page.formulas import with_formulas

        tags = with_formulas(tags)
    return tags if len(tags) else None, read.linked_data, read.warnings, read.replaced


def _descriptions(source: bytes, body: int) -> str:
    """Return the descriptions in a page's head, one a line."""
    head = body or len(source)
    found: dict[str, None] = {}
    at = source.find(_DESCRIPTION, 0, head)
    while at >= 0 and len(found) < _MOST_DESCRIPTIONS:
        start, stop = source.rfind(b"<", 0, at), source.find(b">", at)
        content = _CONTENT.search(source, start, stop) if source.startswith(b"<meta ", start) else None
        if content:
            found[unescape(content[1][:_LONGEST_DESCRIPTION].decode("utf-8", "replace"))] = None
        at = source.find(_DESCRIPTION, stop, head)
    return "\n".join(found)


def _declared_lang(tags: Tags, body: int) -> str | None:
    """Return the language that a page declares, given where its body begins."""
    source = tags.source
    # Most pages say it in the first element, or nowhere: attributes take ten times as long as a search for the name.
    for start in (int(tags.start[tags.opened[0]]), body):
        start_tag = source[start : source.find(b">", start)]
        if b"lang=" in start_tag and (found := _LANG.match(start_tag) or _XML_LANG.match(start_tag)):
            return unescape(found[1].decode("utf-8", "replace"))
    elements = tags.named("meta")
    for start_tag in tags.start_tags(elements) if tags.marked(elements, _OF_LANGUAGES)[0] else ():
        meta = attributes_of(start_tag.decode("utf-8", "replace"))
        key = (meta.get("http-equiv") or meta.get("property") or meta.get("name") or "").lower()
        if key in _LANGUAGES and meta.get("content"):
            return meta["content"]
    return None
