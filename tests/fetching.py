"""Ways for tests to fetch from a server on this machine, and answers without any."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from blockfeat.monitor.fetching import Clock, Fetched, Fetcher, FetchOptions

OPTIONS = FetchOptions(delay=0, first_wait=0.01, timeout=5, allow_networks=("127.0.0.1/32",))


class Web:
    """Answers for addresses, without a network; ``asked`` has what was asked."""

    def __init__(self, **answers: Fetched) -> None:
        self.answers = answers
        self.asked: list[str] = []

    def put(self, url: str, body: str | bytes = "", status: int = 200, **values: Any) -> None:
        data = body.encode() if isinstance(body, str) else body
        error = None if status == 200 else f"{url}: the server answered {status}"
        permanent = 400 <= status < 500
        self.answers[url] = replace(Fetched(url, url, status, data=data, error=error, permanent=permanent), **values)

    async def fetch(self, url: str, **options: object) -> Fetched:
        self.asked.append(url)
        if url not in self.answers:
            self.put(url, status=404)
        return self.answers[url]


def run(work: Callable[[Fetcher], Awaitable[Any]], options: FetchOptions = OPTIONS, **more: Any) -> Any:
    async def main() -> Any:
        async with Fetcher(options, **more) as fetcher:
            return await work(fetcher)

    return asyncio.run(main())


def fetch(url: str, options: FetchOptions = OPTIONS, *, clock: Clock | None = None, **how: Any) -> Fetched:
    fetched = run(lambda fetcher: fetcher.fetch(url, **how), options, clock=clock)
    assert isinstance(fetched, Fetched)
    return fetched
