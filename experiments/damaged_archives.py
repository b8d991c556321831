"""What is read of damaged web archives: pages and errors of archives in which some bits are flipped, or which are cut.

Command: python -m experiments.damaged_archives [--seed N]

Each of 200 archives has 50 small pages, each in a gzip member or a zstd frame of its own, or not packed.
"""

from __future__ import annotations

import argparse
import gzip
import io
import random
from collections.abc import Callable

import pyarrow

from blockfeat.io.inputs.records import warc_pages

ARCHIVES, PAGES = 200, 50


def _zstd(data: bytes) -> bytes:
    return bytes(pyarrow.compress(data, codec="zstd", asbytes=True))


def _archive(pack: Callable[[bytes], bytes]) -> bytes:
    """Return an archive of small pages, each packed on its own."""
    members = []
    for number in range(PAGES):
        http = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>The ferry of day {number} leaves at nine."
        head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:{number}>\r\n"
        head += f"Content-Type: application/http\r\nContent-Length: {len(http)}\r\n\r\n"
        members.append(pack(f"{head}{http}\r\n\r\n".encode()))
    return b"".join(members)


def _flipped(data: bytes, drawn: random.Random, flips: int) -> bytes:
    damaged = bytearray(data)
    for _ in range(flips):
        damaged[drawn.randrange(len(data))] ^= 1 << drawn.randrange(8)
    return bytes(damaged)


DAMAGE: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "one bit flipped": lambda data, drawn: _flipped(data, drawn, 1),
    "five bits flipped": lambda data, drawn: _flipped(data, drawn, 5),
    "100 bytes gone": lambda data, drawn: data[: (at := drawn.randrange(len(data) - 100))] + data[at + 100 :],
    "cut": lambda data, drawn: data[: drawn.randrange(len(data))],
}


def main() -> None:
    """Print how many pages and errors the package reads of each kind of archive with each kind of damage."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    seed = parser.parse_args().seed
    print("| archives | damage | pages of 10,000 | errors | archives with fewer pages and no error |")
    print("|---|---|--:|--:|--:|")
    for name, pack in (("gzip", gzip.compress), ("zstd", _zstd), ("not packed", bytes)):
        whole = _archive(pack)
        for kind, damaged in DAMAGE.items():
            pages = errors = silent = 0
            for number in range(ARCHIVES):
                found = list(warc_pages("a.warc", io.BytesIO(damaged(whole, random.Random(seed + number)))))
                failed = sum(page.error is not None for page in found)
                pages, errors = pages + len(found) - failed, errors + failed
                silent += len(found) < PAGES and not failed
            print(f"| {name} | {kind} | {pages:,} | {errors:,} | {silent} |")


if __name__ == "__main__":
    main()
