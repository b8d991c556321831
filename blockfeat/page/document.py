"""One input page before parsing: checks for addresses and paths, plain text as markup, and the site of an address."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from blockfeat.errors import InputTypeError

if TYPE_CHECKING:
    from lxml import etree
    from publicsuffixlist import PublicSuffixList

NO_MARKUP = "the page has no markup: it is taken as plain text"
"""Warning of a page that is plain text."""

# Patterns are strings where most runs do not need them.
_ADDRESS = r"(?i)(?:(?!file:)[a-z][a-z0-9+.-]+://|www\.)[^\s。、，！？「」]+"
_SUFFIXES = "[xs]?html? xht mht mhtml php aspx? jsp xml txt md csv json jsonl ndjson warc parquet pdf docx? zip"
_SUFFIX = rf"\.(?:{_SUFFIXES.replace(' ', '|')})(?:\.(?:gz|bz2|xz|zst))?"
_ROOT = r"(?:file:/+|[a-z]:\\|\\\\|~/|/[\w.-]{3,}/)[\w.-]{2}"
_PATH = rf"(?i){_ROOT}\S*|(?:\.\.?/|{_ROOT}).*{_SUFFIX}|\S+{_SUFFIX}"
_LONGEST_NAME, _MOST_SHOWN = 4096, 80
_FETCH = "; blockfeat.fetch(url) extracts the page at an http or https address"
_READ_FIRST = "; read the file first, as pathlib.Path(path).read_bytes() does"

_AMPERSAND = rb"&(?!#?[0-9A-Za-z]{1,31};)"
_BETWEEN = rb"\n(?:[ \t]*\n)+"
_SHAPED = rb"(?m)^[ \t]|\t|   "


@dataclass(frozen=True, slots=True)
class Document:
    """A page that was read, or the reason why it could not be read.

    Attributes
    ----------
    id : str
        Name of the page in messages and output: path, address, record id or ``<file>:<line>``.
    data : bytes or str or None
        The page; None where ``error`` is set, or where only the address is known (``is_unfetched``).
    url : str or None
        Address of the page, after redirects; None if unknown.
    lang : str or None
        Language of the page according to the source.
    charset : str or None
        Encoding of the bytes according to the source (HTTP header, record field).
    error : str or None
        Why the page could not be read; names the input and the reason.
    """

    id: str
    data: bytes | str | None = field(repr=False)
    url: str | None = None
    lang: str | None = None
    charset: str | None = None
    error: str | None = None

    def __reduce__(self) -> tuple[type[Document], tuple[object, ...]]:
        """Pickle it as its values, which takes a fourth of the time that the fields one by one do."""
        return Document, (self.id, self.data, self.url, self.lang, self.charset, self.error)

    @property
    def is_unfetched(self) -> bool:
        """Whether the page is only an address that is still to be fetched."""
        return self.data is None and self.error is None and self.url is not None


if TYPE_CHECKING:
    PageInput = (
        str | bytes | bytearray | memoryview | Document | Mapping[str, Any] | etree._Element | etree._ElementTree
    )
else:
    PageInput = Any  # Without lxml, which takes long to load.


def as_document(page: object, id: str = "") -> Document:
    """Return a page in any form in which it can be given as a document, with this id where it has none of its own.

    Raises
    ------
    InputTypeError
        It is no page: of another type, or a mapping without one.
    """
    if isinstance(page, Document):
        return page
    if isinstance(page, Mapping) and isinstance(page.get("html"), (str, bytes, bytearray, memoryview)):
        given = {name: page[name] for name in ("url", "lang", "charset") if isinstance(page.get(name), str)}
        return Document(id=str(page.get("id") or id), data=_immutable(page["html"]), **given)
    if type(page).__module__.startswith("lxml.") and hasattr(page, "iter"):
        return _of_tree(cast("etree._Element", page), id)
    if isinstance(page, (str, bytes, bytearray, memoryview)):
        return Document(id=id, data=_immutable(page))
    raise wrong_type(page)


def _immutable(data: str | bytes | bytearray | memoryview) -> str | bytes:
    return data if isinstance(data, str) else bytes(data)


def _of_tree(tree: etree._Element | etree._ElementTree, id: str) -> Document:
    """Return a tree of lxml written out, with the address that it was parsed with."""
    from lxml import etree

    url = (tree if isinstance(tree, etree._ElementTree) else tree.getroottree()).docinfo.URL or ""
    data = etree.tostring(tree, encoding="unicode", method="html", with_tail=False)
    return Document(id=id, data=data, url=url if url.startswith(("http://", "https://")) else None)


def wrong_type(page: object) -> InputTypeError:
    """Return the error for a value that is neither str nor bytes-like; its message says how to get a page from it."""
    hints = (
        (isinstance(page, os.PathLike), _READ_FIRST),
        (hasattr(page, "read"), "; give what its read() returns"),
        (hasattr(page, "geturl"), _FETCH),
        (isinstance(page, Mapping), "; a mapping has the page as 'html', str or bytes"),
    )
    hint = next((hint for holds, hint in hints if holds), "")
    return InputTypeError(f"a page must be str or bytes, not {type(page).__name__}{hint}")


def check_is_no_name(text: str) -> None:
    """Raise InputTypeError if a str is an address or a path, without markup or white space, instead of a page."""
    if len(text) > _LONGEST_NAME:
        return
    name = text.strip()
    shown = name if len(name) <= _MOST_SHOWN else f"{name[:_MOST_SHOWN]}…"
    if re.fullmatch(_ADDRESS, name):
        raise InputTypeError(f"an address, not a page: {shown!r}{_FETCH}")
    if re.fullmatch(_PATH, name):
        raise InputTypeError(f"a path, not a page: {shown!r}{_READ_FIRST}")


def as_markup(data: bytes) -> bytes:
    """Convert plain text in UTF-8 to markup that renders the same: one paragraph for each run of non-blank lines.

    Line breaks stay; a paragraph with indented lines, tabs or columns is preformatted. Character references that end in
    a semicolon stay references.
    """
    text = re.sub(_AMPERSAND, b"&amp;", data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")).replace(b"<", b"&lt;")
    return b"".join(
        b"<pre>%b</pre>" % part if re.search(_SHAPED, part) else b"<p>%b</p>" % part.replace(b"\n", b"<br>")
        for part in re.split(_BETWEEN, text.strip(b"\n"))
    )


_HEAD = 100_000  # characters of a page that are searched for its address
# A tag ends at the next angle bracket and at 1,000 characters, so the search is linear in the page's length.
_TAG = r"(?i)<(link|meta|base)\b([^<>]{0,1000})"
_ATTRIBUTE = r"""([\w:.-]{1,40})\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'<>=`]+))"""


def host_of(address: str) -> str:
    """Return the host of an address in lower case, without port, credentials and a closing dot.

    Parameters
    ----------
    address : str
        An absolute address; the scheme may be missing before ``//``.

    Returns
    -------
    str
        Empty if the address has no host or is invalid.
    """
    try:
        host = (urlsplit(address.strip()).hostname or "").strip(".").lower()
    except ValueError:  # such as an unclosed bracket
        return ""
    return "" if any(character.isspace() for character in host) else host


def registered_domain(url: str) -> str | None:
    """Return the site of an address: its registered domain by the public suffix list that comes with a library.

    ``news.bbc.co.uk`` gives ``bbc.co.uk``. Suffixes of providers do not count: blogs of one (``x.wordpress.com``) fall
    together, which is the safe side for a split. Hosts without a registered domain and IP addresses stay whole.

    Parameters
    ----------
    url : str
        An absolute address; the scheme may be missing (``example.org/a``).

    Returns
    -------
    str or None
        The lower-case host; None if the address has none.
    """
    address = url.strip()
    if "://" not in address and not address.startswith("//"):
        address = "//" + address
    host = ".".join(label for label in host_of(address).split(".") if label)
    if not host or is_ip_address(host):
        return host or None
    domain: str | None = _public_suffixes().privatesuffix(host)
    return domain or host


@cache
def _public_suffixes() -> PublicSuffixList:
    """Read the list, a constant, at its first use: a third of a second, which one extraction need not wait for."""
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList(only_icann=True)


def guess_host(html: str) -> str | None:
    """Return the site that a page names as its own.

    Looks at ``<link rel=canonical>``, then ``<meta property=og:url>``, then ``<base href>`` within the first
    100,000 characters. Takes time linear in that length.

    Parameters
    ----------
    html : str
        The page.

    Returns
    -------
    str or None
        The host as `registered_domain` gives it; None if the page names no absolute address.
    """
    found: dict[str, str] = {}
    for match in re.finditer(_TAG, html[:_HEAD]):
        attributes = {
            name.lower(): double or single or bare for name, double, single, bare in re.findall(_ATTRIBUTE, match[2])
        }
        place, address = _named_address(match[1].lower(), attributes)
        if place and address and "//" in address:
            host = registered_domain(address)
            if host and "." in host:
                found.setdefault(place, host)
    return found.get("canonical") or found.get("og:url") or found.get("base")


def _named_address(tag: str, attributes: dict[str, str]) -> tuple[str, str]:
    """Return which of the three kinds a tag is ("" for none) and the address in it."""
    if tag == "base":
        return "base", attributes.get("href", "")
    if tag == "link" and "canonical" in attributes.get("rel", "").lower().split():
        return "canonical", attributes.get("href", "")
    names = (attributes.get("property", "").lower(), attributes.get("name", "").lower())
    if tag == "meta" and "og:url" in names:
        return "og:url", attributes.get("content", "")
    return "", ""


def is_ip_address(host: str) -> bool:
    """Return whether a host is given by its IP address."""
    import ipaddress

    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
