"""Settings of Crunch's filters that the swarm learns for each kind of page, beside one setting for all kinds.

Command: python -m experiments.crunch_by_kind --corpora ../shared/corpora --repeat 3

Pages of WCXB by their type, split by host, 70 to 30, anew for each repetition. Text that is left, by word F1: the
default settings, settings learnt on all kinds, and settings learnt on the kind alone; the mean over the repetitions.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import fmean

from blockfeat.data import LabelledPage
from blockfeat.data.split import split_by_host
from blockfeat.extraction.extractor import Extractor
from blockfeat.models.model import Model
from blockfeat.papers.crunch.model import CrunchModel
from blockfeat.papers.crunch.settings import CleanSettings
from blockfeat.training.evaluation.evaluate import score_page
from blockfeat.training.evaluation.metrics import markdown_table
from experiments.corpora import Corpora
from experiments.crunch.trainer import CrunchConfig, CrunchTrainer
from experiments.needs import check_needs

_CORPUS = "wcxb-dev"
_SHARE = 0.7
_SYSTEMS = ("default settings", "one for all kinds", "one for the kind")


def _learnt(pages: Sequence[LabelledPage], seed: int, jobs: int) -> CrunchModel:
    """Return the model whose settings the swarm finds on some pages, as the bundled `crunch` was."""
    return CrunchTrainer(config=CrunchConfig(most_pages=len(pages)), seed=seed, jobs=jobs).fit(pages)


def _written(kind: str, count: int, settings: CleanSettings) -> str:
    """Return the settings that differ from the default ones as TOML."""
    lines = [f"# Settings for pages of the kind {kind}, learnt by the swarm from {count} pages of WCXB for their text."]
    usual = asdict(CleanSettings())
    for section, values in asdict(settings).items():
        changed = {key: value for key, value in values.items() if value != usual[section][key]}
        if changed:
            lines += ["", f"[{section}]", *(f"{key} = {json.dumps(value)}" for key, value in changed.items())]
    return "\n".join(lines) + "\n"


def _mean(model: Model, pages: Sequence[LabelledPage]) -> float:
    extractor = Extractor.of(model).with_options(rules=False)
    found = [score_page(extractor.extract(page.html, url=page.url).text, page).f1 for page in pages]
    return fmean(score for score in found if score is not None)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table: a row for each kind of page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    Corpora.add_options(parser)
    parser.add_argument("--repeat", type=int, default=3, help="splits by host")
    parser.add_argument("--jobs", type=int, default=1, help="processes that measure pages")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="learn from all pages, write the settings there")
    options = parser.parse_args(arguments)
    check_needs(folder=options.corpora, corpora=[_CORPUS])
    corpora = Corpora.of_options(options)
    pages = corpora.sample(corpora.pages(_CORPUS))
    if options.write is not None:
        for kind in sorted({page.page_type or "" for page in pages}):
            own = [page for page in pages if page.page_type == kind]
            text = _written(kind, len(own), _learnt(own, 1, options.jobs).settings)
            (options.write / f"{kind}.toml").write_text(text, encoding="utf-8")
        return 0
    default = Extractor.load("crunch2003").model
    scores: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    counts: dict[str, int] = defaultdict(int)
    for seed in range(1, options.repeat + 1):
        training, test = split_by_host(pages, _SHARE, seed)
        together = _learnt(training, seed, options.jobs)
        for kind in sorted({page.page_type or "" for page in pages}):
            own = [page for page in training if page.page_type == kind]
            unseen = [page for page in test if page.page_type == kind]
            counts[kind] += len(unseen)
            models = (default, together, _learnt(own, seed, options.jobs))
            for name, model in zip(_SYSTEMS, models, strict=True):
                scores[kind][name].append(_mean(model, unseen))
    rows = [
        [kind, str(counts[kind] // options.repeat), *(f"{fmean(found[name]):.3f}" for name in _SYSTEMS)]
        for kind, found in scores.items()
    ]
    rows.append(
        ["mean of the kinds", "", *(f"{fmean(fmean(own[name]) for own in scores.values()):.3f}" for name in _SYSTEMS)]
    )
    print(markdown_table(("kind of page", "test pages", *_SYSTEMS), rows), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
