from dataclasses import replace
from typing import Any

import pytest

from blockfeat.data.corpus import LabelledPage
from blockfeat.errors import TrainingError
from blockfeat.extraction.extractor import Extractor
from blockfeat.models.store import load_model
from blockfeat.pso.search import CoordinateAscent
from blockfeat.pso.swarm import SwarmOptions
from blockfeat.training.margin_fit import MarginOptions
from blockfeat.training.thresholds import ThresholdConfig
from blockfeat.web.labelling.background import Background, model_file
from blockfeat.web.labelling.learning import train_on_labels
from blockfeat.web.labelling.pages import SessionPages, Suggester
from blockfeat.web.labelling.session import LabelSession
from labelled_site_pages import site

_SWARM = SwarmOptions(particles=10, iterations=8)
QUICK = {
    "thresholds": ThresholdConfig(fitness="f1", swarm=_SWARM, polish=CoordinateAscent(ascent=1)),
    "margin": MarginOptions(features=4, rounds=0, rows=500, all_rows=500, steps=5),
}


@pytest.fixture(scope="module")
def labelled(tmp_path_factory) -> list[LabelledPage]:
    output = tmp_path_factory.mktemp("labels") / "labels.jsonl"
    with LabelSession(SessionPages.of(site(9)), output, Suggester(Extractor.load("margin"))) as session:
        for page in session.pages.ids:
            session.accept(page)
        return session.labelled_pages()


def test_every_page_is_held_out_once_at_each_point_of_the_curve(labelled):
    steps: list[dict[str, Any]] = []
    others = {"margin": Extractor.load("margin")}
    found = train_on_labels(
        labelled, kind="thresholds", configs=QUICK, others=others, on_step=lambda **step: steps.append(step)
    )
    assert (found.kind, found.pages, found.held_out) == ("thresholds", 9, "other pages")
    assert ([point.pages for point in found.points], found.others) == ([2, 3, 6], {"margin": 1.0})
    assert found.f1 == found.points[-1].f1 > 0.9
    assert [step["done"] for step in steps] == sorted(step["done"] for step in steps)
    assert steps[-1]["total"] == 10
    assert [len(step["points"]) for step in steps if step["done"] in (1, 9)][-1] == 3
    assert found.model.record["labelling"]["f1"] == found.f1
    first = labelled[0]
    assert Extractor.of(found.model).extract(first.html, lang="en").text == first.text


def test_the_model_does_not_depend_on_the_order_of_the_pages(labelled):
    one = train_on_labels(labelled[:5], kind="thresholds", configs=QUICK)
    other = train_on_labels(labelled[4::-1], kind="thresholds", configs=QUICK)
    assert one.points == other.points
    assert {**one.model.to_document()[0], "record": None} == {**other.model.to_document()[0], "record": None}


def test_whole_sites_are_held_out_where_there_are_three(labelled):
    spread = [replace(page, url=f"https://site{number % 3}.example/{number}") for number, page in enumerate(labelled)]
    assert train_on_labels(spread, kind="thresholds", configs=QUICK).held_out == "other sites"


@pytest.mark.parametrize(
    ("count", "kind", "reason"),
    [(3, "thresholds", "needs 4 labelled pages with content; there are 3"), (9, "web2text", "unknown kind 'web2text'")],
)
def test_what_cannot_be_trained_is_an_error(labelled, count: int, kind: str, reason: str):
    with pytest.raises(TrainingError, match=reason):
        train_on_labels(labelled[:count], kind=kind)


def test_training_stops_when_it_is_told(labelled):
    steps: list[dict[str, Any]] = []
    with pytest.raises(TrainingError, match="stopped"):
        train_on_labels(
            labelled,
            kind="thresholds",
            configs=QUICK,
            on_step=lambda **step: steps.append(step),
            stop=lambda: len(steps) > 0,
        )
    assert len(steps) == 1


def test_the_better_kind_is_taken_and_the_suggestions_come_from_it(tmp_path):
    output = tmp_path / "labels.jsonl"
    with LabelSession(SessionPages.of(site(5)), output, Suggester(Extractor.load("margin"))) as session:
        background = Background(session, configs=QUICK)
        for page in session.pages.ids[:4]:
            session.accept(page)
        background.start_training("best")
        with pytest.raises(TrainingError, match="running"):
            background.start_training("thresholds")
        background.wait()
        state = background.state
        assert (state.error, state.phase) == (None, "done")
        assert {"thresholds", "margin"} >= {state.result.kind}
        assert any("your labels" in name for name in state.result.others)
        assert load_model(model_file(output)).kind == state.result.kind
        assert state.is_used == (session.suggester.extractor.model.name == "labels.model")
        assert session.confidence("page-4") is not None
