"""A feed from its bytes, of whatever kind it is."""

from __future__ import annotations

import re

from blockfeat.errors import FeedError
from blockfeat.monitor.feeds.feed import Feed
from blockfeat.monitor.feeds.json_feed import read_json_feed
from blockfeat.monitor.feeds.lists import read_opml, read_url_list
from blockfeat.monitor.feeds.sitemap import read_sitemap, read_sitemap_index
from blockfeat.monitor.feeds.syndication import read_syndication
from blockfeat.monitor.feeds.xml_source import safe_text, unpacked

_CHARSET = re.compile(r"charset\s{0,20}=\s{0,20}[\"']?([\w.:+-]{1,40})", re.I)
_ROOT = re.compile(r"<(?:[\w.-]{1,40}:)?([A-Za-z][\w.-]{0,40})")
_COMMENT_OR_INSTRUCTION = {"<!--": "-->", "<?": "?>"}
_SYNDICATION = {"rss": "rss", "feed": "atom", "rdf": "rdf"}
_XML_READERS = {"urlset": read_sitemap, "sitemapindex": read_sitemap_index, "opml": read_opml}


def read_feed(data: bytes, *, url: str, content_type: str | None = None) -> Feed:
    """Read a feed, a sitemap, an OPML file or a list of addresses; what it is, is seen by its content.

    Nothing is loaded from the network and no entity is expanded. Of a feed that is cut off, the complete entries are
    read; what is wrong stands in ``warnings``.

    Parameters
    ----------
    data : bytes
        The file, gzip or not.
    url : str
        Its address, after redirects; relative links refer to it.
    content_type : str, optional
        The header, for its charset; the bytes win over a wrong one.

    Raises
    ------
    FeedError
        It is none of these, declares entities, or is larger than 50 MB; the message names the address and the reason.
    """
    declared = _CHARSET.search(content_type or "")
    data = unpacked(data, url)
    text = safe_text(data, declared[1] if declared else None, url)
    start = _first_word(text)
    if text.startswith(("{", "["), start):
        return read_json_feed(text[start:], url=url)
    if not text.startswith("<", start):
        return read_url_list(text, url=url)
    root = _ROOT.match(text, start)
    name = root[1].lower() if root else ""
    if name in _SYNDICATION:
        return read_syndication(text, kind=_SYNDICATION[name], url=url)
    if name in _XML_READERS:
        return _XML_READERS[name](text, url=url)
    raise FeedError(f"{url}: {'a web page' if name == 'html' else f'<{name}>'}, not a feed")


def _first_word(text: str) -> int:
    """Return where the root element or the first other word begins, behind comments and instructions."""
    at = 0
    while at < len(text):
        if text[at].isspace() or text[at] == "\ufeff":
            at += 1
            continue
        mark = next((mark for mark in _COMMENT_OR_INSTRUCTION if text.startswith(mark, at)), None)
        if mark is None:
            break
        end = text.find(_COMMENT_OR_INSTRUCTION[mark], at)
        at = len(text) if end < 0 else end + len(_COMMENT_OR_INSTRUCTION[mark])
    return at
