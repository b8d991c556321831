"""Ask the reader many things at once and print requests a second, the slowest of them, and memory.

    python tools/load_serve.py --at-once 50 --requests 5000

The service runs in processes of its own, started as `blockfeat serve`; the clients' time is not counted apart: on two
cores they take their share of them. Memory is that of the service and its workers, sampled as the requests are done.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2

from blockfeat.data import demo_pages
from process_memory import resident_megabytes

_COMMAND = "import sys; from blockfeat.cli import main; sys.argv = ['blockfeat', *sys.argv[1:]]; main()"
_SAMPLES = 12


def main() -> None:
    """Serve, ask, and print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--at-once", type=int, default=50, help="requests under way at a time")
    parser.add_argument("--requests", type=int, default=5000)
    parser.add_argument("--jobs", type=int, default=2, help="worker processes of the service")
    options = parser.parse_args()
    with _service(options.jobs) as (url, process):
        asyncio.run(_measure(url, process, options.at_once, options.requests))


@contextmanager
def _service(jobs: int) -> Iterator[tuple[str, int]]:
    """Serve on a free port; yield address and process id."""
    command = [sys.executable, "-c", _COMMAND, "serve", "--port", "0", "--rate", "0", "--jobs", str(jobs)]
    # Little room for kept pages, so that it is full soon and memory shows what else grows.
    command += ["--kept-bytes", "4000000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            found = re.search(r"http://\S+?(?=/? )", process.stdout.readline() if process.stdout else "")
            if found is None:
                raise SystemExit("the service did not start")
            yield found.group(), process.pid
        finally:
            process.terminate()


async def _measure(url: str, process: int, at_once: int, requests: int) -> None:
    pages = demo_pages()
    kept = Counter[str]()
    seconds: list[float] = []
    turns = iter(range(requests))
    samples: list[tuple[int, float, float]] = []

    async def ask() -> None:
        async with httpx2.AsyncClient(base_url=url, timeout=120.0, trust_env=False) as client:
            for turn in turns:
                began = time.monotonic()
                kept[await _asked(client, turn, pages[turn % len(pages)].html)] += 1
                seconds.append(time.monotonic() - began)
                if len(seconds) % max(requests // _SAMPLES, 1) == 0:
                    samples.append((len(seconds), time.monotonic() - start, resident_megabytes(process)))

    async with httpx2.AsyncClient(base_url=url, timeout=120.0, trust_env=False) as client:
        await _until_ready(client)
    start = time.monotonic()
    await asyncio.gather(*(ask() for _ in range(at_once)))
    taken = time.monotonic() - start
    print(f"{'requests':>8} {'seconds':>8} {'MB':>7}")
    for done, at, memory in samples:
        print(f"{done:>8} {at:>8.1f} {memory:>7.1f}")
    seconds.sort()
    print(f"{len(seconds)} requests, {at_once} at once, in {taken:.1f} s: {len(seconds) / taken:.0f} a second")
    print(f"half within {seconds[len(seconds) // 2]:.2f} s, 99 % within {seconds[len(seconds) * 99 // 100]:.2f} s")
    print(f"answers {dict(kept)}")


async def _asked(client: httpx2.AsyncClient, turn: int, html: str) -> str:
    """Make one of several kinds of request; return the status, or the name of the error."""
    try:
        if turn % 4 == 0:
            answer = await client.post("/api/v1/extract", json={"html": html, "formats": ["text", "html"]})
        elif turn % 4 == 1:
            answer = await client.post("/api/v1/explain", json={"html": html, "features": False})
        elif turn % 4 == 2:
            answer = await client.post("/api/v1/clean", json={"html": html})
        else:
            page = (await client.post("/api/v1/pages", json={"html": html})).json()["page"]
            answer = await client.get(f"/frame/{page}/coloured")
    except httpx2.HTTPError as error:
        return type(error).__name__
    return str(answer.status_code)


async def _until_ready(client: httpx2.AsyncClient) -> None:
    while True:
        try:
            await client.get("/api/v1/health")
        except httpx2.ConnectError:
            await asyncio.sleep(0.1)
        else:
            return


if __name__ == "__main__":
    main()
