"""Addresses of articles behind those of news searches: Google Alerts, Google News, Bing News."""

from __future__ import annotations

import base64
import binascii
import re
from urllib.parse import parse_qs, urlsplit

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
