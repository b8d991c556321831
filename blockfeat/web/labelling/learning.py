"""Training on the pages of a session, with the learning curve on held-out pages and other models for comparison."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from math import ceil
from statistics import fmean
from typing import Any

from blockfeat.data import LabelledPage, folds_by_host, seeded_key
from blockfeat.errors import TrainingError
from blockfeat.extraction import Extractor
from blockfeat.training.config import CONFIGS, Progress, make_trainer
from blockfeat.training.evaluation.evaluate import evaluate
from blockfeat.training.site import train_site_rules
from blockfeat.training.thresholds import ThresholdConfig
from blockfeat.training.train import train
from blockfeat.web.labelling.curve import BEST, FEWEST_PAGES, KINDS, RULES, CurvePoint, LabelTraining, OnStep

_FOLDS = 3
_SHARES = (0.25, 0.5, 1.0)


def train_on_labels(
    pages: Sequence[LabelledPage],
    *,
    kind: str = BEST,
    others: Mapping[str, Extractor] | None = None,
    configs: Mapping[str, Any] | None = None,
    seed: int = 0,
    name: str = "labelled",
    on_step: OnStep = lambda **step: None,
    stop: Callable[[], bool] = bool,
) -> LabelTraining:
    """Train a model on labelled pages, and on parts of them for the learning curve.

    The pages are split into three folds, by site where there are three sites or more. For each share of the pages
    outside a fold (a quarter, half, all) a model is trained and scored on the fold, so that every page is held out
    once at each point of the curve. The model that is returned is trained on all pages.

    Parameters
    ----------
    pages : sequence of LabelledPage
        Pages with a gold text; pages without content are used for training where the kind can, but not scored.
    kind : str
        `BEST` or one of `KINDS`.
    others : mapping of str to Extractor, optional
        Models to score on the same pages.
    configs : mapping of str to dataclass, optional
        Hyperparameters by kind, as for `blockfeat.training.config.CONFIGS`; by default those of the kind, thresholds
        by the word F1 that the curve shows.
    seed : int
        Seed of the folds and of training.
    name : str
        Name of the model.
    on_step : callable
        Called after each fit.
    stop : callable
        Called before each fit; True ends the training.

    Raises
    ------
    TrainingError
        There are too few pages with content, the kind is unknown, or training was stopped.
    """
    kinds = KINDS if kind == BEST else (kind,)
    if kinds[0] not in KINDS:
        raise TrainingError(f"unknown kind {kind!r}; known are {', '.join((BEST, *KINDS))}")
    start = time.perf_counter()
    # In the order of the ids: the model must not depend on the order in which pages were labelled.
    pages = sorted(pages, key=lambda page: page.id)
    scored = [page for page in pages if page.text]
    if len(scored) < FEWEST_PAGES:
        raise TrainingError(f"training needs {FEWEST_PAGES} labelled pages with content; there are {len(scored)}")
    folds, held_out = _folds(pages, seed)
    options = {tried: ThresholdConfig(fitness="f1") if tried == "thresholds" else CONFIGS[tried]() for tried in kinds}
    options |= configs or {}
    done, total = 0, len(kinds) * len(_SHARES) * len(folds) + 1

    def fitted(kind: str, part: Sequence[LabelledPage]) -> Extractor:
        nonlocal done
        if stop():
            raise TrainingError("training was stopped")
        done += 1
        return Extractor.of(make_trainer(kind, options[kind], seed=seed).fit(part))

    def told(kind: str, points: Sequence[CurvePoint]) -> None:
        on_step(kind=kind, done=done, total=total, points=tuple(points))

    curves = {tried: _curve(folds, partial(fitted, tried), partial(told, tried)) for tried in kinds}
    best = max(kinds, key=lambda tried: curves[tried][-1].f1)
    model = train(pages, kind=best, config=options[best], seed=seed, split=1.0, name=name, command="blockfeat label")
    found = LabelTraining(
        model=model,
        kind=best,
        pages=len(scored),
        held_out=held_out,
        points=tuple(curves[best]),
        others={
            **{f"{tried}, your labels": curves[tried][-1].f1 for tried in kinds if tried != best},
            **{other: fmean(_f1s(extractor, scored)) for other, extractor in (others or {}).items()},
        },
        skipped=model.report.skipped if model.report is not None else (),
        seconds=round(time.perf_counter() - start, 1),
    )
    record = {**model.record, "labelling": found.to_dict()}
    return replace(found, model=replace(model, record=record))  # type: ignore[type-var]


def learn_rules(
    pages: Sequence[LabelledPage], *, base: str, name: str, on_step: OnStep, stop: Callable[[], bool]
) -> LabelTraining:
    """Learn rules for each site with enough labelled pages, on top of a bundled model.

    Raises
    ------
    TrainingError
        There are too few pages, no site gains, or training was stopped.
    """
    start = time.perf_counter()

    def on_progress(progress: Progress) -> None:
        if stop():
            raise TrainingError("training was stopped")
        on_step(kind=RULES, done=progress.done, total=progress.total or 0, points=())

    model, reports = train_site_rules(pages, base=base, name=name, on_progress=on_progress, command="blockfeat label")
    used = sum(report.pages for report in reports)
    if not model.sites:
        raise TrainingError(f"on pages that rules were not learnt from no site gains: {base} stays as it is")
    before, after = (sum(one.pages * f1 for one, f1 in zip(reports, f1s, strict=True)) / used
                     for f1s in ([one.before for one in reports], [one.after for one in reports]))  # fmt: skip
    return LabelTraining(
        model=model,
        kind=RULES,
        pages=used,
        held_out="other pages",
        points=(CurvePoint(used, after),),
        others={base: before},
        skipped=tuple(why for report in reports for why in report.skipped),
        seconds=round(time.perf_counter() - start, 1),
        rules=tuple(
            f"{host}: {rule.do} {rule.where} ({rule.why})" for host in model.sites for rule in model.rules(host)
        ),
    )


_Folds = list[tuple[list[LabelledPage], list[LabelledPage]]]


def _curve(
    folds: _Folds, fitted: Callable[[Sequence[LabelledPage]], Extractor], told: Callable[[Sequence[CurvePoint]], None]
) -> list[CurvePoint]:
    """Return one point for each share of the training pages; all folds of one share come before the next."""
    found: list[CurvePoint] = []
    for share in _SHARES:
        scores: list[float] = []
        parts = [training[: max(2, ceil(share * len(training)))] for training, _ in folds]
        for part, (_, test) in zip(parts, folds, strict=True):
            scores += _f1s(fitted(part), [page for page in test if page.text])
            told(found)
        found.append(CurvePoint(round(fmean(map(len, parts)), 1), fmean(scores)))
        told(found)
    return found


def _folds(pages: Sequence[LabelledPage], seed: int) -> tuple[_Folds, str]:
    """Return pairs of shuffled training pages and held-out pages, and in words what is held out."""
    if len({page.host for page in pages}) >= _FOLDS:
        by_site = folds_by_host(pages, _FOLDS, seed)
        if all(sum(bool(page.text) for page in training) >= 2 and any(page.text for page in test)
               for training, test in by_site):  # fmt: skip
            return [(_shuffled(training, seed), test) for training, test in by_site], "other sites"
    # Pages with content are distributed first, so that every fold has some.
    dealt = sorted(_shuffled(pages, seed), key=lambda page: not page.text)
    parts = [dealt[place::_FOLDS] for place in range(_FOLDS)]
    found = []
    for place, part in enumerate(parts):
        training = chain.from_iterable(other for number, other in enumerate(parts) if number != place)
        found.append((_shuffled(list(training), seed), part))
    return found, "other pages"


def _shuffled(pages: Sequence[LabelledPage], seed: int) -> list[LabelledPage]:
    """Return pages in a pseudo-random order that depends only on their ids and the seed."""
    return sorted(pages, key=lambda page: seeded_key(seed, page.id))


def _f1s(extractor: Extractor, pages: Sequence[LabelledPage]) -> list[float]:
    """Return the word F1 of each page."""
    return evaluate(lambda page: extractor.extract(page.html, url=page.url, lang=page.lang).text, pages).values("f1")
