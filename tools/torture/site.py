"""A small site: a feed, its pages, and a hook that takes what is posted; in a process of its own."""

from __future__ import annotations

import os
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tools.torture.scenarios import PAGES, article


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        found = re.fullmatch(r"/(\d+)\.html", self.path)
        if self.path == "/feed.xml":
            self._send(200, "application/rss+xml", self._feed())
        elif found:
            self._send(200, "text/html; charset=utf-8", article(int(found[1])))
        else:
            self._send(404, "text/plain", "none")

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._send(200, "text/plain", "taken")

    def _feed(self) -> str:
        items = "".join(
            f"<item><title>Lighthouse {number}</title><link>http://{self.headers['Host']}/{number}.html</link></item>"
            for number in range(PAGES)
        )
        return f'<rss version="2.0"><channel><title>Harbour</title>{items}</channel></rss>'

    def _send(self, status: int, type: str, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Write nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Stay silent where the client has gone."""


def served() -> tuple[str, int]:
    """Start the site; return its address and the id of its process."""
    server = _Server(("127.0.0.1", 0), _Handler)
    pid = os.fork()
    if pid == 0:
        try:
            server.serve_forever()
        finally:
            os._exit(0)
    server.socket.close()
    return f"http://127.0.0.1:{server.server_port}", pid
