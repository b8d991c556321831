"""The difficult sites of the drill: what servers do to those who fetch from them, by accident or on purpose."""

from __future__ import annotations

import gzip
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from html import escape
from itertools import repeat
from types import TracebackType
from typing import Any, Self

from examples.demo.server import Reply
from examples.demo.sites import DOMAIN, Chrome, DemoPage, DemoSite, article_page, site_records, written_chrome

BRAND = "Wintermark"
BRAND_AROUND = "Glimmerby"
_DATE = datetime(2025, 3, 1, 8, tzinfo=UTC)
_BOMB_BYTES = 100_000_000

# What becomes of each page in the end: "page" (stored), "copy" (of another), "feed" (stored with the feed's own text),
# "error" (never stored).
OUTCOMES: Mapping[str, Mapping[str, str]] = {
    "steady": {"/one": "page", "/two": "page"},
    "drill": {
        "/plain": "page",
        "/consent": "page",
        "/updated": "page",
        "/flaky": "page",
        "/tracked": "page",
        "/moved": "page",
        "/missing": "feed",
        "/gone": "error",
        "/drip": "error",
        "/loop": "error",
        "/bomb": "error",
        "/endless": "error",
        "/report.pdf": "error",
        "/mislabelled": "error",
        "/private/page": "error",
        "/to/metadata": "error",
        "/to/private": "error",
        "/to/loopback": "error",
        "/to/number": "error",
        "/to/ipv6": "error",
        "/to/mapped": "error",
        "/to/file": "error",
    },
    "busy": {"/first": "page", "/second": "page"},
    "late": {"/page": "page"},
    "agency": {"/wire/plain": "copy"},
    # A feed that has the texts of its pages: one must be paid for, two lead to one login, one has no address.
    "lender": {"/paid": "feed", "/walled/one": "feed", "/walled/two": "feed", "/feed.xml": "feed"},
    "stray": {"/page": "page"},
    "charsets": {f"/{lang}": "page" for lang in ("ru", "zh", "ar", "ja", "pl")},
}
_KINDS = {
    "steady": "sitemap",
    "drill": "rss",
    "busy": "atom",
    "late": "rdf",
    "agency": "rss",
    "lender": "rss",
    "stray": "rss",
    "charsets": "json",
}
_CHARSETS = {"ru": "windows-1251", "zh": "gb18030", "ar": "windows-1256", "ja": "shift_jis", "pl": "iso-8859-2"}
# In these languages the header names the charset; in the others only the page does, or nothing.
_IN_HEADER = frozenset({"zh", "pl"})
_UNDECLARED = frozenset({"ru"})
_SENTENCES = {
    "ru": "Об этом сообщила компания Wintermark.",
    "zh": "Wintermark公司表示，明年还会继续。",
    "ar": "وشاركت شركة Wintermark في المشروع.",
    "ja": "Wintermark社も作業を手伝った。",
    "pl": "W pracach pomogła firma Wintermark.",
}
_CHROME = Chrome(
    title="The Drill Hall",
    lang="en",
    menu=("Home", "Local", "Business", "Culture", "Sport"),
    related="Related stories",
    comments="Comments",
    comment="I have lived next door for thirty years and I hear this every summer. Let us see how it ends this time.",
    footer="© The Drill Hall. All rights reserved. No part of this site may be copied without written permission.",
    consent="We and our partners use cookies to show advertising, to count visits and to improve this site. By "
    "clicking on Accept you agree that your data are processed for these purposes, and you may change your mind.",
    accept="Accept",
    teasers=(f"{BRAND_AROUND} recalls a batch of lamps", "Nine hours without a telephone", "The last soup factory"),
)
_LOGIN = """<!DOCTYPE html><html lang="en"><head><title>Sign in</title></head><body><form method="post">
<label>E-mail <input name="mail"></label> <label>Password <input type="password" name="password"></label>
<button>Sign in</button></form></body></html>"""
_THINGS = ("kettle", "lantern", "ferry bell", "weather vane", "bicycle pump", "barometer", "accordion", "typewriter")
_PLACES = ("Gull Point", "Old Ansty", "Cooper's Row", "Merrow Hill", "Pilgrim Green", "Skarrow", "Tilbeck", "Long Quay")
_PEOPLE = ("Ruth Callender", "Martin Osk", "Edith Farrow", "Jonas Pell", "Imke Sander", "Hugh Tarrant", "Ada Quill")


def drill_sites() -> tuple[DemoSite, ...]:
    """Return the difficult sites with their pages, as their feeds name them."""
    sites = (
        DemoSite(
            name=name,
            title=f"Drill: {name}",
            lang="en",
            feed_kind=_KINDS[name],
            pages=tuple(_page(name, path, number) for number, path in enumerate(paths)),
        )
        for name, paths in OUTCOMES.items()
    )
    return tuple(replace(site, pages=(*site.pages, *_same_again(site))) for site in sites)


def _same_again(site: DemoSite) -> Iterator[DemoPage]:
    """Yield the entries of a feed that name a page again, by addresses that differ only by tracking."""
    for page in site.pages:
        if page.path == "/tracked":
            for path in ("/tracked?utm_source=rss&utm_medium=feed", "/tracked?fbclid=x1", "/tracked#comments"):
                yield replace(page, path=path)


def _page(site: str, path: str, number: int) -> DemoPage:
    if site == "charsets":
        return _legacy_page(path.removeprefix("/"), number)
    # The copy has the text of drill/plain.
    title, paragraphs = _article("drill/plain" if path == "/wire/plain" else f"{site}{path}")
    chrome = replace(_CHROME, title="Wire Agency", teasers=("Nothing else today",)) if site == "agency" else _CHROME
    return _demo_page(site, path, number, chrome, title, paragraphs)


def _article(key: str, revision: int = 0) -> tuple[str, list[str]]:
    """Return headline and paragraphs of an invented story, another one for each key."""
    seed = sum(place * ord(letter) for place, letter in enumerate(key, 3))
    thing, place = _THINGS[seed % len(_THINGS)], _PLACES[seed // 7 % len(_PLACES)]
    person, other = _PEOPLE[seed // 3 % len(_PEOPLE)], _PEOPLE[(seed // 3 + 2) % len(_PEOPLE)]
    year, count = 1890 + seed % 90, 11 + seed % 70
    paragraphs = [
        f"For {count} years nobody in {place} knew who owned the {thing} behind the town hall. Since {key} became the "
        f"word of the week there, everybody claims to have known all along.",
        f"It was found by {person}, who had come to mend a gutter and stayed for tea. The maker's plate says {year}, "
        f"and the screws had been tightened with something that was not a screwdriver.",
        f"“We asked {BRAND} whether they could repair it, and they said yes before we had finished the sentence,” "
        f"{person} told the council. The bill came to {count * 4} and was paid in coins.",
        f"{other} is not convinced. A {thing} of that size, she wrote in a letter of {count % 9 + 2} pages, belongs in "
        f"a museum, and {place} has none.",
        f"The council will vote on day {seed % 28 + 1} of next month. Until then the {thing} stands under a sheet.",
    ]
    if revision:
        paragraphs[2] = paragraphs[2].replace("could repair", "can repair")
        paragraphs[-1] = f"The council has voted, {revision} to nil: {BRAND} may keep the {thing}, and so may {place}."
    return f"The {thing} of {place}: {key.replace('/', ' ').strip()}", paragraphs


def _demo_page(
    site: str, path: str, number: int, chrome: Chrome, title: str, paragraphs: list[str], *, revision: int = 0
) -> DemoPage:
    date = _DATE + timedelta(hours=number)
    html = article_page(
        chrome,
        title=title,
        paragraphs=paragraphs,
        date=(date + timedelta(days=revision)).isoformat(),
        url=f"http://{site}.{DOMAIN}{{port}}{path}",
        wall=path == "/consent",
        charset="utf-8",
    )
    around = (BRAND_AROUND,) if any(BRAND_AROUND in teaser for teaser in chrome.teasers) else ()
    return DemoPage(path, chrome.lang, title, paragraphs[0], date, html, brands=(BRAND,), around=around)


def _legacy_page(lang: str, number: int) -> DemoPage:
    title, paragraphs = _foreign_article(lang)
    records = {record["lang"]: record for record in site_records()}
    chrome = written_chrome(records[lang]) if lang in records else replace(_CHROME, lang=lang)
    charset = _CHARSETS[lang]
    date = _DATE + timedelta(hours=number)
    html = article_page(
        chrome,
        title=title,
        paragraphs=[*paragraphs, _SENTENCES[lang]],
        date=date.isoformat(),
        url=f"http://charsets.{DOMAIN}{{port}}/{lang}",
        charset="" if lang in _IN_HEADER or lang in _UNDECLARED else charset,
    )
    return DemoPage(
        f"/{lang}", lang, title, paragraphs[0], date, html, (BRAND,), charset=charset, declared=lang in _IN_HEADER
    )


def _foreign_article(lang: str) -> tuple[str, list[str]]:
    from blockfeat.data.corpus import demo_pages

    written: dict[str, Any] = {record["lang"]: record["article"][0] for record in site_records()}
    if lang in written:
        return written[lang]["title"], written[lang]["text"]
    page = next(page for page in demo_pages() if page.lang == lang)
    title, *paragraphs = (page.text or "").split("\n\n")
    return title, paragraphs


@dataclass(slots=True)
class DrillRoutes:
    """The answers of the difficult sites that are no plain pages.

    Attributes
    ----------
    retry_after : int
        Seconds that a busy host asks to be left alone.
    port : int
        Port of the demo server.
    forbidden_port : int
        Port at which nobody may knock.
    revision : int
        Version of ``drill/updated``.
    """

    retry_after: int = 2
    port: int = 0
    forbidden_port: int = 9
    revision: int = 0

    def reply(self, host: str, path: str, visits: int) -> Reply | None:
        """Return the answer to request number ``visits`` (from 1) of a path, or None where it is as usual."""
        if path == "/robots.txt":
            return self._robots(host, visits)
        if host == "gone" and path == "/feed.xml":
            return Reply(b"gone", 410, "text/plain")
        if host == "moved" and path == "/feed.xml":
            return self._redirect(f"http://steady.{DOMAIN}:{self.port}/sitemap-news.xml", 301)
        if host == "stray" and path == "/feed.xml" and visits == 1:
            return self._redirect(f"http://steady.{DOMAIN}:{self.port}/one", 301)
        if host == "lender":
            return self._lent(path)
        if host == "busy" and path == "/first" and visits == 1:
            return Reply(b"busy", 429, "text/plain", {"Retry-After": str(self.retry_after)})
        if host != "drill":
            return None
        if path.startswith("/to/"):
            return self._elsewhere(path.removeprefix("/to/"))
        route = self._routes().get(path)
        return route(visits) if route else None

    def _lent(self, path: str) -> Reply | None:
        if path == "/feed.xml":
            return Reply(self._feed_with_texts().encode(), content_type="application/rss+xml")
        if path == "/paid":
            return Reply(b"pay first", 402)
        if path.startswith("/walled/"):
            return self._redirect("/login", 302)
        return Reply(_LOGIN.encode()) if path == "/login" else None

    def _feed_with_texts(self) -> str:
        items = []
        for path in OUTCOMES["lender"]:
            title, paragraphs = _article(f"lender{path}")
            text = escape("".join(f"<p>{escape(paragraph)}</p>" for paragraph in paragraphs))
            link = "" if path == "/feed.xml" else f"<link>http://lender.{DOMAIN}:{self.port}{path}</link>"
            items.append(f"<item><title>{escape(title)}</title>{link}<description>{text}</description></item>")
        return f'<rss version="2.0"><channel><title>Lender</title>{"".join(items)}</channel></rss>'

    def _routes(self) -> dict[str, Callable[[int], Reply | None]]:
        pdf = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj<<>>endobj"
        return {
            "/missing": lambda visits: Reply(b"not here", 404),
            "/gone": lambda visits: Reply(b"gone", 410),
            "/flaky": lambda visits: Reply(b"sorry", 500) if visits == 1 else None,
            "/drip": lambda visits: Reply(pieces=repeat(b"<p>drip</p>"), pause=0.2),
            "/endless": lambda visits: Reply(pieces=repeat(b"<p>more</p>" * 6_000)),
            "/loop": lambda visits: self._redirect("/loop/again", 302),
            "/loop/again": lambda visits: self._redirect("/loop", 302),
            "/moved": lambda visits: self._redirect("/moved/here", 301),
            "/moved/here": lambda visits: Reply(self._text("/moved")),
            "/bomb": lambda visits: Reply(_bomb(), headers={"Content-Encoding": "gzip"}),
            "/report.pdf": lambda visits: Reply(pdf, content_type="application/pdf"),
            "/mislabelled": lambda visits: Reply(pdf),
            "/updated": lambda visits: Reply(self._text("/updated")),
            # From its second revision on it tells another story, and its copy is none any more.
            "/plain": lambda visits: Reply(self._text("/plain/again")) if self.revision > 1 else None,
        }

    def _robots(self, host: str, visits: int) -> Reply | None:
        if host == "late" and visits == 1:
            return Reply(b"later", 503, "text/plain", {"Retry-After": str(self.retry_after)})
        if host == "drill":
            return Reply(b"User-agent: *\nDisallow: /private/\n", content_type="text/plain")
        return None

    def _text(self, path: str) -> bytes:
        revision = self.revision if path == "/updated" else 0
        title, paragraphs = _article(f"drill{path}", revision)
        page = _demo_page("drill", path, 0, _CHROME, title, paragraphs, revision=revision)
        return page.html.replace("{port}", f":{self.port}").encode()

    def _redirect(self, location: str, status: int) -> Reply:
        return Reply(b"", status, "text/plain", {"Location": location})

    def _elsewhere(self, name: str) -> Reply | None:
        targets = {
            "metadata": "http://169.254.169.254/latest/meta-data/",
            "private": "http://10.0.0.1/",
            "mapped": "http://[::ffff:10.0.0.1]/",
            "loopback": f"http://127.0.0.2:{self.forbidden_port}/",
            "number": f"http://2130706434:{self.forbidden_port}/",
            "ipv6": f"http://[::1]:{self.forbidden_port}/",
            "file": "file:///etc/passwd",
        }
        return self._redirect(targets[name], 302) if name in targets else None


def _bomb() -> bytes:
    """Return a small gzip file of a very long page."""
    return gzip.compress(bytes(_BOMB_BYTES), compresslevel=6, mtime=0)


_FORBIDDEN_ADDRESSES = ((socket.AF_INET, "127.0.0.2"), (socket.AF_INET6, "::1"))


class ForbiddenDoor:
    """Listens on addresses outside those that are allowed, on one port, and notes every connection.

    Attributes
    ----------
    knocks : list of str
        Address and port of each connection.
    """

    def __init__(self) -> None:
        self.knocks: list[str] = []
        self.port = 0
        self._sockets: list[socket.socket] = []
        self._watchers: list[threading.Thread] = []

    def __enter__(self) -> Self:
        """Open the door where the machine has such an address."""
        for family, address in _FORBIDDEN_ADDRESSES:
            try:
                door = socket.create_server((address, self.port), family=family)
            except OSError:
                continue
            self.port = self.port or door.getsockname()[1]
            self._sockets.append(door)
            watcher = threading.Thread(target=self._watch, args=(door,), name="blockfeat-forbidden", daemon=True)
            watcher.start()
            self._watchers.append(watcher)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close the door."""
        for door in self._sockets:
            # Closing alone wakes nobody who waits at it.
            with suppress(OSError):
                door.shutdown(socket.SHUT_RDWR)
            door.close()
        for watcher in self._watchers:
            watcher.join()

    def _watch(self, door: socket.socket) -> None:
        while True:
            try:
                visitor, address = door.accept()
            except OSError:
                return
            self.knocks.append(f"{door.getsockname()[0]} from {address}")
            visitor.close()
