"""Measure and label the pages of the corpora for training the default model.

Usage::

    python tools/train_default.py prepare --output /tmp/acc

writes into the folder, with n blocks of all pages together and k features:

``matrix.npy``
    float32, n × k: the eight features of the paper, then the context features; ``names.json`` has their names.
``labels.npy``, ``weights.npy``
    float32, n: 1 for content; weight of the label, 0 where it says nothing (`blockfeat.data.labels`).
``share.npy``, ``words.npy``
    float32 and int32, n: share of the words of each block that the gold has (-1 where the gold is snippets); words.
``offsets.npy``
    int64, pages + 1: where the blocks of each page begin.
``pages.pkl``
    A list of dict, one a page: id, corpus, host, page_type, lang, url, text (the gold), present, absent, found (share
    of the gold that the page has), use (whether it is to be trained on), texts (those of its blocks), and emptied for
    pages that are there a second time without their content.

The test part of CleanEval and goose3 (gold cut short by machine) are measured and labelled, but not to be trained on.
"""

from __future__ import annotations

import argparse
import json
import logging
import pickle
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks import load_table
from blockfeat.blocks.cut import Cutter
from blockfeat.blocks.table import Blocks
from blockfeat.data import LabelledPage, read_corpus
from blockfeat.data.align import align
from blockfeat.data.labels import BlockLabels, Marks, label_blocks, snippet_labels
from blockfeat.evaluation.evaluate import score_page
from blockfeat.features import Measurer
from blockfeat.features.context import context_columns, context_features
from blockfeat.features.schema import Measured
from blockfeat.lang.identify import Identifier
from blockfeat.lang.index import StopWordIndex
from blockfeat.page.page import Page

__all__ = ["main"]

CORPORA = (
    "fundus",
    "trafilatura",
    "htmltotext",
    "newspaper4k",
    "goose3",
    "daniel",
    "l3s-gn1",
    "dragnet",
    "cleaneval-dev",
    "cleanportaleval",
    "cleaneval-test",
    "wcxb-dev",
)
TEST_ONLY = frozenset({"cleaneval-test", "goose3"})
FEATURES = context_features()
TABLE = "html5"
EMPTIED = 4
"""Of so many pages one is taken a second time, without its content."""
_LEAST_FOUND = 0.5
_PLACE = {feature.name: place for place, feature in enumerate(FEATURES)}
_logger = logging.getLogger("blockfeat.train_default")


@dataclass(frozen=True)
class Prepared:
    """A page measured and labelled."""

    record: dict[str, Any]
    matrix: NDArray[np.float32]
    words: NDArray[np.int32]
    share: NDArray[np.float32]
    labels: BlockLabels


def prepare_page(page: LabelledPage, measurer: Measurer) -> tuple[Prepared, Blocks]:
    """Measure and label one page; return its blocks too."""
    measured = measurer.measure(Page.parse(page.html, url=page.url))
    blocks = measured.blocks
    matrix = context_columns(Measured(blocks, measured.stop_words))
    texts = tuple(blocks.texts())
    share = np.full(len(blocks), -1.0)
    found = None
    if page.text is None:
        labels = snippet_labels(list(texts), page.present, page.absent)
    else:
        alignment = align(blocks, page.text)
        share, found = alignment.share, alignment.found
        labels = label_blocks(share, alignment.words, _marks(matrix, alignment.echo))
    use = bool(texts) and page.corpus not in TEST_ONLY
    if page.text is not None:
        use = use and bool(page.text) and found is not None and found >= _LEAST_FOUND
    record = {
        "id": page.id,
        "corpus": page.corpus,
        "host": page.host,
        "page_type": page.page_type,
        "lang": page.lang or measured.lang,
        "url": page.url,
        "text": page.text,
        "present": page.present,
        "absent": page.absent,
        "found": found,
        "use": use,
        "texts": texts,
    }
    words = blocks.measures.words.astype(np.int32)
    return Prepared(record, matrix, words, share.astype(np.float32), labels), blocks


def emptied(page: LabelledPage, full: Prepared, blocks: Blocks, measurer: Measurer) -> Prepared | None:
    """Return a page without its content: for learning what a page looks like that has none; None without gold."""
    if page.text is None or not full.record["use"]:
        return None
    source, position, kept = blocks.tags.source, 0, []
    for block in np.flatnonzero((full.share >= 0.3) | (full.labels.labels > 0)).tolist():
        kept.append(source[position : int(blocks.first_byte[block])])
        position = int(blocks.end_byte[block])
    html = b"".join((*kept, source[position:])).decode("utf-8", "replace")
    found, left = prepare_page(replace(page, html=html), measurer)
    nothing = np.zeros(len(left))
    record = {**found.record, "use": len(left) > 0, "emptied": True}
    labels = BlockLabels(nothing, np.where(found.share >= 0.5, 0.0, 1.0))
    return Prepared(record, found.matrix, found.words, nothing.astype(np.float32), labels)


def _marks(matrix: NDArray[np.float32], echo: NDArray[np.float64]) -> Marks:
    """Return what the features say about headlines, bylines and captions."""

    def column(name: str) -> NDArray[np.float32]:
        return np.asarray(matrix[:, _PLACE[name]])

    titled = (column("title_share") >= 0.75) & (column("title_cover") >= 0.35)
    return Marks(
        headline=(column("around_h1") > 0) | titled,
        byline=(column("around_byline") > 0) & (column("terminal") == 0),
        caption=column("around_figure") > 0,
        echo=echo >= 0.5,
    )


def label_quality(page: LabelledPage, prepared: Prepared) -> tuple[float, float] | None:
    """Return the word F1 of the blocks that the gold has half of, and of the training labels; None without gold."""
    if page.text is None:
        return None
    texts = prepared.record["texts"]
    scores = []
    for kept in (prepared.share >= 0.5, prepared.labels.labels > 0):
        text = "\n\n".join(texts[place] for place in np.flatnonzero(kept).tolist())
        scores.append(score_page(text, page).f1 or 0.0)
    return scores[0], scores[1]


def prepare(folder: Path, output: Path, names: Iterable[str]) -> None:
    """Measure and label the pages of corpora and write them into a folder."""
    measurer = Measurer(Cutter.of(load_table(TABLE)), (), Identifier.build(StopWordIndex.build()))
    pages: list[Prepared] = []
    print("| corpus | pages | used | blocks | gold found | F1 of share ≥ ½ | F1 of labels | weight 0 | content | s |")
    print("|---" * 10 + "|")
    for name in names:
        start, found, quality, empty = time.process_time(), [], [], []
        for page in read_corpus(folder / f"{name}.jsonl.xz"):
            full, blocks = prepare_page(page, measurer)
            found.append(full)
            quality.append(label_quality(page, full))
            if len(found) % EMPTIED == 0:
                without = emptied(page, full, blocks, measurer)
                empty += [without] if without is not None else []
        print(_row(name, found, [pair for pair in quality if pair], time.process_time() - start), flush=True)
        pages += found + empty
    write(output, pages)


def _row(name: str, found: Sequence[Prepared], quality: Sequence[tuple[float, float]], seconds: float) -> str:
    shares = [page.record["found"] for page in found if page.record["found"] is not None]
    f1 = np.mean(quality, axis=0) if quality else (np.nan, np.nan)
    weights = np.concatenate([page.labels.weights for page in found])
    labels = np.concatenate([page.labels.labels for page in found])
    cells = [name, len(found), sum(page.record["use"] for page in found), labels.size]
    cells += [f"{np.mean(shares) if shares else np.nan:.4f}", f"{f1[0]:.4f}", f"{f1[1]:.4f}"]
    cells += [f"{np.mean(weights == 0):.3f}", f"{labels.mean():.3f}", f"{seconds:.0f}"]
    return f"| {' | '.join(map(str, cells))} |"


def write(output: Path, pages: Sequence[Prepared]) -> None:
    """Write the prepared pages into a folder."""
    output.mkdir(parents=True, exist_ok=True)
    arrays = {
        "matrix": np.concatenate([page.matrix for page in pages]),
        "labels": np.concatenate([page.labels.labels for page in pages]).astype(np.float32),
        "weights": np.concatenate([page.labels.weights for page in pages]).astype(np.float32),
        "share": np.concatenate([page.share for page in pages]),
        "words": np.concatenate([page.words for page in pages]),
        "offsets": np.cumsum([0, *(page.words.size for page in pages)]),
    }
    for name, array in arrays.items():
        np.save(output / f"{name}.npy", array)
    (output / "names.json").write_text(json.dumps([feature.name for feature in FEATURES]), encoding="utf-8")
    # A scratch file of this tool alone; models are never pickled.
    (output / "pages.pkl").write_bytes(pickle.dumps([page.record for page in pages]))
    _logger.info("wrote %d pages, %d blocks to %s", len(pages), arrays["words"].size, output)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("command", choices=["prepare"])
    parser.add_argument("--corpora", type=Path, default=Path("../shared/corpora"), help="folder of the corpora")
    parser.add_argument("--output", type=Path, required=True, help="folder for the arrays")
    parser.add_argument("--only", nargs="*", choices=CORPORA, default=CORPORA, help="corpora to take")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    prepare(options.corpora, options.output, options.only)
    return 0


if __name__ == "__main__":
    sys.exit(main())
