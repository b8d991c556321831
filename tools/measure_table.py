"""Measure what the open questions of the html5 table cost or bring: hidden elements and forms.

Command: python tools/measure_table.py [--pages 150]

The bundled thresholds on variants of the table, over the pages of ../shared/corpora that no bundled model was
tested on the splits of; prints word F1 by corpus. Figures stand in docs/papers.md.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from blockfeat import Extractor  # noqa: E402
from blockfeat.blocks import TagTable, load_table  # noqa: E402
from blockfeat.data import read_corpus  # noqa: E402
from blockfeat.training.evaluation.evaluate import score_model  # noqa: E402

CORPORA = ("fundus", "daniel", "l3s-gn1", "wcxb-dev", "dragnet")


def variants() -> dict[str, TagTable]:
    """Return the table as it is and with one thing changed."""
    table = load_table("html5")
    hidden = replace(table, guards=replace(table.guards, prune_hidden=True))
    without_forms = replace(table, operations={**table.operations, "form": "prune"})
    guarded = table.guards.keep_if_it_holds_paragraphs | {"form"}
    guarded_forms = replace(without_forms, guards=replace(table.guards, keep_if_it_holds_paragraphs=guarded))
    unguarded = replace(table, guards=replace(table.guards, keep_if_it_holds_paragraphs=frozenset()))
    return {
        "as bundled": table,
        "hidden elements pruned": hidden,
        "forms pruned": without_forms,
        "forms pruned unless they hold a paragraph": guarded_forms,
        "no guard for unclosed elements": unguarded,
        "no noscript rescue": replace(table, guards=replace(table.guards, noscript_rescue=False)),
        "no split at two breaks": replace(table, guards=replace(table.guards, split_at_breaks=0)),
    }


def main() -> None:
    """Print a table of word F1."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, default=150)
    parser.add_argument("--corpora", type=Path, default=ROOT.parent / "shared" / "corpora")
    options = parser.parse_args()
    model = Extractor.load("thresholds").model
    pages = {
        name: [page for page in read_corpus(options.corpora / f"{name}.jsonl.xz") if page.text] for name in CORPORA
    }
    pages = {name: found[:: max(1, len(found) // options.pages)][: options.pages] for name, found in pages.items()}
    print("| table | " + " | ".join(CORPORA) + " | mean |\n|---|" + "---|" * (len(CORPORA) + 1))
    for title, table in variants().items():
        extractor = Extractor.of(replace(model, table=table))
        scores = [score_model(extractor, pages[name], jobs=2).mean("f1") for name in CORPORA]
        cells = [f"{score:.3f}" for score in (*scores, sum(scores) / len(scores))]
        print(f"| {title} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
