"""Sources of a site, and articles behind the links of news searches."""

import asyncio
import base64

import pytest

from blockfeat.errors import InputError
from blockfeat.monitor.crawl.visiting import page_entry
from blockfeat.monitor.discovery import discover, feed_links
from blockfeat.monitor.feeds.feed import FeedEntry
from blockfeat.monitor.fetching.urls import article_address
from fetching import Web

_HOME = """<html><head><link rel="alternate" type="application/rss+xml" href="/news.rss">
<link rel="alternate" type="application/rss+xml; charset=utf-8" href="https://other.example/comments">
<link rel="alternate" hreflang="de" href="/de"><link rel="ALTERNATE stylesheet" type="text/css" href="/x.css">
<link rel="alternate" type="application/atom+xml"></head><body>Text"""
_RSS = """<rss version="2.0"><channel><title>News of Ostermole</title>%s</channel></rss>"""
_JSON = '{"version": "https://jsonfeed.org/version/1", "items": [{"id": "1", "url": "https://example.org/1"}]}'
_ROBOTS = "User-agent: *\nSitemap: https://example.org/map.xml\nsitemap: /broken.xml"
_PAGE = "<url><loc>https://example.org/%d</loc></url>"
_ITEM = "<item><title>One</title><link>https://example.org/%d</link></item>"
_MAP = """<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">%s</urlset>"""


def _site(pages: dict[str, str]) -> Web:
    site = Web()
    for url, text in pages.items():
        site.put(url, text)
    return site


def test_feeds_of_the_page_of_robots_and_at_usual_addresses() -> None:
    own = {
        "": _HOME,
        "robots.txt": _ROBOTS,
        "news.rss": _RSS % "".join(_ITEM % number for number in range(3)),
        "map.xml": _MAP % "".join(_PAGE % number for number in range(5)),
        "broken.xml": "<urlset><",
        "feed.json": _JSON,
        "feed": "<html><title>No feed</title>",
    }
    site = _site({f"https://example.org/{name}": text for name, text in own.items()})
    site.put("https://other.example/comments", _RSS % "")
    found = asyncio.run(discover("example.org", site))
    assert [(feed.url, feed.kind, feed.entries, feed.named_by) for feed in found] == [
        ("https://example.org/map.xml", "sitemap", 5, "robots.txt"),
        ("https://example.org/news.rss", "rss", 3, "page"),
        ("https://example.org/feed.json", "json", 1, "usual address"),
    ]
    assert (found[1].title, len(site.asked) < 45) == ("News of Ostermole", True)


def test_a_site_that_is_none_or_cannot_be_had() -> None:
    for address, reason in (("https://", "no host"), ("gone.example", "404")):
        with pytest.raises(InputError, match=reason):
            asyncio.run(discover(address, _site({})))
    assert asyncio.run(discover("bare.example", _site({"https://bare.example/": "<p>x"}))) == []
    assert list(feed_links(b"", url="https://a.example/")) == []


def _news(fields: bytes) -> str:
    return f"https://news.google.com/rss/articles/{base64.urlsafe_b64encode(fields).decode().rstrip('=')}?oc=5"


_HIDDEN = _news(b"\x08\x13\x22\x40AU_yqLNsomethingthatonlyscriptsresolve00")


@pytest.mark.parametrize(
    ("link", "article"),
    [
        ("https://www.google.com/url?rct=j&sa=t&url=https://a.example/1%3Fx%3D2&ct=ga", "https://a.example/1?x=2"),
        ("https://google.de/url?q=http://a.example/1", "http://a.example/1"),
        ("https://www.google.com/url?q=javascript:alert(1)", "https://www.google.com/url?q=javascript:alert(1)"),
        ("http://www.bing.com/news/apiclick.aspx?ref=F&url=https%3a%2f%2fa.example%2f1&c=3", "https://a.example/1"),
        (_news(b"\x08\x13\x22\x15https://a.example/one\xd2\x01\x00"), "https://a.example/one"),
        (_HIDDEN, None),
        ("https://news.google.com/topics/abc", "https://news.google.com/topics/abc"),
        ("https://evil-google.com/url?url=https://b.example/", "https://evil-google.com/url?url=https://b.example/"),
        ("https://a.example/url?url=https://b.example/", "https://a.example/url?url=https://b.example/"),
        ("http://[::1", "http://[::1"),
    ],
)
def test_links_of_news_searches(link: str, article: str | None) -> None:
    assert article_address(link) == article


def test_an_entry_whose_article_is_hidden_is_read_from_its_feed() -> None:
    entry = page_entry(_HIDDEN, entry=FeedEntry(url=_HIDDEN, title="T", content="<p>T</p>"))
    assert (entry.linked, entry.url) == (False, _HIDDEN)
    link = "https://www.google.com/url?url=https://A.example/1"
    found = page_entry(link, entry=FeedEntry(url=link, title="T"))
    assert (found.linked, found.url, found.host) == (True, "https://A.example/1", "a.example")
    assert found.key == "https://a.example/1"
