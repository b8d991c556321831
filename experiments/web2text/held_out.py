"""Web2Text beyond CleanEval: word F1 on hosts that it was not trained on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from statistics import fmean

from blockfeat import Extractor
from blockfeat.data import LabelledPage
from blockfeat.data.split import split_by_host
from blockfeat.training import make_trainer
from blockfeat.training.evaluation.metrics import markdown_table, word_scores
from experiments.corpora import DEVELOPMENT
from experiments.web2text.study import Study

__all__ = ["held_out_section"]

_TRAINING_SHARE = 0.8
_PAGES = 60


def held_out_section(study: Study) -> str:
    """Return word F1 by corpus on a fifth of the hosts: Web2Text trained on the others, and the default model."""
    pages = [page for name in DEVELOPMENT for page in study.corpora.sample(study.corpora.pages(name))]
    seed = study.seeds[0]
    training, test = split_by_host(pages, _TRAINING_SHARE, seed)
    ours = Extractor.of(make_trainer("web2text", seed=seed).fit(training))
    default = Extractor.load("default")
    groups: dict[str, list[LabelledPage]] = defaultdict(list)
    for page in test:
        groups[page.corpus].append(page)
    rows = []
    for name, found in groups.items():
        chosen = found[:: max(1, len(found) // _PAGES)][:_PAGES]
        f1 = _mean_f1(ours, chosen), _mean_f1(default, chosen)
        rows.append((name, str(len(chosen)), *(f"{value:.4f}" for value in f1)))
    head = f"{len(training):,} training pages, {study.corpora.share} of each corpus; seed {seed}.\n\n"
    return head + markdown_table(("corpus", "test pages", "web2text", "default"), rows)


def _mean_f1(extractor: Extractor, pages: Iterable[LabelledPage]) -> float:
    return fmean(word_scores(extractor.extract(page.html, url=page.url).text, page.text or "").f1 for page in pages)
