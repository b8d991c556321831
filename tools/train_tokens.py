"""Train and write the bundled token models: longest-block, mss-simple, mss-supervised and mss-supervised-hr.

Usage: ``python tools/train_tokens.py [--corpora FOLDER] [--output FOLDER]``, about two minutes. Trained on every corpus
with gold texts but cleaneval-test. The decision about articles is learnt on wcxb-dev, which knows page types.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from blockfeat import __version__
from blockfeat._numeric import fit_logistic
from blockfeat.blocks.cut import cut_into_blocks
from blockfeat.blocks.tagtable import load_table
from blockfeat.data.corpus import LabelledPage, read_corpus
from blockfeat.models.store import save_model
from blockfeat.models.tokens.article import ARTICLE_FEATURES, ArticleDecision, article_features
from blockfeat.models.tokens.classifier import TokenClassifier
from blockfeat.models.tokens.model import Constraints, TokenModel
from blockfeat.models.tokens.page_tokens import PageTokens
from blockfeat.models.tokens.run_blocks import kept_blocks
from blockfeat.page.page import Page
from blockfeat.page.tags import Tags
from blockfeat.training.token_counts import TokenCounter, common_tags
from experiments.mss_systems import BUNDLED_SCALE, BUNDLED_SOURCES

__all__ = ["main"]

CORPORA = (
    *("cleaneval-dev", "cleanportaleval", "daniel", "dragnet", "fundus", "goose3", "htmltotext", "l3s-gn1"),
    *("newspaper4k", "wcxb-dev"),
)
TYPED = "wcxb-dev"
_RIDGE = 1.0


def pages_of(folder: Path, corpora: Sequence[str]) -> Iterator[tuple[LabelledPage, Tags]]:
    """Yield the pages with gold texts, parsed."""
    for corpus in corpora:
        for page in read_corpus(folder / f"{corpus}.jsonl.xz"):
            tags = Page.parse(page.html).tags if page.text else None
            if tags is not None:
                yield page, tags


def train(folder: Path) -> TokenModel:
    """Train the supervised model."""
    tags_in_use = common_tags((page.host, tags) for page, tags in pages_of(folder, CORPORA))
    counter = TokenCounter(tags_in_use)
    corpora: Counter[str] = Counter()
    languages: Counter[str] = Counter()
    for page, tags in pages_of(folder, CORPORA):
        if counter.add_gold(PageTokens.of(tags), page.text or "", source=page.host, lang=page.lang):
            corpora[page.corpus] += 1
            languages[page.lang or "unknown"] += 1
    vocabulary, bayes = counter.finish(least_sources=BUNDLED_SOURCES, neighbours=True)
    classifier = TokenClassifier(vocabulary, replace(bayes, balanced=True), BUNDLED_SCALE)
    record = {
        "corpora": dict(corpora),
        "languages": dict(languages.most_common()),
        "blockfeat": __version__,
        "command": "python tools/train_tokens.py",
        "convention": "mixed: headline in for the corpora before 2013, out for those of today",
        "least_sources": BUNDLED_SOURCES,
    }
    return TokenModel("mss-supervised", "classifier", classifier=classifier, record=record)


def learn_articles(model: TokenModel, folder: Path) -> tuple[ArticleDecision, float]:
    """Learn to tell articles from other pages; return the decision and its accuracy in five folds by host."""
    rows, labels, folds = [], [], []
    table = load_table("html5")
    for place, page in enumerate(read_corpus(folder / f"{TYPED}.jsonl.xz")):
        parsed = Page.parse(page.html)
        blocks = cut_into_blocks(parsed, table)
        found = model.find(parsed.tags)
        kept = kept_blocks(found.tokens, found.is_taken, blocks)
        if page.page_type and kept.any():
            rows.append(article_features(blocks, kept))
            labels.append(page.page_type == "article")
            folds.append(hash_of(page.host or str(place)) % 5)
    matrix, label, fold = np.array(rows), np.array(labels), np.array(folds)
    right = 0
    for number in range(5):
        decision = logistic(matrix[fold != number], label[fold != number])
        right += int(((matrix[fold == number] @ decision.weights + decision.bias > 0) == label[fold == number]).sum())
    return logistic(matrix, label), right / label.size


def untrained(name: str, system: str, section: str) -> dict[str, Any]:
    """Return the document of a baseline, which has nothing learnt in it."""
    record = {"command": "python tools/train_tokens.py", "source": f"Pasternack & Roth 2009, {section}; not trained"}
    return TokenModel(name, system, record=record).to_document()[0]


def hash_of(text: str) -> int:
    """Return a number for a text, the same in every run."""
    import zlib

    return zlib.crc32(text.encode())


def logistic(matrix: np.ndarray, label: np.ndarray) -> ArticleDecision:
    """Fit a logistic regression with a small ridge, and round it for the file."""
    mean, spread = matrix.mean(axis=0), matrix.std(axis=0) + 1e-9
    scaled = np.column_stack(((matrix - mean) / spread, np.ones(label.size)))
    weights = fit_logistic(scaled, label, ridge=_RIDGE, steps=50)
    plain = weights[:-1] / spread
    return ArticleDecision(np.round(plain, 4), round(float(weights[-1] - plain @ mean), 4))


def main(arguments: Sequence[str] | None = None) -> int:
    """Train and write the models."""
    parser = argparse.ArgumentParser(description="Train the bundled token models.")
    parser.add_argument("--corpora", type=Path, default=Path("../shared/corpora"), help="folder of the corpora")
    parser.add_argument("--output", type=Path, default=Path("blockfeat/models/bundled"), help="folder of the models")
    options = parser.parse_args(arguments)
    model = train(options.corpora)
    article, accuracy = learn_articles(model, options.corpora)
    print(f"articles among the pages of {TYPED}: {accuracy:.3f} right in five folds by host")
    print(dict(zip(ARTICLE_FEATURES, article.weights.tolist(), strict=True)))
    model = replace(model, article=article, record={**model.record, "article_accuracy": round(accuracy, 4)})
    file = options.output / "mss-supervised.npz"
    save_model(model, file)
    print(f"{file}: {file.stat().st_size:,} bytes")
    hr = replace(model, name="mss-supervised-hr", constraints=Constraints(stop_at_rule=True))
    plain = replace(hr, system="simple", classifier=None)
    documents = {
        "mss-supervised-hr": {**plain.to_document()[0], "system": "classifier", "counts": "mss-supervised.npz"},
        "mss-simple": untrained("mss-simple", "simple", "6.2.2"),
        "longest-block": untrained("longest-block", "longest-block", "6.2.1"),
    }
    for name, document in documents.items():
        text = json.dumps(document, ensure_ascii=False, indent=2) + "\n"
        (options.output / f"{name}.json").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
