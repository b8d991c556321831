"""Addresses of pages: their canonical form, and articles behind the links of news searches."""

from __future__ import annotations

import base64
import binascii
import re
from urllib.parse import parse_qs, urlsplit, urlunsplit

from blockfeat._files import bundled_table

_PARAMETERS = bundled_table("blockfeat.monitor.fetching", "tracking.toml")
_TRACKING = re.compile("|".join(_PARAMETERS["names"]))
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}


def canonical_url(url: str) -> str:
    """Return an address in its canonical form, which identifies a page.

    Scheme and host in lower case, the host in ASCII, no default port, no credentials and no fragment; dot segments
    resolved, percent-encoding and the order of parameters made uniform, tracking parameters removed. Addresses of
    different pages stay different: neither ``www.`` nor a closing slash nor a parameter that may select content goes.
    What cannot be read as an address comes back as it is.
    """
    from w3lib.url import canonicalize_url

    try:
        parts = urlsplit(canonicalize_url(url.strip(), keep_fragments=False))
    except ValueError:
        return url.strip()
    host = parts.netloc.rpartition("@")[2].lower().removesuffix(_DEFAULT_PORTS.get(parts.scheme, "\0"))
    kept = [pair for pair in parts.query.split("&") if pair and not _TRACKING.fullmatch(pair.partition("=")[0].lower())]
    return urlunsplit((parts.scheme.lower(), host, parts.path or "/", "&".join(kept), ""))


def netloc_of(url: str) -> str:
    """Return host and port of an address in lower case, without a default port and credentials."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return ""
    return parts.netloc.rpartition("@")[2].lower().removesuffix(_DEFAULT_PORTS.get(parts.scheme.lower(), "\0"))


# Where a search puts the address of the article: host, path, parameters that may hold it.
_IN_PARAMETERS = (
    (re.compile(r"(?:www\.)?google\.[a-z.]{2,6}"), "/url", ("url", "q")),
    (re.compile(r"(?:www\.)?bing\.com"), "/news/apiclick.aspx", ("url",)),
)
_GOOGLE_NEWS = re.compile(r"/(?:rss/)?(?:articles|read)/([A-Za-z0-9_-]{20,2000})")
_ADDRESS = re.compile(rb"https?://[\x21-\x7e]{4,2000}")
_WEB = ("http://", "https://")


def article_address(url: str) -> str | None:
    """Return the address of the article that a link of a news search leads to; None where the link hides it.

    Google Alerts and Bing News have it as a parameter, Google News in the name of older links (base64); newer links of
    Google News name it only to browsers that run scripts. Other addresses come back as they are.
    """
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").lower()
    except ValueError:
        return url
    for pattern, path, names in _IN_PARAMETERS:
        if pattern.fullmatch(host) and parts.path.lower() == path:
            found = parse_qs(parts.query)
            return next((value for name in names for value in found.get(name, ()) if value.startswith(_WEB)), url)
    if host == "news.google.com" and (named := _GOOGLE_NEWS.match(parts.path)):
        return _in_name(named[1])
    return url


def _in_name(name: str) -> str | None:
    """Return the first address in the name of a link of Google News: fields of protocol buffers in base64."""
    try:
        fields = base64.urlsafe_b64decode(name + "=" * (-len(name) % 4))
    except (binascii.Error, ValueError):
        return None
    found = _ADDRESS.search(fields)
    return found[0].decode("ascii") if found else None
