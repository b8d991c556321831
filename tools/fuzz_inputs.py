"""What the fuzzer holds against other inputs than pages, and against what is made of pages for others.

Feeds, web archives, model files and configurations may be refused by an error of the library, never by another
exception. Pages are read by the names of trafilatura, and as Markdown that a CommonMark parser reads back without
markup or addresses that nobody wrote on purpose.
"""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.resources import files
from itertools import islice
from typing import NamedTuple

from blockfeat.errors import BlockfeatError

_MOST = 200
_DEMO_BYTES = 4_000
_RAISED = frozenset(f"<{end}{name}>" for end in ("", "/") for name in ("sup", "sub", "u", "br"))
_SCHEMES = ("http:", "https:", "mailto:", "#")
_OTHER_FORMATS = ("txt", "markdown", "json", "html", "xml")
_FEEDS = (
    b'<?xml version="1.0"?><rss version="2.0"><channel><title>News</title><language>de</language><item>'
    b"<title>One &amp; two</title><link>https://news.example/1</link><guid>1</guid>"
    b"<pubDate>Tue, 24 Nov 2026 10:00:00 GMT</pubDate><description>&lt;p&gt;The ferry left.&lt;/p&gt;</description>"
    b"</item></channel></rss>",
    b'<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><entry><id>urn:1</id><title type="html">One</title>'
    b'<link href="/1"/><updated>2026-11-24T10:00:00Z</updated><summary>The ferry left.</summary></entry></feed>',
    b'{"version": "https://jsonfeed.org/version/1.1", "title": "News", "items": [{"id": "1", "url": "https://news.example/1",'
    b' "content_text": "The ferry left.", "date_published": "2026-11-24T10:00:00Z"}]}',
    b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://news.example/1</loc>'
    b"<lastmod>2026-11-24</lastmod></url></urlset>",
    b'<opml version="2.0"><body><outline type="rss" xmlUrl="https://news.example/feed"/></body></opml>',
    b"https://news.example/1\nhttps://news.example/2\n",
)
_PAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>The ferry leaves at nine and returns before dark.</p>"
_RECORD = (
    b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000000>\r\n"
    b"WARC-Date: 2026-11-24T10:00:00Z\r\nWARC-Target-URI: https://news.example/1\r\n"
    b"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%b\r\n\r\n" % (len(_PAGE), _PAGE)
)
_MONITOR = b"""store = "brands.db"
[[brands]]
name = "Zwirnwerk"
aliases = ["ZW", { name = "Zwirn", languages = ["de"] }]
[[sources]]
url = "https://news.example/feed"
kind = "feed"
[alerts]
min_score = 0.5
"""


class Target(NamedTuple):
    """Inputs of one kind: what reads them, and what to begin with."""

    read: Callable[[bytes], object]
    seeds: Callable[[], Iterator[bytes]]


def _read_feed(data: bytes) -> object:
    from blockfeat.monitor.feeds.reading import open_feed

    feed, entries = open_feed(data, url="https://news.example/feed")
    return feed, list(islice(entries, _MOST))


def _read_archive(data: bytes) -> object:
    from blockfeat.io.inputs.records import warc_pages

    return list(islice(warc_pages("a.warc", io.BytesIO(data)), _MOST))


def _archives() -> Iterator[bytes]:
    yield 2 * _RECORD
    yield b"".join(map(gzip.compress, (_RECORD, _RECORD)))
    yield gzip.compress(2 * _RECORD)


def _read_model(data: bytes) -> object:
    from blockfeat.models.store import model_from_bytes

    def missing(name: str) -> bytes:
        raise FileNotFoundError(name)

    return model_from_bytes(data, where="a model", read=missing)


def _models() -> Iterator[bytes]:
    for entry in files("blockfeat.models").joinpath("bundled").iterdir():
        if entry.name.endswith(".json") or entry.name.startswith("crunch"):
            yield entry.read_bytes()
    rules = b'{"learnt": {"pages": 5}, "rules": [{"do": "drop", "where": ".b", "why": ""}]}'
    yield b'{"kind": "site", "schema": 1, "name": "a", "from": "margin", "sites": {"a": %b}}' % rules


def _read_configuration(data: bytes) -> object:
    from blockfeat.monitor.config import parse_config

    return parse_config(data.decode("utf-8", "replace"))


def _configurations() -> Iterator[bytes]:
    yield _MONITOR
    yield files("blockfeat.monitor").joinpath("example.toml").read_bytes()


def _read_markdown(data: bytes) -> object:
    from markdown_it import MarkdownIt

    import blockfeat
    from fuzz_target import with_all_blocks

    reader = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    found = blockfeat.extract(data, url="https://news.example/1")
    for extraction in (found, with_all_blocks(found)):
        waiting = reader.parse(extraction.to_markdown(links=True, images=True))
        while waiting:
            token = waiting.pop()
            waiting += token.children or ()
            is_markup = token.type.startswith("html") and token.content not in _RAISED
            assert not is_markup, f"markup in Markdown: {token.content}"
            target = str(token.attrGet("href") or token.attrGet("src") or "https:")
            assert target.startswith(_SCHEMES), f"address in Markdown: {target}"
    return found


def _read_by_other_names(data: bytes) -> object:
    from blockfeat.compat import trafilatura

    found = [trafilatura.extract(data, output_format=name, with_metadata=True) for name in _OTHER_FORMATS]
    for options in ({"favor_recall": True}, {"include_links": True, "include_images": True}):
        found.append(trafilatura.extract(data, url="https://news.example/1", **options))
    with suppress(BlockfeatError):
        trafilatura.extract_metadata(data)
    return [*found, trafilatura.bare_extraction(data, as_dict=True), trafilatura.html2txt(data)]


def _pages() -> Iterator[bytes]:
    from hostile import hostile_pages

    yield from (page for _, _, page in hostile_pages((300,)))
    demo = files("blockfeat.data").joinpath("demo", "demo.jsonl").read_text(encoding="utf-8")
    yield from (json.loads(line)["html"].encode()[:_DEMO_BYTES] for line in demo.splitlines())


TARGETS: dict[str, Target] = {
    "feed": Target(_read_feed, lambda: iter(_FEEDS)),
    "archive": Target(_read_archive, _archives),
    "model": Target(_read_model, _models),
    "configuration": Target(_read_configuration, _configurations),
    "markdown": Target(_read_markdown, _pages),
    "compat": Target(_read_by_other_names, _pages),
}


def complaint_about(kind: str, data: bytes) -> str | None:
    """Return the exception that an input of a kind raises, None for a result or an error of the library."""
    try:
        TARGETS[kind].read(data)
    except BlockfeatError:
        return None
    except Exception as error:  # any other is a finding
        frame, line = error.__traceback__, 0
        while frame is not None:
            line, frame = frame.tb_lineno, frame.tb_next
        return f"{type(error).__name__} at line {line}"
    return None
