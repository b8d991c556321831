"""A demo server whose sites are difficult: what a monitor meets, on this machine.

    python -m examples.drill_server

It serves what `blockfeat monitor demo` does and the list ``drill.opml``; `OUTCOMES` says how each of its pages ends.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from examples.demo.feed_writing import opml_of
from examples.demo.server import FRONT, DemoServer, Reply
from examples.demo.sites import DemoSite
from examples.drill_sites import DrillRoutes, ForbiddenDoor, drill_sites


class DrillServer(DemoServer):
    """Serves the difficult sites too.

    Parameters
    ----------
    port : int
        Port; 0 for any free one.
    feeds, pages : int
        Number of generated sites and of pages on each.
    retry_after : int
        Seconds that busy hosts of the drill ask to be left alone.
    """

    def __init__(self, *, port: int = 0, feeds: int = 0, pages: int = 50, retry_after: int = 2) -> None:
        super().__init__(port=port, feeds=feeds, pages=pages, lists={"drill": drill_sites()})
        self._visits: Counter[tuple[str, str]] = Counter()
        self._routes = DrillRoutes(retry_after=retry_after)
        self._door = ForbiddenDoor()

    def __enter__(self) -> Self:
        """Start serving in a thread."""
        self._door.__enter__()
        self._routes.port = self.port
        self._routes.forbidden_port = self._door.port or 9
        return super().__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Stop serving."""
        super().__exit__(kind, error, traceback)
        self._door.__exit__(kind, error, traceback)

    @property
    def forbidden(self) -> list[str]:
        """Connections to addresses that no redirect may lead to; must stay empty."""
        return self._door.knocks

    def revise(self) -> int:
        """Change the page ``drill/updated``; return its version."""
        with self._lock:
            self._routes.revision += 1
            return self._routes.revision

    def answer(self, host: str, target: str) -> Reply:
        """Return the answer of a difficult site, or the usual one."""
        path = urlsplit(target).path
        with self._lock:
            self._visits[host, path] += 1
            visits = self._visits[host, path]
        if host == FRONT and path == "/-/forbidden":
            return Reply(json.dumps(self.forbidden).encode(), content_type="application/json")
        if host == FRONT and path == "/-/revise":
            return Reply(str(self.revise()).encode(), content_type="text/plain")
        difficult = None if host == FRONT else self._routes.reply(host, path, visits)
        return difficult or super().answer(host, target)

    def _opml(self, name: str) -> str:
        if name != "drill":
            return super()._opml(name)
        # Feeds that only answer by a status: one that is gone, one that has moved.
        silent = (DemoSite(host, f"Drill: {host}", "en", "rss", ()) for host in ("gone", "moved"))
        return opml_of("Demo: drill", (*self.sites("drill"), *silent))


def main() -> None:
    """Serve until Ctrl-C."""
    with DrillServer(port=8750) as server:
        print(f"{server.url}: {server.list_url('drill')}; Ctrl-C ends it", flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
