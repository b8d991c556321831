"""Rules of sites: what they bring on pages of a site that they were not learnt from.

Command: python -m experiments.site_rules [--model NAME] [--corpora FOLDER]

Sites with 14 pages or more in four corpora; some of each are learnt from, at most 30 others scored. The bundled models
have seen these pages in training: on a site of a user their own scores are lower.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import defaultdict
from pathlib import Path

import numpy as np

from blockfeat.data.corpus import LabelledPage, load_corpora
from blockfeat.extraction.extractor import Extractor
from blockfeat.models.site import SiteModel
from blockfeat.training.evaluation.metrics import markdown_table, word_scores
from blockfeat.training.site import learn_site

CORPORA = ("daniel", "dragnet", "wcxb-dev", "structured-dev")
# Platforms, on which each page is from another site.
_PLATFORMS = frozenset({"blogspot.com", "substack.com", "github.io", "ebay.com", "rei.com", "steampowered.com"})
_FEWEST, _MOST_SCORED, _LEARNT_FROM = 14, 30, (5, 10)


def sites(folder: Path) -> dict[str, list[LabelledPage]]:
    """Return the pages of each site that has enough."""
    found: dict[str, list[LabelledPage]] = defaultdict(list)
    for page in load_corpora([folder / f"{name}.jsonl.xz" for name in CORPORA]):
        if page.text and page.host not in _PLATFORMS:
            found[page.host].append(page)
    return {host: pages for host, pages in sorted(found.items()) if len(pages) >= _FEWEST}


def score(extractor: Extractor, pages: list[LabelledPage], host: str) -> float:
    """Return the mean word F1 of pages of a site."""
    texts = (extractor.extract(page.html, url=page.url or f"http://{host}/").text for page in pages)
    return float(np.mean([word_scores(text, page.text or "").f1 for text, page in zip(texts, pages, strict=True)]))


def main() -> None:
    """Print a row for each site: pages left, F1 without and with rules learnt from five and ten pages, seconds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="default")
    parser.add_argument("--corpora", type=Path, default=Path("../shared/corpora"))
    options = parser.parse_args()
    extractor, rows, means = Extractor.load(options.model), [], defaultdict(list)
    for host, pages in sites(options.corpora).items():
        random.Random(1).shuffle(pages)
        row = [host]
        for count in _LEARNT_FROM:
            start = time.process_time()
            rules, _ = learn_site(host, pages[:count], extractor)
            seconds = time.process_time() - start
            with_rules = Extractor.of(SiteModel(extractor.model, {host: rules}))
            left = pages[count : count + _MOST_SCORED]
            scores = score(extractor, left, host), score(with_rules, left, host)
            means[count].append(scores)
            row += [*(f"{100 * value:.1f}" for value in scores), str(len(rules.rules)), f"{seconds:.1f}"]
        rows.append(row)
    mean = [value for count in _LEARNT_FROM for value in (*np.mean(means[count], axis=0), None, None)]
    rows.append(["mean", *("" if value is None else f"{100 * value:.1f}" for value in mean)])
    columns = [f"{name}, {count}" for count in _LEARNT_FROM for name in (options.model, "with rules", "rules", "s")]
    print(markdown_table(["site", *columns], rows))


if __name__ == "__main__":
    main()
