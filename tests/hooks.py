"""A server that takes what is posted to it."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

__all__ = ["Hook"]


class Hook(HTTPServer):
    """Takes what is posted; ``headers`` and ``bodies`` have it."""

    def __init__(self) -> None:
        self.headers: list[dict[str, str]] = []
        self.bodies: list[dict[str, Any]] = []
        self.raw: list[bytes] = []
        self.answers: list[tuple[int, dict[str, str]]] = []
        self.refused: str | None = None
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
        ids = [mention["id"] for mention in self.server.bodies[-1].get("mentions", ())]
        status, headers = self.server.answers.pop(0) if self.server.answers else (204, {})
        self.send_response(422 if self.server.refused in ids else status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass
