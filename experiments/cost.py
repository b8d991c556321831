"""What a crawl costs: core-hours, memory and storage for a million pages, a billion, and a crawl of Common Crawl.

Usage::

    python -m experiments.cost --corpora ../shared/corpora --every 10

The pages of four corpora are packed into a web archive. For each system, a fresh process reads it, extracts, and
writes Parquet as the job on Spark does: CPU seconds of the process (start not counted; of each page the least of
some passes), its largest resident memory, and the size of the output. ``record`` is the whole record of a page
(docs/record.md), ``text`` its id, address and text alone, which is all that the peers give. Extrapolated by pages. CPU
seconds are more on a machine that is busy than on an idle one, since its processes share caches and memory.
"""

from __future__ import annotations

import argparse
import gzip
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from blockfeat.extraction.extractor import Extractor
from blockfeat.io.inputs import Document, read_inputs
from blockfeat.io.outputs.formats import Formatter, Rendered, record_columns
from blockfeat.io.outputs.tables import ParquetFileWriter
from blockfeat.training.evaluation.metrics import markdown_table
from blockfeat.training.evaluation.peers import installed_peers
from experiments.corpora import Corpora
from experiments.needs import check_needs
from experiments.timed_pages import TIMED, sampled_bytes

__all__ = ["Cost", "cost_of", "main", "systems", "write_archive"]

_CRAWLS = {"10⁶": 1e6, "10⁹": 1e9, "2.5 × 10⁹": 2.5e9}
_TEXT = ("id", "url", "text")
_MODELS = ("thresholds", "margin", "default")
_PEERS = ("resiliparse", "trafilatura")

Work = Callable[[Document], Rendered]


@dataclass(frozen=True)
class Cost:
    """What a page costs a system, in the mean.

    Attributes
    ----------
    cpu : float
        CPU seconds.
    output : float
        Bytes of Parquet.
    memory : int
        Largest resident memory of the process, in bytes.
    """

    cpu: float
    output: float
    memory: int


def write_archive(path: Path, pages: Sequence[bytes]) -> None:
    """Write pages to a web archive, each record packed alone, as crawls are."""
    with path.open("wb") as file:
        for number, page in enumerate(pages):
            http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + page
            head = (
                f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{number:032x}>\r\n"
                f"WARC-Target-URI: https://site.example/{number}\r\n"
                f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
            )
            file.write(gzip.compress(head.encode() + http + b"\r\n\r\n", 6))


def systems() -> dict[str, tuple[Callable[[], Work], tuple[str, ...] | None]]:
    """Return how each system is made, and which columns it writes (None for all), by its name."""
    found: dict[str, tuple[Callable[[], Work], tuple[str, ...] | None]] = {"reading alone": (_Reading, _TEXT)}
    for name in _MODELS:
        found[f"blockfeat {name}, text"] = (_Texts(name), _TEXT)
        found[f"blockfeat {name}, record"] = (_Records(name), None)
    installed = [peer.name for peer in installed_peers()]
    found.update({f"{name}, text": (_PeerTexts(name), _TEXT) for name in _PEERS if name in installed})
    return found


def _row(document: Document, text: str) -> Rendered:
    return Rendered(document.id, "", None, record={"id": document.id, "url": document.url, "text": text})


class _Reading:
    """Reads pages and writes nothing of them."""

    def __call__(self, document: Document) -> Rendered:
        return _row(document, "")


@dataclass(frozen=True)
class _Texts:
    """Makes a function that extracts texts."""

    model: str

    def __call__(self) -> Work:
        extractor = Extractor.load(self.model)
        return lambda document: _row(document, extractor.extract_document(document).text)


@dataclass(frozen=True)
class _Records:
    """Makes a function that extracts records."""

    model: str

    def __call__(self) -> Work:
        return Formatter(Extractor.load(self.model), "parquet")


@dataclass(frozen=True)
class _PeerTexts:
    """Makes a function that extracts texts with a peer, which gets the page decoded."""

    name: str

    def __call__(self) -> Work:
        extract = next(peer for peer in installed_peers() if peer.name == self.name).load()
        return lambda document: _row(document, extract(_decoded(document.data), url=document.url))


def _decoded(page: bytes | str | None) -> str:
    return page.decode("utf-8", "replace") if isinstance(page, bytes) else page or ""


def cost_of(name: str, archive: Path, *, passes: int) -> Cost:
    """Return what a page of an archive costs a system, measured in a fresh process."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(_measured, (name, archive, passes))


def _measured(name: str, archive: Path, passes: int) -> Cost:
    make, wanted = systems()[name]
    work = make()
    columns = tuple(column for column in record_columns() if wanted is None or column.name in wanted)
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "out.parquet"
        # A first pass for what is loaded on the first pages of a kind.
        seconds = []
        for _ in range(passes + 1):
            with output.open("wb") as stream:
                seconds.append(_pass(archive, work, ParquetFileWriter(stream, columns, name=output.name)))
        size = output.stat().st_size
    least = np.min(seconds[1:], axis=0)
    return Cost(float(least.mean()), size / least.size, _largest_memory())


def _pass(archive: Path, work: Work, writer: ParquetFileWriter) -> list[float]:
    """Return the CPU seconds of each page: reading, extracting and writing; a group is written with its last page."""
    seconds, start = [], time.process_time()
    for document in read_inputs([str(archive)]):
        writer.write(work(document))
        seconds.append(time.process_time() - start)
        start = time.process_time()
    writer.close()
    seconds[-1] += time.process_time() - start
    return seconds


def _largest_memory() -> int:
    # Not getrusage: a process starts there with the memory of the one that started it.
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise OSError("/proc/self/status has no VmHWM")


def _table(found: dict[str, Cost]) -> str:
    columns = [
        "system",
        "ms a page",
        *(f"core-hours, {crawl}" for crawl in _CRAWLS),
        "memory, MB",
        "output, bytes a page",
    ]
    columns += [f"output, {crawl}" for crawl in _CRAWLS]
    rows = []
    for name, cost in found.items():
        hours = [_short(cost.cpu * pages / 3600) for pages in _CRAWLS.values()]
        sizes = [_bytes(cost.output * pages) for pages in _CRAWLS.values()]
        cells = [name, f"{cost.cpu * 1000:.2f}", *hours, f"{cost.memory / 1e6:.0f}", f"{cost.output:,.0f}"]
        rows.append([*cells, *sizes])
    return markdown_table(columns, rows)


def _short(number: float) -> str:
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"


def _bytes(size: float) -> str:
    for unit, factor in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size:.0f} B"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    Corpora.add_options(parser)
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--system", action="append", help="measure this system only (repeatable)")
    options = parser.parse_args(arguments)
    check_needs(folder=options.corpora, corpora=TIMED)
    corpora = Corpora.of_options(options)
    pages = sampled_bytes(corpora)
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / "pages.warc.gz"
        write_archive(archive, pages)
        packed = archive.stat().st_size / len(pages)
        found = {name: cost_of(name, archive, passes=options.passes) for name in options.system or systems()}
    plain = sum(map(len, pages)) / len(pages)
    sys.stdout.write(
        f"{len(pages):,} pages of {plain:,.0f} bytes, {packed:,.0f} packed, in the mean\n\n{_table(found)}\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
