"""Make the tables of docs/mss.md: Pasternack & Roth's systems over the labelled corpora.

Usage: ``python tools/mss_table.py [--corpora FOLDER] [--output docs/mss.md]``, eight minutes, 2 GB.
Everything is trained here, on folds by host; the bundled models are not used.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from blockfeat.data.corpus import LabelledPage, read_corpus
from blockfeat.evaluation.markdown_table import markdown_table
from blockfeat.models.tokens.classifier import Scale, TokenClassifier
from blockfeat.models.tokens.model import TokenModel
from blockfeat.models.tokens.page_tokens import PageTokens
from blockfeat.page.page import Page
from blockfeat.training.token_counts import common_tags
from blockfeat.training.token_labels import gold_run
from experiments.mss_systems import (
    BUNDLED_SCALE,
    BUNDLED_SOURCES,
    CleanEvalRow,
    FoldedCounts,
    SiteRow,
    SystemRow,
    Trained,
    best_penalty,
    clean_eval_row,
    score_sites,
    score_systems,
)

__all__ = ["main"]

CORPORA = ("cleanportaleval", "daniel", "dragnet", "fundus", "l3s-gn1", "newspaper4k", "wcxb-dev")
SITES = ("daniel", "cleanportaleval")
FIRST_MARK, LAST_MARK = "<!-- tables of tools/mss_table.py -->", "<!-- end of tables -->"
NEWS_OF_TODAY = ("fundus", "wcxb-dev, articles")


def read(folder: Path, corpus: str) -> list[LabelledPage]:
    """Read the pages of a corpus that have a gold text."""
    return [page for page in read_corpus(folder / f"{corpus}.jsonl.xz") if page.text]


def count(folder: Path) -> tuple[FoldedCounts, FoldedCounts]:
    """Count all corpora, by trigrams and by unigrams."""

    def tags_of(pages: Iterable[LabelledPage]) -> Iterable[tuple[str, object]]:
        for page in pages:
            tags = Page.parse(page.html).tags
            if tags is not None:
                yield page.host, tags

    names = common_tags(pair for corpus in CORPORA for pair in tags_of(read(folder, corpus)))  # type: ignore[misc]
    trigrams, unigrams = FoldedCounts(names), FoldedCounts(names, size=1)
    for corpus in CORPORA:
        for page in read(folder, corpus):
            tokens = PageTokens.of(Page.parse(page.html).tags)
            run = gold_run(tokens, page.text or "")
            if run is not None:
                trigrams.add(page, tokens, run)
                unigrams.add(page, tokens, run)
    return trigrams, unigrams


def clean_eval(folder: Path, trigrams: Trained, unigrams: Trained) -> list[CleanEvalRow]:
    """Score the paper's classifier for CleanEval, and the others, on its test pages."""
    development, test = read(folder, "cleaneval-dev"), read(folder, "cleaneval-test")

    def paper(bias: float) -> TokenModel:
        vocabulary, bayes = unigrams
        none = bayes.around.chosen(np.zeros(len(bayes.around), dtype=bool))
        bayes = replace(bayes, around=none, neighbours=True, balanced=False)
        return model(TokenClassifier(vocabulary, bayes, Scale(bias=bias)))

    def bundled(bias: float) -> TokenModel:
        vocabulary, bayes = trigrams
        shared = bayes.grams.chosen(bayes.grams.sources >= BUNDLED_SOURCES)
        bayes = replace(bayes, grams=shared, neighbours=True)
        return model(TokenClassifier(vocabulary, bayes, replace(BUNDLED_SCALE, bias=bias)))

    def simple(penalty: float) -> TokenModel:
        return TokenModel("simple", "simple", penalty=penalty)

    return [
        clean_eval_row("unigrams, neighbours, bias of the paper", paper, development, test, (0.14,)),
        clean_eval_row("unigrams, neighbours, bias tuned", paper, development, test),
        clean_eval_row("supervised, bundled", bundled, development, test, (0.0,)),
        clean_eval_row("supervised, bundled, bias tuned", bundled, development, test, (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)),
        clean_eval_row("simple, penalty tuned", simple, development, test, (0.5, 1.0, 1.5, 2.0, 3.25)),
    ]


def model(classifier: TokenClassifier) -> TokenModel:
    """Return a model of a classifier."""
    return TokenModel("clean", "classifier", classifier=classifier)


def to_markdown(systems: Sequence[SystemRow], sites: dict[str, list[SiteRow]], clean: Sequence[CleanEvalRow]) -> str:
    """Return the three tables."""
    parts = ["### Systems\n"]
    rows = [
        [
            row.corpus,
            row.system,
            str(row.pages),
            *(f"{x:.3f}" for x in (row.precision, row.recall, row.short, row.best)),
        ]
        for row in systems
    ]
    parts.append(markdown_table(["corpus", "system", "pages", "P short", "R short", "F1 short", "F1 best"], rows))
    for system, found in sites.items():
        rows = [
            [
                row.site,
                str(row.pages),
                *("–" if x is None else f"{x:.3f}" for x in (row.simple, row.supervised, row.adapted)),
            ]
            for row in found
        ]
        parts.append(f"\n### Semi-supervised, from: {system}\n")
        parts.append(markdown_table(["site", "pages", "simple", "supervised", "semi-supervised"], rows))
    rows = [
        [
            row.system,
            str(row.pages),
            *(f"{x:.3f}" for x in (row.text_only, row.alignment_f1, row.precision, row.recall, row.f1)),
            f"{row.bias:g}",
        ]
        for row in clean
    ]
    parts.append("\n### CleanEval\n")
    parts.append(markdown_table(["system", "pages", "text-only", "F1 of alignment", "P", "R", "F1", "tuned"], rows))
    return "\n".join(parts) + "\n"


def write_between_marks(text: str, path: Path) -> None:
    """Put the tables between the marks of a page that has them, else write them as a page of their own."""
    page = path.read_text(encoding="utf-8") if path.exists() else ""
    if FIRST_MARK not in page or LAST_MARK not in page:
        path.write_text(f"# Maximum subsequence segmentation: figures\n\n{text}", encoding="utf-8")
        return
    before, behind = page.split(FIRST_MARK)[0], page.split(LAST_MARK)[1]
    path.write_text(f"{before}{FIRST_MARK}\n{text}{LAST_MARK}{behind}", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, score and write the tables."""
    parser = argparse.ArgumentParser(description="The tables of maximum subsequence segmentation.")
    parser.add_argument("--corpora", type=Path, default=Path("../shared/corpora"), help="folder of the corpora")
    parser.add_argument("--output", type=Path, default=Path("docs/mss.md"), help="file to write")
    options = parser.parse_args(arguments)
    trigrams, unigrams = count(options.corpora)
    trained = trigrams.trained()
    systems: list[SystemRow] = []
    pages = {corpus: read(options.corpora, corpus) for corpus in CORPORA}
    pages["wcxb-dev, articles"] = [page for page in pages["wcxb-dev"] if page.page_type == "article"]
    penalty = best_penalty([page for corpus in NEWS_OF_TODAY for page in pages[corpus]])
    for corpus, found in pages.items():
        systems += score_systems(corpus, found, trained, penalty)
    on_sites = [page for corpus in SITES for page in pages[corpus]]
    sites = {
        system: list(score_sites(on_sites, trained, system))
        for system in ("supervised, two features", "supervised, bundled")
    }
    clean = clean_eval(options.corpora, trained[None], unigrams.trained()[None])
    text = to_markdown(systems, sites, clean)
    write_between_marks(text, options.output)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
