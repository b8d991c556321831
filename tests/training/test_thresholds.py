"""Training on the bundled demo pages."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from blockfeat import Extractor
from blockfeat.data import LabelledPage, demo_pages
from blockfeat.errors import LanguageError, TrainingError
from blockfeat.models.threshold import ThresholdModel
from blockfeat.pso.search import CoordinateAscent
from blockfeat.pso.swarm import SwarmOptions
from blockfeat.training.train import TrainingOptions, train
from pages import BRAND, SENTENCES, article_page

QUICK = TrainingOptions(swarm=SwarmOptions(particles=20, iterations=10), polish=CoordinateAscent())


@pytest.fixture(scope="module")
def pages() -> list[LabelledPage]:
    return demo_pages()


@pytest.fixture(scope="module")
def trained(pages: list[LabelledPage]) -> ThresholdModel:
    return train(pages, seed=3, options=QUICK)


def test_the_model_beats_its_lower_bounds(trained: ThresholdModel) -> None:
    report = trained.report
    assert report.fitness > report.keep_all + 0.1
    assert report.fitness > max(float(curve.fitness.max()) for curve in report.curves) - 0.02
    assert report.test.snippets is None
    assert report.test.text.extraction > (report.test.text.all_text or 0)


@pytest.mark.parametrize("decoder", ["conjunction", "mss"])
def test_the_same_seed_gives_the_same_model_with_one_job_or_two(pages: list[LabelledPage], decoder: str) -> None:
    options = replace(QUICK, decoder=decoder)
    one = train(pages, seed=5, options=options).to_document()[0]
    two = train(pages, seed=5, options=replace(options, jobs=2)).to_document()[0]
    other = train(pages, seed=6, options=options).to_document()[0]
    assert one == two
    assert one["thresholds"] != other["thresholds"]


def test_the_reported_fitness_is_that_of_the_extractor(pages: list[LabelledPage]) -> None:
    from blockfeat.training.evaluation.strategies import compare_strategies

    model = train(pages, seed=1, options=replace(QUICK, split=1.0))
    report = model.report
    assert report.test is None
    again = compare_strategies(Extractor.of(model), pages, "cosine").text
    assert report.fitness == pytest.approx(again.extraction, abs=0.005)
    assert report.keep_all == pytest.approx(again.all_blocks, abs=0.005)
    assert report.training.text.extraction == pytest.approx(report.fitness)


def test_only_the_languages_asked_for(pages: list[LabelledPage]) -> None:
    model = train(pages, langs=["de", "fr"], seed=1, options=QUICK)
    assert model.languages == ("de", "fr")
    assert set(model.record["languages"]) == {"de", "fr"}
    with pytest.raises(LanguageError, match=r"'sw'.*en \("):
        train(pages, langs=["de", "sw"], seed=1, options=QUICK)


def test_pages_without_a_language_are_identified(pages: list[LabelledPage]) -> None:
    unnamed = [replace(page, lang=None) for page in pages]
    model = train(unnamed, langs=["de"], seed=1, options=replace(QUICK, split=1.0))
    report = model.report
    assert report.training_pages == sum(page.lang == "de" for page in pages)


def test_thresholds_by_language(pages: list[LabelledPage]) -> None:
    model = train(pages, seed=1, options=replace(QUICK, per_language=True, fewest_pages=5))
    assert {"joint", "en", "de"} <= set(model.thresholds)
    assert not np.array_equal(model.thresholds["de"], model.thresholds["joint"])


def snippet_page(number: int) -> LabelledPage:
    return LabelledPage(
        id=f"s{number}",
        url=f"https://site{number}.example/",
        html=article_page(number % 4 + 2),
        text=None,
        lang="en",
        present=(SENTENCES[0], SENTENCES[1]),
        absent=(f"{BRAND} opens shop 1", "Section 3"),
    )


def test_pages_with_snippets_only() -> None:
    options = replace(QUICK, decoder="conjunction")
    model = train([snippet_page(number) for number in range(12)], seed=1, options=options)
    report = model.report
    assert report.fitness > 0.95 > report.keep_all


def test_two_labellers_are_compared(pages: list[LabelledPage]) -> None:
    doubly = [replace(page, text2=page.text) for page in pages]
    report = train(doubly, seed=1, options=QUICK).report
    assert report.test.text.labellers == pytest.approx(1.0)
    assert report.test.text.doubly_labelled == report.test.text.pages


def test_pages_that_cannot_be_used_are_told() -> None:
    bad = [LabelledPage(id=f"b{number}", html="", text="gold") for number in range(3)]
    with pytest.raises(TrainingError, match="b0"):
        train(bad, seed=1, options=replace(QUICK, split=1.0))
    with pytest.raises(TrainingError, match="magic"):
        TrainingOptions(fitness="magic")
    with pytest.raises(TrainingError, match="share"):
        TrainingOptions(split=0)
