"""The demo server: feeds and pages on this machine."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from email.utils import format_datetime
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from blockfeat.monitor.demo.feed_writing import FEED_TYPES, feed_of, opml_of
from blockfeat.monitor.demo.lessons import lesson_site
from blockfeat.monitor.demo.sites import DOMAIN, DemoPage, DemoSite, many_sites, quiet_sites


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: a body with its length, or ``pieces`` that follow one another ``pause`` seconds apart."""

    body: bytes = b""
    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict)
    pieces: Iterator[bytes] | None = None
    pause: float = 0.0


@dataclass(frozen=True, slots=True)
class Visit:
    """One request.

    Attributes
    ----------
    host : str
        Name of the site, without ``.localhost`` and port.
    target : str
        Path and query.
    status : int
        Of the answer.
    conditional : bool
        Whether the request asked for a change since a known version.
    """

    host: str
    target: str
    status: int
    agent: str
    conditional: bool
    seconds: float


FRONT = "demo"
# What the front desk is asked about the server itself is not logged.
_CONTROL = "/-/"


class DemoServer:
    """Serves the demo sites on 127.0.0.1, each by its own host name ``NAME.localhost``; a context manager.

    Parameters
    ----------
    port : int
        Port; 0 for any free one.
    feeds, pages : int
        Number of generated sites (``many-0`` …) and of pages on each.
    lists : mapping, optional
        Further sites by the name of their list.
    """

    def __init__(
        self, *, port: int = 0, feeds: int = 0, pages: int = 50, lists: Mapping[str, tuple[DemoSite, ...]] | None = None
    ) -> None:
        self._lists = {
            "feeds": (*quiet_sites(), lesson_site()),
            "many": many_sites(feeds, pages) if feeds else (),
            **(lists or {}),
        }
        self._sites = {site.name: site for sites in self._lists.values() for site in sites}
        self._pages = {
            (site.name, page.path.partition("?")[0].partition("#")[0]): page
            for site in self._sites.values()
            for page in site.pages
        }
        self._lock = threading.Lock()
        self._started = time.monotonic()
        self._server = _Server(("127.0.0.1", port), self._handler())
        self.log: list[Visit] = []

    def __enter__(self) -> Self:
        """Start serving in a thread."""
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, name="blockfeat-demo", daemon=True
        ).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()

    @property
    def port(self) -> int:
        """Port of the server."""
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """Address of the front page."""
        return f"http://{FRONT}.{DOMAIN}:{self.port}/"

    def list_url(self, name: str) -> str:
        """Return the address of an OPML list: ``"feeds"`` (written), ``"many"`` (generated) or a further one."""
        return f"{self.url}{name}.opml"

    def sites(self, name: str) -> tuple[DemoSite, ...]:
        """Return the sites of a list, with all that is known about their pages."""
        return self._lists[name]

    def served(self, host: str, path: str) -> int:
        """Return how often a page was sent in full, under whatever query."""
        with self._lock:
            return sum(
                visit.host == host and urlsplit(visit.target).path == path and visit.status == 200 for visit in self.log
            )

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        demo = self

        class Handler(_Handler):
            def reply(self, host: str, target: str) -> Reply:
                return demo.answer(host, target)

            def note(self, host: str, target: str, status: int) -> None:
                demo._note(self, host, target, status)

        return Handler

    def _note(self, handler: BaseHTTPRequestHandler, host: str, target: str, status: int) -> None:
        if host == FRONT and target.startswith(_CONTROL):
            return
        visit = Visit(
            host=host,
            target=target,
            status=status,
            agent=handler.headers.get("User-Agent", ""),
            conditional="If-None-Match" in handler.headers or "If-Modified-Since" in handler.headers,
            seconds=round(time.monotonic() - self._started, 3),
        )
        with self._lock:
            self.log.append(visit)

    def answer(self, host: str, target: str) -> Reply:
        """Return the answer to a request; a subclass may have others."""
        path = urlsplit(target).path
        if host == FRONT:
            return self._front(path)
        site, page = self._sites.get(host), self._pages.get((host, path))
        if page is not None:
            return self._page(self._current(site, page))
        if site is not None and path == site.feed_path:
            return self._feed(site)
        return Reply(b"<title>Not found</title><p>Nothing is here.</p>", 404)

    def _filled(self, text: str) -> str:
        return text.replace("{port}", f":{self.port}")

    def _page(self, page: DemoPage) -> Reply:
        body = self._filled(page.html).encode(page.charset, "xmlcharrefreplace")
        content_type = f"text/html; charset={page.charset}" if page.declared else "text/html"
        return Reply(
            body, content_type=content_type, headers={"Last-Modified": format_datetime(page.date, usegmt=True)}
        )

    def _feed(self, site: DemoSite) -> Reply:
        changes = any(page.corrected for page in site.pages)
        headers = {} if changes else {"Cache-Control": "max-age=60"}
        current = replace(site, pages=tuple(self._current(site, page) for page in site.pages))
        return Reply(self._filled(feed_of(current)).encode(), content_type=FEED_TYPES[site.feed_kind], headers=headers)

    def _current(self, site: DemoSite | None, page: DemoPage) -> DemoPage:
        """Return a page, or its correction if it was sent before."""
        is_known = page.corrected is not None and site is not None and self.served(site.name, page.path)
        return page.corrected or page if is_known else page

    def _front(self, path: str) -> Reply:
        if path == "/-/log":
            with self._lock:
                lines = "".join(json.dumps(asdict(visit)) + "\n" for visit in self.log)
            return Reply(lines.encode(), content_type="text/plain; charset=utf-8")
        name = path.removeprefix("/").removesuffix(".opml")
        if path.endswith(".opml") and name in self._lists:
            return Reply(self._filled(self._opml(name)).encode(), content_type="text/x-opml")
        return self._index() if path == "/" else Reply(b"<p>Nothing is here.</p>", 404)

    def _opml(self, name: str) -> str:
        return opml_of(f"Demo: {name}", self._lists[name])

    def _index(self) -> Reply:
        rows = "".join(
            f"<li>{escape(site.lang)}: <a href='http://{site.name}.{DOMAIN}:{self.port}{site.feed_path}'>"
            f"{escape(site.title)}</a> ({site.feed_kind}, {len(site.pages)} pages)</li>"
            for site in self._lists["feeds"]
        )
        lists = "".join(
            f"<li><a href='/{name}.opml'>{name}.opml</a></li>" for name, sites in self._lists.items() if sites
        )
        return Reply(f"<!DOCTYPE html><title>blockfeat demo</title><ul>{lists}</ul><ul>{rows}</ul>".encode())


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent where the client has gone."""


class _Handler(BaseHTTPRequestHandler):
    """Sends replies: whole ones with an ETag, or piece by piece."""

    protocol_version = "HTTP/1.1"
    # Headers and a short body leave in one packet.
    wbufsize = 65_536
    timeout = 60

    def reply(self, host: str, target: str) -> Reply:
        raise NotImplementedError

    def note(self, host: str, target: str, status: int) -> None:
        raise NotImplementedError

    def do_GET(self) -> None:
        name = self.headers.get("Host", "").partition(":")[0].lower()
        host = name.removesuffix(f".{DOMAIN}") if name.endswith(f".{DOMAIN}") else FRONT
        reply = self.reply(host, self.path)
        etag = f'"{hashlib.sha1(reply.body, usedforsecurity=False).hexdigest()[:16]}"'
        known = reply.status == 200 and reply.pieces is None and self.headers.get("If-None-Match") == etag
        status = 304 if known else reply.status
        self.note(host, self.path, status)
        self.send_response(status)
        self.send_header("Content-Type", reply.content_type)
        for header, value in reply.headers.items():
            self.send_header(header, value)
        if reply.pieces is not None:
            return self._send_pieces(reply)
        if reply.status == 200:
            self.send_header("ETag", etag)
        body = b"" if known else reply.body
        if not known:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        return None

    def _send_pieces(self, reply: Reply) -> None:
        self.close_connection = True
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            for piece in reply.pieces or ():
                self.wfile.write(piece)
                self.wfile.flush()
                time.sleep(reply.pause)
        except OSError:
            return

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing: the server keeps its own log."""


def serve_demo(
    *, port: int = 8750, feeds: int = 0, pages: int = 50, on_ready: Callable[[DemoServer], None] | None = None
) -> None:
    """Serve the demo sites until interrupted (``KeyboardInterrupt``).

    Parameters
    ----------
    port : int
        Port; 0 for any free one.
    feeds, pages : int
        Number of generated sites and of pages on each.
    on_ready : callable, optional
        Called once with the running server.

    Raises
    ------
    OutputError
        The port is in use.
    """
    from blockfeat.errors import OutputError

    try:
        server = DemoServer(port=port, feeds=feeds, pages=pages)
    except OSError as error:
        raise OutputError(f"port {port}: {error.strerror or error}") from error
    with server:
        if on_ready is not None:
            on_ready(server)
        while True:  # Ctrl-C would not end a wait without an end on Windows
            time.sleep(3600)
