"""The swarm that tunes Crunch, on the demo pages and on random ones."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat import Extractor, TrainingError, train
from blockfeat.data import LabelledPage, demo_pages
from blockfeat.page.page import Page
from blockfeat.papers.crunch.fitness import prepared_tree, training_set
from blockfeat.papers.crunch.model import CrunchModel
from blockfeat.papers.crunch.settings import CleanSettings
from blockfeat.papers.crunch.trainer import CrunchConfig, CrunchSpace
from blockfeat.pso.search import CoordinateAscent
from blockfeat.pso.swarm import SwarmOptions
from blockfeat.training.evaluation.metrics import word_scores
from blockfeat.training.swarm_search import gold_of
from property_examples import examples
from random_pages import PAGES

QUICK = CrunchConfig(swarm=SwarmOptions(particles=16, iterations=8), polish=CoordinateAscent())
BASE = CrunchModel()
MEASURER = Extractor.of(BASE).measurer
SPACE = CrunchSpace(CleanSettings())
DEMO = demo_pages()
POSITIONS = st.lists(st.floats(-0.2, 1.2), min_size=SPACE.dimensions, max_size=SPACE.dimensions).map(np.array)


def _masks_agree(html: str, found: CleanSettings) -> None:
    """Compare the blocks that training keeps with those that the model keeps."""
    tree = MEASURER.measure(Page.parse(html), lang="en")
    page = LabelledPage(id="1", html=html, text="lantern makers meet", corpus="made up")
    if not len(tree.blocks):
        return
    gold = gold_of(page, tree.blocks, "f1")
    (part,) = training_set([prepared_tree(tree, gold, base=BASE.settings, hosts=BASE.hosts)], "f1").parts
    kept = replace(BASE, settings=found).predict(tree).kept
    assert part.masks([found])[:, 0].tolist() == kept.tolist()


TABLES = (
    "<table><tr><td><a href=1>one</a> <a href=2>two</a><td>words that are no links at all</table>",
    "<table><tr><td><table><tr><td><a href=1>one</a><td>x</table> behind it <a href=2>two</a></table>",
    "<form><p>Your name <a href=x>why</a></form>",
    "<td><a href=1><img src=i></a> <a href=2>text</a>",
    "<table><tr><td>x<td><img src=i></table>",
)


@given(PAGES, st.lists(st.sampled_from(TABLES), max_size=4), POSITIONS)
@examples(80)
def test_training_keeps_what_the_model_keeps(page: str, tables: list[str], position: np.ndarray) -> None:
    _masks_agree(page.replace("</body>", "".join(tables) + "</body>"), SPACE.settings(position))


def test_training_keeps_what_the_model_keeps_on_whole_pages() -> None:
    positions = np.random.default_rng(1).random((6, SPACE.dimensions))
    for page, position in zip(DEMO[::9], positions, strict=True):
        _masks_agree(page.html, SPACE.settings(position))


def test_the_default_has_a_place_in_the_space() -> None:
    assert SPACE.settings(SPACE.position(CleanSettings())) == CleanSettings()


@given(POSITIONS)
def test_every_position_stands_for_settings(position: np.ndarray) -> None:
    found = SPACE.settings(position)
    assert 0.01 <= found.link_lists.ratio <= 10
    assert 1 <= found.link_lists.least_links <= 10
    assert 0 <= found.empty_tables.least_characters <= 999
    if found.link_lists.remove:
        assert SPACE.settings(SPACE.position(found)) == found


def test_training_beats_the_default_settings() -> None:
    model = train(DEMO, kind="crunch", config=QUICK, seed=3)
    report = model.report
    assert report is not None
    assert isinstance(model, CrunchModel)
    assert model.settings != CleanSettings()
    assert report.fitness > report.details["fitness_of_default"] + 0.02
    assert report.details["fitness_of_default"] > report.keep_all
    assert report.test is not None
    assert report.test.text is not None
    assert report.test.text.extraction > report.test.text.all_blocks


def test_the_fitness_is_that_of_the_extraction() -> None:
    """But for tables and lists that extraction completes."""
    model = train(DEMO[:12], kind="crunch", config=QUICK, seed=3, split=1)
    extractor = Extractor.of(model)
    scores = [word_scores(extractor.extract(page.html, lang=page.lang).text, page.text or "").f1 for page in DEMO[:12]]
    assert model.report is not None
    assert np.mean(scores) == pytest.approx(model.report.fitness, abs=0.02)


def test_at_most_so_many_pages_are_looked_at() -> None:
    model = train(DEMO, kind="crunch", config=replace(QUICK, most_pages=10), seed=1, split=1)
    assert model.record["pages"] == {"all": len(DEMO), "training": 10, "test": 0}


def test_wrong_options_are_named() -> None:
    for options, reason in (({"fitness": "f2"}, "unknown fitness 'f2'"), ({"most_pages": -1}, "'most_pages'")):
        with pytest.raises(TrainingError, match=reason):
            CrunchConfig(**options)
    with pytest.raises(TrainingError, match="none of 1 pages"):
        train([LabelledPage(id="1", html="", text="a", corpus="b")], kind="crunch", config=QUICK, split=1)
