"""Training on the bundled demo pages."""

from dataclasses import replace

import numpy as np
import pytest

from blockfeat import Extractor, TrainingError, TrainingOptions, train
from blockfeat.data import LabelledPage, demo_pages
from blockfeat.pso.search import CoordinateAscent
from blockfeat.pso.swarm import SwarmOptions
from pages import BRAND, SENTENCES, article_page

QUICK = TrainingOptions(swarm=SwarmOptions(particles=20, iterations=10), polish=CoordinateAscent())


DEMO = demo_pages()


def test_the_model_beats_its_lower_bounds() -> None:
    report = train(DEMO, seed=3, options=QUICK).report
    assert report.fitness > report.keep_all + 0.1
    assert report.fitness > max(float(curve.fitness.max()) for curve in report.curves) - 0.02
    assert report.test.snippets is None
    assert report.test.text.extraction > (report.test.text.all_text or 0)


@pytest.mark.parametrize("decoder", ["conjunction", "mss"])
def test_the_same_seed_gives_the_same_model_with_one_job_or_two(decoder: str) -> None:
    options = replace(QUICK, decoder=decoder)
    one = train(DEMO, seed=5, options=options).to_document()[0]
    two = train(DEMO, seed=5, options=replace(options, jobs=2)).to_document()[0]
    other = train(DEMO, seed=6, options=options).to_document()[0]
    assert one == two
    assert one["thresholds"] != other["thresholds"]


def test_the_reported_fitness_is_that_of_the_extractor() -> None:
    from blockfeat.training.evaluation.strategies import compare_strategies

    model = train(DEMO, seed=1, options=replace(QUICK, split=1.0))
    report = model.report
    assert report.test is None
    again = compare_strategies(Extractor.of(model), DEMO, "cosine").text
    assert report.fitness == pytest.approx(again.extraction, abs=0.005)
    assert report.keep_all == pytest.approx(again.all_blocks, abs=0.005)
    assert report.training.text.extraction == pytest.approx(report.fitness)


def test_pages_without_a_language_are_identified() -> None:
    unnamed = [replace(page, lang=None) for page in DEMO]
    report = train(unnamed, langs=["de"], seed=1, options=replace(QUICK, split=1.0)).report
    assert report.training_pages == sum(page.lang == "de" for page in DEMO)


def test_thresholds_by_language() -> None:
    model = train(DEMO, seed=1, options=replace(QUICK, per_language=True, fewest_pages=5))
    assert {"joint", "en", "de"} <= set(model.thresholds)
    assert not np.array_equal(model.thresholds["de"], model.thresholds["joint"])


def snippet_page(number: int) -> LabelledPage:
    html, url, absent = article_page(number % 4 + 2), f"https://site{number}.example/", (f"{BRAND} opens", "Section 3")
    return LabelledPage(f"s{number}", html, None, "en", url, present=SENTENCES[:2], absent=absent)


def test_pages_with_snippets_only() -> None:
    options = replace(QUICK, decoder="conjunction")
    report = train([snippet_page(number) for number in range(12)], seed=1, options=options).report
    assert report.fitness > 0.95 > report.keep_all


def test_two_labellers_are_compared() -> None:
    doubly = [replace(page, text2=page.text) for page in DEMO]
    report = train(doubly, seed=1, options=QUICK).report
    assert report.test.text.labellers == pytest.approx(1.0)
    assert report.test.text.doubly_labelled == report.test.text.pages


def test_pages_that_cannot_be_used_are_told() -> None:
    bad = [LabelledPage(id=f"b{number}", html="", text="gold") for number in range(3)]
    with pytest.raises(TrainingError, match="b0"):
        train(bad, seed=1, options=replace(QUICK, split=1.0))
    for options, reason in (({"fitness": "magic"}, "magic"), ({"split": 0}, "share")):
        with pytest.raises(TrainingError, match=reason):
            TrainingOptions(**options)
