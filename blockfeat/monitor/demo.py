"""Sites in eleven languages on this machine, to try the monitor on: the prepared feeds and pages of ``demo.json``."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from operator import itemgetter
from typing import Any, Self

from blockfeat._files import bundled_json
from blockfeat.data import demo_pages
from blockfeat.errors import OutputError

__all__ = ["DemoServer", "serve_demo"]

_DOMAIN, _FRONT = ".localhost", "demo"


@dataclass(frozen=True, slots=True)
class _File:
    """What stands at an address; ``corrected`` takes its place once the article that is corrected was sent."""

    type: str
    body: bytes
    modified: str = ""
    corrected: _File | None = None


class DemoServer:
    """Serves the demo sites on 127.0.0.1, each by its own host name ``NAME.localhost``; a context manager.

    Parameters
    ----------
    port : int
        Port; 0 for any free one.

    Raises
    ------
    OutputError
        The port is in use.
    """

    def __init__(self, *, port: int = 0) -> None:
        self._is_corrected = False
        try:
            self._server = ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        except OSError as error:
            raise OutputError(f"port {port}: {error.strerror or error}") from error
        self._files = _ready_files(self.port)

    @property
    def port(self) -> int:
        """Port of the server."""
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """Address of the list of all feeds, in OPML."""
        return f"http://{_FRONT}{_DOMAIN}:{self.port}/feeds.opml"

    def __enter__(self) -> Self:
        """Start serving in a thread."""
        threading.Thread(target=self._server.serve_forever, args=(0.05,), name="blockfeat-demo", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, host: str, path: str) -> _File | None:
        found = self._files.get((host, path.partition("?")[0]))
        if found is not None and found.corrected is not None:
            current = found.corrected if self._is_corrected else found
            self._is_corrected = self._is_corrected or found.modified != ""
            return current
        return found

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        demo = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 60

            def handle(self) -> None:
                with suppress(ConnectionError):  # whoever asked has gone
                    super().handle()

            def do_GET(self) -> None:
                name = self.headers.get("Host", "").partition(":")[0].lower()
                file = demo._answer(name.removesuffix(_DOMAIN) if name.endswith(_DOMAIN) else _FRONT, self.path)
                is_known = file is not None and self.headers.get("If-Modified-Since", "-") == file.modified
                body = b"" if is_known else b"<title>Not found</title>" if file is None else file.body
                self.send_response(404 if file is None else 304 if is_known else 200)
                headers = {"Content-Length": "" if is_known else str(len(body))}
                if file is not None:
                    headers |= {"Content-Type": file.type, "Last-Modified": file.modified}
                for header in filter(itemgetter(1), headers.items()):
                    self.send_header(*header)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Write nothing."""

        return Handler


def _ready_files(port: int) -> dict[tuple[str, str], _File]:
    """Return the files by host and path; the pages of the bundled corpus stand there by their ids."""
    corpus = {page.id: page for page in demo_pages()}

    def file(given: dict[str, Any]) -> _File:
        text = corpus[given["page"]].html.replace(given["origin"], given["host"]) if "page" in given else given["body"]
        corrected = file(given["corrected"]) if "corrected" in given else None
        return _File(given["type"], text.replace("{port}", f":{port}").encode(), given.get("modified", ""), corrected)

    ready = bundled_json("blockfeat.monitor", "demo.json")
    return {(host, path): file(values) for host, paths in ready.items() for path, values in paths.items()}


def serve_demo(*, port: int = 8750, on_ready: Callable[[DemoServer], None] = lambda server: None) -> None:
    """Serve the demo sites until interrupted (``KeyboardInterrupt``).

    Parameters
    ----------
    port : int
        Port; 0 for any free one.
    on_ready : callable
        Called once with the running server.

    Raises
    ------
    OutputError
        The port is in use.
    """
    with DemoServer(port=port) as server:
        on_ready(server)
        while True:  # Ctrl-C would not end a wait without an end on Windows
            time.sleep(3600)
