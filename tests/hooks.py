"""A server that takes what is posted to it."""

import json
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any


class Hook(HTTPServer):
    """Takes what is posted, but for mentions that it refuses; ``headers`` and ``bodies`` have it."""

    def __init__(self) -> None:
        self.headers: list[dict[str, str]] = []
        self.bodies: list[dict[str, Any]] = []
        self.raw: list[bytes] = []
        self.answers: list[tuple[int, dict[str, str]]] = []
        self.refuses: Callable[[dict[str, Any]], bool] = lambda mention: False
        self.taken: set[str] = set()
        self.times: list[float] = []
        super().__init__(("127.0.0.1", 0), _Answer)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"


class _Answer(BaseHTTPRequestHandler):
    server: Hook

    def do_POST(self) -> None:
        self.server.headers.append({name.lower(): value for name, value in self.headers.items()})
        self.server.raw.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.bodies.append(json.loads(self.server.raw[-1]))
        self.server.times.append(time.monotonic())
        mentions = self.server.bodies[-1].get("mentions", ())
        status, headers = self.server.answers.pop(0) if self.server.answers else (204, {})
        if status == 204 and any(map(self.server.refuses, mentions)):
            status = 422
        if status == 204:
            self.server.taken.update(mention["id"] for mention in mentions)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass
