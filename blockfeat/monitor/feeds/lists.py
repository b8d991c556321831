"""Lists of feeds (OPML) and plain lists of addresses."""

from __future__ import annotations

from blockfeat.errors import FeedError
from blockfeat.monitor.feeds.feed import Feed
from blockfeat.monitor.feeds.gathering import Gathering, absolute
from blockfeat.monitor.feeds.plain_text import plain_text
from blockfeat.monitor.feeds.xml_source import parse_xml


def read_opml(text: str, *, url: str) -> Feed:
    """Read the feeds of an OPML outline, at whatever depth; raise FeedError where it cannot be parsed."""
    root = parse_xml(text, url)
    gathering = Gathering(url)
    gathering.cut_off("</opml" not in text[-2_000:].lower())
    feeds: dict[str, None] = {}
    for outline in root.iter("outline"):
        attributes = {str(name).lower(): str(value) for name, value in outline.attrib.items()}
        # A cut-off file ends in an outline whose address may be a part of one; the parser leaves that out.
        if "xmlurl" in attributes:
            address = absolute(attributes["xmlurl"], url)
            if address is None:
                gathering.warn(f"no address of a feed: {attributes['xmlurl'][:60]!r}")
            else:
                feeds[address] = None
    title = root.findtext("head/title")
    return Feed(kind="opml", title=plain_text(title), feeds=tuple(feeds), warnings=gathering.warnings)


def read_url_list(text: str, *, url: str) -> Feed:
    """Read a list of addresses, one a line; empty lines and those after ``#`` do not count.

    Raises
    ------
    FeedError
        No line is an address.
    """
    gathering = Gathering(url)
    for line in text.splitlines():
        word = line.strip().lstrip("\ufeff")
        if word and not word.startswith("#"):
            is_address = word.lower().startswith(("http://", "https://")) and len(word.split()) == 1
            gathering.add(word if is_address else None)
    if not gathering.entries:
        raise FeedError(f"{url}: neither a feed nor a list of addresses")
    return Feed(kind="list", entries=gathering.entries, warnings=gathering.warnings)
