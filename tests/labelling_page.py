"""A labelling page that serves for the tests."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from blockfeat.extraction.extractor import Extractor
from blockfeat.io.inputs import Document
from blockfeat.web.app import bound_socket, server_of
from blockfeat.web.guard import ServeSettings
from blockfeat.web.labelling.app import create_label_app
from blockfeat.web.labelling.pages import SessionPages, Suggester
from blockfeat.web.labelling.session import LabelSession


@dataclass(frozen=True)
class LabellingPage:
    """A labelling page on this machine.

    Attributes
    ----------
    url : str
        Its address.
    session : LabelSession
        What it labels.
    """

    url: str
    session: LabelSession


@contextmanager
def serving_labels(
    documents: Sequence[Document], output: Path, *, model: str, port: int = 0
) -> Iterator[LabellingPage]:
    """Serve a labelling page in a thread."""
    pages = SessionPages.of(documents)
    with LabelSession(pages, output, Suggester(Extractor.load(model))) as session:
        app = create_label_app(session, ServeSettings(requests_per_minute=0))
        with bound_socket("127.0.0.1", port) as listening:
            server = server_of(app, log_level="error")
            thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
            thread.start()
            while not server.started and thread.is_alive():
                time.sleep(0.01)
            try:
                yield LabellingPage(f"http://127.0.0.1:{listening.getsockname()[1]}", session)
            finally:
                server.should_exit = True
                thread.join()
    pages.close()
