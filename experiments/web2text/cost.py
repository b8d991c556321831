"""What a page costs, step by step, in units of lxml's bare parse."""

from __future__ import annotations

import time

import numpy as np
from lxml import etree

from blockfeat.errors import ModelError
from blockfeat.features.measuring import FeatureExtractor
from blockfeat.models import load_model
from blockfeat.page.page import Page
from blockfeat.papers.web2text.features import page_features
from blockfeat.papers.web2text.model import LeafLabeller, Web2TextModel
from blockfeat.training.evaluation.metrics import markdown_table
from experiments.web2text.study import Study

__all__ = ["cost_section"]

_CORPORA = ("cleaneval-dev", "fundus", "wcxb-dev")
_PAGES, _REPEATS = 57, 5
_STEPS = ("lxml's bare parse", "parse", "cut into leaves, language", "features", "networks, Viterbi")


def cost_section(study: Study) -> str:
    """Return the mean process time of each step, the best of five a page."""
    model = load_model("web2text")
    if not isinstance(model, Web2TextModel):
        raise ModelError(f"the bundled model 'web2text' is of kind {type(model).__name__}")
    pages = [page.html.encode("utf-8", "replace") for name in _CORPORA for page in study.corpora.pages(name)[:_PAGES]]
    times = [np.min([_times(study.measurer, model.labeller, data) for _ in range(_REPEATS)], axis=0) for data in pages]
    milliseconds = np.mean(times, axis=0) * 1000
    rows = [
        (name, f"{value:.2f}", f"{value / milliseconds[0]:.2f}")
        for name, value in zip(_STEPS, milliseconds.tolist(), strict=True)
    ]
    return f"{len(pages)} pages.\n\n" + markdown_table(("step", "ms a page", "bare parses"), rows)


def _times(measurer: FeatureExtractor, labeller: LeafLabeller, data: bytes) -> list[float]:
    clock = [time.process_time()]
    etree.fromstring(data, etree.HTMLParser(encoding="utf-8"))
    clock.append(time.process_time())
    page = Page.parse(data)
    clock.append(time.process_time())
    leaves = measurer.measure(page)
    clock.append(time.process_time())
    features = page_features(leaves)
    clock.append(time.process_time())
    labeller.predict(features)
    clock.append(time.process_time())
    return [float(step) for step in np.diff(clock)]
