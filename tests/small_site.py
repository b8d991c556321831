"""A server whose answers a test sets."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PAGE = b"<html><body><p>Hello.</p></body></html>"
Answer = tuple[int, dict[str, str], bytes]


@dataclass
class Site:
    """A server whose answers a test sets by path; ``seen`` has the requests, ``headers`` their headers."""

    url: str = ""
    answers: dict[str, Answer | list[Answer]] = field(default_factory=dict)
    otherwise: Answer = (404, {}, b"none")
    seen: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    busy: int = 0
    most_at_once: int = 0
    closing: threading.Event = field(default_factory=threading.Event)

    def named(self, name: str) -> str:
        return self.url.replace("127.0.0.1", f"{name}.localhost")

    def answer(self, path: str) -> Answer:
        found = self.answers.get(path, self.otherwise)
        if isinstance(found, list):
            found = found.pop(0) if len(found) > 1 else found[0]
        return found


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.connections: list[socket.socket] = []

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        self.connections.append(connection)
        return connection, address

    def close_connections(self) -> None:
        """Close what a browser keeps open for later, whose threads would wait with it."""
        for connection in self.connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent where the client has gone."""


@contextmanager
def serving() -> Iterator[Site]:
    state, lock = Site(), threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            with lock:
                state.seen.append(self.path)
                state.headers.append({name.lower(): value for name, value in self.headers.items()})
                state.busy += 1
                state.most_at_once = max(state.most_at_once, state.busy)
            status, headers, body = state.answer(self.path)
            if self.path.startswith("/drip"):
                return self._drip(b"X-Slow: " if self.path == "/drip-head" else b"\r\n")
            state.closing.wait(float(headers.get("X-Wait", "0")))
            with lock:
                state.busy -= 1
            self.send_response(status)
            for name, value in {"Content-Type": "text/html", **headers}.items():
                self.send_header(name, value)
            if "Content-Length" not in headers:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            return None

        def _drip(self, rest: bytes) -> None:
            self.close_connection = True
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + rest)
            while not state.closing.wait(0.05):
                self.wfile.write(b"x")

        def log_message(self, format: str, *args: Any) -> None:
            """Write nothing."""

    with _Server(Handler) as server:
        state.url = f"http://127.0.0.1:{server.server_address[1]}"
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield state
        state.closing.set()
        server.shutdown()
        server.close_connections()
