"""Apps, and the reader, served by a thread."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from fastapi import FastAPI

from blockfeat.web.app import bound_socket, create_app, server_of
from blockfeat.web.guard import ServeSettings
from blockfeat.web.reader.service import Service


@dataclass(frozen=True)
class Served:
    """Address of a reader, and what is behind it."""

    url: str
    service: Service


@contextmanager
def serving(app: FastAPI, port: int = 0) -> Iterator[str]:
    """Serve an app in a thread; return its address."""
    listening = bound_socket("127.0.0.1", port)
    server = server_of(app, log_level="error")
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            time.sleep(0.02)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(30)
        listening.close()


@contextmanager
def serving_reader(settings: ServeSettings) -> Iterator[Served]:
    app = create_app(settings)
    with serving(app) as url:
        yield Served(url, app.state.service)
