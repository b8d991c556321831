"""Common Crawl to a corpus for a language model: texts with language, status, quality and keys for near copies.

Usage::

    pip install "blockfeat[warc,parquet]"
    python examples/common_crawl.py CC-MAIN-*.warc.gz -o corpus.parquet --jobs 4 --languages de,fr

Each archive of web pages, a line of ``warc.paths.gz`` of a crawl, holds some 30,000 pages. Pages without a main text
are left out, as are those in other languages, of little confidence, or with few words; of near copies the first one
is kept. What was left out, and why, is counted at the end.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow
from pyarrow.parquet import ParquetWriter

from blockfeat import Extractor
from blockfeat.extraction.extraction import fingerprint_keys, fingerprint_similarity
from blockfeat.extraction.extractor import read_pages
from blockfeat.integrations import Describer
from blockfeat.io.inputs import Document, read_inputs
from blockfeat.io.outputs.formats import Rendered

SCHEMA = pyarrow.schema(
    [
        ("id", pyarrow.string()),
        ("url", pyarrow.string()),
        ("text", pyarrow.string()),
        ("title", pyarrow.string()),
        ("language", pyarrow.string()),
        ("language_score", pyarrow.float64()),
        ("status", pyarrow.string()),
        ("kind", pyarrow.string()),
        ("confidence", pyarrow.float64()),
        ("words", pyarrow.int64()),
        ("fingerprint", pyarrow.string()),
        ("keys", pyarrow.list_(pyarrow.string())),
    ]
)
ROWS_AT_ONCE = 1000


class Copies:
    """Texts that were seen: of near copies, the first one is kept.

    In memory, some 2 KB a text, which is enough for some archives. For a whole crawl, join by key on a cluster
    (docs/pipelines.md).
    """

    def __init__(self, least_alike: float) -> None:
        self.least_alike = least_alike
        self.seen: dict[str, list[str]] = {}

    def has(self, fingerprint: str, keys: Sequence[str]) -> bool:
        """Return whether a text like this one was seen, and remember it if not."""
        alike = (other for key in keys for other in self.seen.get(key, ()))
        if any(fingerprint_similarity(fingerprint, other) >= self.least_alike for other in alike):
            return True
        for key in keys:
            self.seen.setdefault(key, []).append(fingerprint)
        return False


def rows(pages: Iterator[tuple[Document, Rendered]], options: argparse.Namespace, left_out: Counter[str]) -> Any:
    """Yield a row for each page that is kept, and count why the others are not."""
    languages = set(options.languages.split(",")) if options.languages else None
    copies = Copies(options.least_alike)
    for page, found in pages:
        values = found.record or {}
        words = len(found.text.split())
        keys = fingerprint_keys(values.get("fingerprint"))
        if found.status != "ok":
            left_out[found.status] += 1
        elif languages is not None and values.get("language") not in languages:
            left_out["another language"] += 1
        elif values.get("confidence", 0.0) < options.least_confidence:
            left_out["little confidence"] += 1
        elif words < options.fewest_words:
            left_out["few words"] += 1
        elif keys and copies.has(values["fingerprint"], keys):
            left_out["near copy"] += 1
        else:
            row = {"id": page.id, "text": found.text, "words": words, "keys": list(keys), **values}
            yield {name: row.get(name) for name in SCHEMA.names}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the corpus; return 1 where nothing was kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("inputs", nargs="+", help="web archives")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--deadline", type=float, default=30.0, help="seconds that a page may take")
    parser.add_argument("--languages", help="such as de,fr; all by default")
    parser.add_argument("--least-confidence", type=float, default=0.5, help="the word F1 to be expected of a text")
    parser.add_argument("--fewest-words", type=int, default=50)
    parser.add_argument(
        "--least-alike", type=float, default=0.8, help="share of word runs that near copies have in common"
    )
    options = parser.parse_args(arguments)
    describer = Describer(Extractor.load()).warmed()
    documents = read_inputs(options.inputs)
    pages = read_pages(describer, documents, jobs=options.jobs, deadline=options.deadline)
    left_out: Counter[str] = Counter()
    kept = 0
    waiting: list[dict[str, Any]] = []
    with ParquetWriter(options.output, SCHEMA, compression="zstd") as writer:
        for row in rows(pages, options, left_out):
            kept += 1
            waiting.append(row)
            if len(waiting) == ROWS_AT_ONCE:
                writer.write_table(pyarrow.Table.from_pylist(waiting, schema=SCHEMA))
                waiting = []
        writer.write_table(pyarrow.Table.from_pylist(waiting, schema=SCHEMA))
    reasons = ", ".join(f"{reason}: {count:,}" for reason, count in left_out.most_common())
    sys.stderr.write(f"{kept:,} texts kept; left out: {reasons or 'nothing'}\n")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
