"""Train and write the bundled token models: longest-block, mss-simple, mss-supervised and mss-supervised-hr.

Usage: ``python tools/train_tokens.py [--corpora FOLDER] [--output FOLDER]``, about two minutes. Trained on every corpus
with gold texts but cleaneval-test.
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

from blockfeat import __version__
from blockfeat.data.corpus import LabelledPage, read_corpus
from blockfeat.models.store import save_model
from blockfeat.models.tokens.classifier import TokenClassifier
from blockfeat.models.tokens.model import Constraints, TokenModel
from blockfeat.models.tokens.page_tokens import PageTokens
from blockfeat.page.page import Page
from blockfeat.page.tags import Tags
from blockfeat.training.token_counts import TokenCounter, common_tags
from experiments.mss_systems import BUNDLED_SCALE, BUNDLED_SOURCES

__all__ = ["main"]

CORPORA = (
    *("cleaneval-dev", "cleanportaleval", "daniel", "dragnet", "fundus", "goose3", "htmltotext", "l3s-gn1"),
    *("newspaper4k", "wcxb-dev"),
)


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


def untrained(name: str, system: str, section: str) -> dict[str, Any]:
    """Return the document of a baseline, which has nothing learnt in it."""
    record = {"command": "python tools/train_tokens.py", "source": f"Pasternack & Roth 2009, {section}; not trained"}
    return TokenModel(name, system, record=record).to_document()[0]


def main(arguments: Sequence[str] | None = None) -> int:
    """Train and write the models."""
    parser = argparse.ArgumentParser(description="Train the bundled token models.")
    parser.add_argument("--corpora", type=Path, default=Path("../shared/corpora"), help="folder of the corpora")
    parser.add_argument("--output", type=Path, default=Path("blockfeat/models/bundled"), help="folder of the models")
    options = parser.parse_args(arguments)
    model = train(options.corpora)
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
