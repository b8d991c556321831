"""Table 1 of the paper: accuracy, precision, recall and F1 over text leaves, with the spread over seeds."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from blockfeat import Extractor
from blockfeat.papers.web2text.model import LeafLabeller
from blockfeat.papers.web2text.networks import train_web2text
from blockfeat.training.evaluation.metrics import markdown_table
from blockfeat.training.evaluation.peers import PeerExtract, installed_peers
from experiments.corpora import CLEANEVAL
from experiments.web2text.crf import crf_scores, unfluff
from experiments.web2text.leaf_pages import (
    BTE,
    BlockScores,
    PageSplit,
    label_pages,
    mixed_split,
    original_split,
    pooled_scores,
)
from experiments.web2text.study import Study, of_extractor

__all__ = ["interpolation_table", "leaf_table_section", "split_table"]

# Accuracy, precision, recall and F1 in the paper: on the original test part, and on its own.
PAPER = {
    "CRF": ((0.82, 0.87, 0.81, 0.84), (0.82, 0.88, 0.81, 0.84)),
    BTE: ((0.79, 0.79, 0.89, 0.83), (0.75, 0.76, 0.84, 0.80)),
    "boilerpy3-default": ((0.80, 0.89, 0.75, 0.81), (0.79, 0.89, 0.74, 0.81)),
    "boilerpy3-article": ((0.72, 0.91, 0.59, 0.71), (0.67, 0.89, 0.50, 0.64)),
    "boilerpy3-largest": ((0.60, 0.93, 0.36, 0.52), (0.59, 0.93, 0.33, 0.48)),
    "Unfluff": ((0.71, 0.90, 0.57, 0.70), (0.68, 0.90, 0.51, 0.65)),
    "web2text": ((0.84, 0.88, 0.85, 0.86), (0.86, 0.87, 0.90, 0.88)),
}
_PAPER_PAGES = {"original": "55, 5, 676", "mixed": "531, 58, 148"}
INTERPOLATIONS = (0.0, 0.1, 0.3, 1.0)
_MEASURES = ("accuracy", "precision", "recall", "f1")
_logger = logging.getLogger(__name__)


def leaf_table_section(study: Study) -> str:
    """Return Table 1 for each split, the table by λ and seed, and which pages are in which part."""
    extractors: dict[str, PeerExtract] = {peer.name: peer.load() for peer in installed_peers()}
    if study.unfluff:
        extractors["Unfluff"] = unfluff(study.unfluff)
    extractors |= {f"blockfeat {name}": of_extractor(Extractor.load(name)) for name in ("thresholds", "default")}
    parts = [list(label_pages(study.corpora.pages(name), study.measurer, extractors)) for name in CLEANEVAL]
    splits = (original_split(*parts), mixed_split([page for part in parts for page in part]))
    models = {split.name: [_trained(split, seed) for seed in study.seeds] for split in splits}
    tables = []
    for place, split in enumerate(splits):
        scores = {"web2text": _mean_scores(models[split.name], split), "CRF": crf_scores(split)}
        scores |= {name: pooled_scores(split.test, name) for name in (BTE, *extractors)}
        tables.append(f"The {split.name} split:\n\n{split_table(scores, place)}")
    seen = sum(page.corpus == CLEANEVAL[0] for page in splits[1].test)
    return "\n".join(
        (
            " ".join(_pages(split) for split in splits),
            f"Web2Text: mean over seeds {', '.join(map(str, study.seeds))}, λ = 1.\n",
            *tables,
            "The models of blockfeat were trained on development corpora, `cleaneval-dev` among them, of which "
            f"{seen} pages are in the test part of the mixed split.\n",
            "F1 of Web2Text by λ, the weight of the pairwise network (0: the unary network alone): mean over the "
            "seeds, and the lowest and highest of them:\n",
            interpolation_table(models, splits),
            f"Test pages of the mixed split: {', '.join(_names(splits[1]))}.",
        )
    )


def _pages(split: PageSplit) -> str:
    return (
        f"The {split.name} split has {len(split.training)} training, {len(split.validation)} validation and "
        f"{len(split.test)} test pages (paper: {_PAPER_PAGES[split.name]})."
    )


def _names(split: PageSplit) -> list[str]:
    return sorted(f"{page.corpus.removeprefix('cleaneval-')} {page.id}" for page in split.test)


def _trained(split: PageSplit, seed: int) -> LeafLabeller:
    training, validation = ([page.to_training() for page in part] for part in (split.training, split.validation))
    model = train_web2text(training, validation, seed=seed).labeller
    _logger.info("%s split, seed %d: F1 %.4f", split.name, seed, pooled_scores(split.test, model).f1)
    return model


def split_table(scores: Mapping[str, BlockScores], place: int) -> str:
    """Return the scores of each system on the first or the second split, in brackets the paper's."""
    rows = []
    for name, found in scores.items():
        paper = [f" (.{value * 100:.0f})" for value in PAPER[name][place]] if name in PAPER else [""] * len(_MEASURES)
        rows.append([name, *(f"{getattr(found, key):.3f}{value}" for key, value in zip(_MEASURES, paper, strict=True))])
    return markdown_table(("system", *_MEASURES), rows)


def _mean_scores(models: Sequence[LeafLabeller], split: PageSplit) -> BlockScores:
    scores = [pooled_scores(split.test, model) for model in models]
    accuracy, precision, recall, f1 = (fmean(getattr(found, key) for found in scores) for key in _MEASURES)
    return BlockScores(accuracy, precision, recall, f1, scores[0].blocks)


def interpolation_table(models: Mapping[str, Sequence[LeafLabeller]], splits: Sequence[PageSplit]) -> str:
    """Return F1 by split and λ: mean, lowest and highest of the models of a split."""

    def cell(split: PageSplit, weight: float) -> str:
        found = [pooled_scores(split.test, replace(model, interpolation=weight)).f1 for model in models[split.name]]
        return f"{fmean(found):.3f} ({min(found):.3f} to {max(found):.3f})"

    rows = [[split.name, *(cell(split, weight) for weight in INTERPOLATIONS)] for split in splits]
    return markdown_table(("split", *(f"λ = {weight:g}" for weight in INTERPOLATIONS)), rows)
