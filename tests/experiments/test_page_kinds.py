"""Pages of every kind made from articles, and the classifier that is fitted on them."""

import numpy as np

from blockfeat.data import demo_pages
from blockfeat.extraction.page_kind import CONFIDENCE_MEASURES, LEARNT, KindWeights
from experiments.expected_f1 import Outcome, calibrate, table
from experiments.made_pages import MADE, PageMaker
from experiments.page_kinds import KIND_MEASURES, SeenPage, document_of, fit_weights

ARTICLES = [page for page in demo_pages() if page.page_type == "article" and page.lang == "en"]


def test_an_article_becomes_a_page_of_every_kind() -> None:
    page = ARTICLES[0]
    made = {one.kind: one for one in PageMaker.of(ARTICLES).make(page, seed=1)}
    assert tuple(made) == MADE
    lines = (line[:40] for line in (page.text or "").split("\n")[2:] if len(line) > 80)
    # Once: the description in the head stays.
    sentence = next(line for line in lines if made["article"].html.count(line) == 1)
    assert made["front page"].html.count("<article><h3>") == 14
    for kind in ("error page", "consent wall", "bare error page"):
        assert sentence not in made[kind].html


def test_the_classifier_tells_what_its_measures_tell_and_travels_as_json() -> None:
    random = np.random.default_rng(1)
    pages = []
    for number in range(90):
        values = random.normal(size=len(KIND_MEASURES))
        kind = number % len(LEARNT)
        values[kind] += 4.0
        pages.append(SeenPage("x", LEARNT[kind], False, None, values, ARTICLES[0]))
    weights = fit_weights(pages)
    again = KindWeights.from_document(document_of(weights))
    for page in pages[:9]:
        chances = again.probabilities(page.measures)
        assert LEARNT[int(chances.argmax())] == page.wanted
        assert abs(float(chances.sum()) - 1) < 1e-9


def test_the_calibration_follows_what_was_measured() -> None:
    random = np.random.default_rng(1)
    found = []
    for number in range(200):
        measures = random.normal(size=len(CONFIDENCE_MEASURES))
        f1 = float(np.clip(0.7 + 0.15 * measures[0], 0, 1))
        found.append(Outcome("sequence", "ab"[number % 2], measures.tolist(), f1))
    assert calibrate(found)["expected"] > 0.3
    assert "200 pages; mean absolute error 0.0" in table(found, "sequence")
