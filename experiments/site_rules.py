"""Rules of sites: what they bring on pages of a site that they were not learnt from.

Command: python -m experiments.site_rules [--model NAME] [--draws NUMBER] [--corpora FOLDER]

Sites with 14 pages or more in four corpora; some of each are learnt from, at most 30 others scored. The bundled
models have seen these pages in training: on a site of a user their own scores are lower. ``--model left-out`` takes for
each site the model that has not seen its corpus.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from blockfeat.data.corpus import LabelledPage, load_corpora
from blockfeat.extraction.extractor import Extractor
from blockfeat.models.model import Model
from blockfeat.models.site import SiteModel
from blockfeat.training.evaluation.metrics import markdown_table, word_scores
from blockfeat.training.site import learn_site
from experiments.left_out import left_out_models
from experiments.needs import check_needs

CORPORA = ("daniel", "dragnet", "wcxb-dev", "structured-dev")
# Platforms, on which each page is from another site.
_PLATFORMS = frozenset({"blogspot.com", "substack.com", "github.io", "ebay.com", "rei.com", "steampowered.com"})
_FEWEST, _MOST_SCORED, _LEARNT_FROM = 14, 30, (5, 10)
_LEFT_OUT = "left-out"


def sites(folder: Path) -> dict[str, list[LabelledPage]]:
    """Return the pages of each site that has enough."""
    found: dict[str, list[LabelledPage]] = defaultdict(list)
    for page in load_corpora([folder / f"{name}.jsonl.xz" for name in CORPORA]):
        if page.text and page.host not in _PLATFORMS:
            found[page.host].append(page)
    return {host: pages for host, pages in sorted(found.items()) if len(pages) >= _FEWEST}


def scores(extractor: Extractor, pages: Sequence[LabelledPage], host: str = "") -> NDArray[np.float64]:
    """Return the word F1 of pages, of a site where that is not known of them."""
    texts = (extractor.extract(page.html, url=page.url or (host and f"http://{host}/") or None).text for page in pages)
    return np.array([word_scores(text, page.text or "").f1 for text, page in zip(texts, pages, strict=True)])


def rules_table(folder: Path, models: Mapping[str, Model], name: str, draws: int) -> str:
    """Return a row for each site: F1 of pages left without and with rules from five and ten pages, rules, seconds."""
    rows, means, worst = [], defaultdict(list), dict.fromkeys(_LEARNT_FROM, 0.0)
    for host, pages in sites(folder).items():
        extractor, row = Extractor.of(models[pages[0].corpus]), [host]
        for count in _LEARNT_FROM:
            drawn = []
            for draw in range(1, draws + 1):
                chosen = random.Random(draw).sample(pages, len(pages))
                start = time.process_time()
                rules, _ = learn_site(host, chosen[:count], extractor)
                seconds = time.process_time() - start
                both = (extractor, Extractor.of(SiteModel(extractor.model, {host: rules})))
                left = chosen[count : count + _MOST_SCORED]
                drawn.append([*(scores(one, left, host).mean() for one in both), len(rules.rules), seconds])
                worst[count] = min(worst[count], drawn[-1][1] - drawn[-1][0])
            before, after, number, seconds = np.mean(drawn, axis=0)
            means[count].append((before, after))
            row += [f"{100 * before:.1f}", f"{100 * after:.1f}", f"{number:.0f}", f"{seconds:.1f}"]
        rows.append(row)
    mean = [f"{100 * value:.1f}" for count in _LEARNT_FROM for value in np.mean(means[count], axis=0)]
    rows.append(["mean", *mean[:2], "", "", *mean[2:], "", ""])
    columns = [f"{kind}, {count}" for count in _LEARNT_FROM for kind in (name, "with rules", "rules", "s")]
    lost = ", ".join(f"{count} pages {100 * value:+.1f}" for count, value in worst.items())
    return markdown_table(["site", *columns], rows) + f"\nThe worst draw of a site: {lost} points.\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="default")
    parser.add_argument("--draws", type=int, default=1)
    parser.add_argument("--corpora", type=Path, default=Path("../shared/corpora"))
    options = parser.parse_args(arguments)
    check_needs(folder=options.corpora, corpora=CORPORA)
    one = None if options.model == _LEFT_OUT else Extractor.load(options.model).model
    models = left_out_models() if one is None else dict.fromkeys(CORPORA, one)
    print(rules_table(options.corpora, models, options.model, options.draws))


if __name__ == "__main__":
    main()
