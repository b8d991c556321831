"""Feeds of the demo sites: RSS, Atom, RDF, JSON Feed, news sitemaps, OPML."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from email.utils import format_datetime
from html import escape

from examples.demo.sites import DOMAIN, DemoPage, DemoSite

FEED_TYPES = {
    "rss": "application/rss+xml",
    "atom": "application/atom+xml",
    "rdf": "application/rdf+xml",
    "json": "application/feed+json",
    "sitemap": "application/xml",
}
_XML = '<?xml version="1.0" encoding="utf-8"?>\n'


def _link(site: DemoSite, page: DemoPage) -> str:
    return f"http://{site.name}.{DOMAIN}{{port}}{page.path}"


def _w3c(date: datetime) -> str:
    return date.strftime("%Y-%m-%dT%H:%M:%SZ")


def feed_of(site: DemoSite) -> str:
    """Return the feed of a site in its kind."""
    writers = {"rss": _rss, "atom": _atom, "rdf": _rdf, "json": _json, "sitemap": _sitemap}
    return writers[site.feed_kind](site)


def _rss(site: DemoSite) -> str:
    items = "".join(
        f"<item><title><![CDATA[{page.title}]]></title><link>{escape(_link(site, page))}</link>"
        f'<guid isPermaLink="false">{escape(site.name + page.path)}</guid>'
        f"<pubDate>{format_datetime(page.date)}</pubDate>"
        f"<description>{escape('<p>' + escape(page.summary) + '</p>')}</description></item>\n"
        for page in site.pages
    )
    return (
        f'{_XML}<rss version="2.0"><channel><title>{escape(site.title)}</title>'
        f"<link>http://{site.name}.{DOMAIN}{{port}}/</link><language>{site.lang}</language><ttl>15</ttl>\n"
        f"{items}</channel></rss>\n"
    )


def _atom(site: DemoSite) -> str:
    entries = "".join(
        f'<entry><title type="html">{escape(escape(page.title))}</title><id>tag:{site.name},2024:{page.path}</id>'
        f'<link rel="alternate" href="{escape(page.path)}"/><updated>{_w3c(page.date)}</updated>'
        f"<published>{_w3c(page.date)}</published><summary>{escape(page.summary)}</summary></entry>\n"
        for page in site.pages
    )
    return (
        f'{_XML}<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="{site.lang}" '
        f'xml:base="http://{site.name}.{DOMAIN}{{port}}/"><title>{escape(site.title)}</title>'
        f"<id>tag:{site.name},2024:feed</id><updated>{_w3c(max(page.date for page in site.pages))}</updated>\n"
        f"{entries}</feed>\n"
    )


def _rdf(site: DemoSite) -> str:
    items = "".join(
        f'<item rdf:about="{escape(_link(site, page))}"><title>{escape(page.title)}</title>'
        f"<link>{escape(_link(site, page))}</link><dc:date>{_w3c(page.date)}</dc:date></item>\n"
        for page in site.pages
    )
    return (
        f'{_XML}<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:sy="http://purl.org/rss/1.0/modules/syndication/">'
        f'<channel rdf:about="http://{site.name}.{DOMAIN}{{port}}/"><title>{escape(site.title)}</title>'
        f"<dc:language>{site.lang}</dc:language><sy:updatePeriod>hourly</sy:updatePeriod></channel>\n{items}</rdf:RDF>\n"
    )


def _json(site: DemoSite) -> str:
    items = [
        {
            "id": f"{site.name}{page.path}",
            "url": _link(site, page),
            "title": page.title,
            "summary": page.summary,
            "date_published": _w3c(page.date),
        }
        for page in site.pages
    ]
    feed = {"version": "https://jsonfeed.org/version/1.1", "title": site.title, "language": site.lang, "items": items}
    return json.dumps(feed, ensure_ascii=False, indent=1)


def _sitemap(site: DemoSite) -> str:
    urls = "".join(
        f"<url><loc>{escape(_link(site, page))}</loc><lastmod>{_w3c(page.date)}</lastmod><news:news>"
        f"<news:publication><news:name>{escape(site.title)}</news:name><news:language>{site.lang}</news:language>"
        f"</news:publication><news:publication_date>{_w3c(page.date)}</news:publication_date>"
        f"<news:title>{escape(page.title)}</news:title></news:news></url>\n"
        for page in site.pages
    )
    return (
        f'{_XML}<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
        f'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">\n{urls}</urlset>\n'
    )


def opml_of(title: str, sites: Sequence[DemoSite]) -> str:
    """Return a list of the feeds of some sites."""
    outlines = "".join(
        f'<outline type="rss" text="{escape(site.title)}" '
        f'xmlUrl="http://{site.name}.{DOMAIN}{{port}}{site.feed_path}"/>\n'
        for site in sites
    )
    return f'{_XML}<opml version="2.0"><head><title>{escape(title)}</title></head><body>\n{outlines}</body></opml>\n'
