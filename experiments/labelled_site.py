"""How good a model is after twenty labelled pages of one site: each kind against the bundled models on its other pages.

Usage::

    python -m experiments.labelled_site --site nytimes.com --corpus dragnet.jsonl.xz

The labeller is the corpus's gold: a block is content where at least half of its words stand in the gold text. The
labelled pages are drawn at random, once for each seed; scored are the others against their gold text, by word F1.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from blockfeat.blocks.cut import Cutter
from blockfeat.blocks.tagtable import load_table
from blockfeat.data import LabelledPage, load_corpora
from blockfeat.data.align import align
from blockfeat.data.block_roles import BlockRoles, cut_digest
from blockfeat.extraction.extractor import Extractor
from blockfeat.page.page import Page
from blockfeat.training.evaluation.metrics import markdown_table, word_scores
from blockfeat.training.registry import CONFIGS, make_trainer
from blockfeat.training.thresholds import ThresholdConfig
from blockfeat.web.labelling.curve import KINDS
from blockfeat.web.labelling.pages import text_of_roles

__all__ = ["labelled_by_gold", "main", "site_rows"]

BUNDLED = ("thresholds", "margin", "default")
TABLE = "html5"


def labelled_by_gold(page: LabelledPage) -> LabelledPage:
    """Return a page with the roles that a labeller of the corpus's mind would give its blocks, and their text."""
    blocks = Cutter.of(load_table(TABLE)).cut(Page.parse(page.html, url=page.url))
    roles = tuple("content" if share >= 0.5 else "clutter" for share in align(blocks, page.text or "").share.tolist())
    return replace(page, text=text_of_roles(blocks, roles), roles=BlockRoles(TABLE, cut_digest(blocks), roles))


def site_rows(pages: Sequence[LabelledPage], *, count: int, seeds: Sequence[int], most: int) -> list[tuple[str, ...]]:
    """Return a row for each seed and one of means: F1 of each kind trained on some pages, and of the bundled models."""
    found = []
    for seed in seeds:
        drawn = list(pages)
        random.Random(seed).shuffle(drawn)
        labelled = [page for page in map(labelled_by_gold, drawn[:count]) if page.text]
        others = drawn[count : count + most]
        trained = [Extractor.of(make_trainer(kind, _config(kind), seed=0).fit(labelled)) for kind in KINDS]
        extractors = [*trained, *(Extractor.load(name) for name in BUNDLED)]
        found.append([_score(extractor, others) for extractor in extractors])
    rows = [(str(seed), *map(_cell, scores)) for seed, scores in zip(seeds, found, strict=True)]
    return [*rows, ("mean", *(_cell(fmean(column)) for column in zip(*found, strict=True)))]


def _config(kind: str) -> object:
    return ThresholdConfig(fitness="f1") if kind == "thresholds" else CONFIGS[kind]()


def _score(extractor: Extractor, pages: Sequence[LabelledPage]) -> float:
    return fmean(
        word_scores(extractor.extract(page.html, url=page.url, lang=page.lang).text, page.text or "").f1
        for page in pages
    )


def _cell(score: float) -> str:
    return f"{score:.3f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--corpus", action="append", required=True, help="corpus file; repeatable")
    parser.add_argument("--site", required=True, help="host of the pages, as blockfeat.data names it")
    parser.add_argument("--pages", type=int, default=20, help="pages to label")
    parser.add_argument("--most", type=int, default=1_000, help="most pages to score")
    parser.add_argument("--seeds", type=int, default=5, help="number of draws")
    options = parser.parse_args(arguments)
    pages = [page for page in load_corpora(options.corpus) if page.host == options.site and page.text]
    if len(pages) <= options.pages:
        parser.error(f"{options.site} has {len(pages)} pages; more than {options.pages} are needed")
    rows = site_rows(pages, count=options.pages, seeds=range(options.seeds), most=options.most)
    columns = ("draw", *(f"{kind}, trained" for kind in KINDS), *(f"{name}, bundled" for name in BUNDLED))
    print(f"{options.site}: {options.pages} of {len(pages)} pages labelled\n")
    print(markdown_table(columns, rows), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
