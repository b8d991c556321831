"""The swarm that tunes Crunch, on the demo pages and on random ones."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat import Extractor, TrainingError
from blockfeat.data import LabelledPage, demo_pages, write_corpus
from blockfeat.models import load_model
from blockfeat.page.page import Page
from blockfeat.papers.crunch.model import CrunchModel
from blockfeat.papers.crunch.settings import CleanSettings
from blockfeat.pso.search import CoordinateAscent
from blockfeat.pso.swarm import SwarmOptions
from blockfeat.training.evaluation.metrics import word_scores
from blockfeat.training.swarm_search import gold_of
from blockfeat.training.train import train_by
from experiments.crunch.__main__ import main
from experiments.crunch.fitness import prepared_tree, training_set
from experiments.crunch.trainer import CrunchConfig, CrunchSpace, CrunchTrainer
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
    model = train_by(CrunchTrainer(config=QUICK, seed=3), DEMO)
    report = model.report
    assert report.fitness > report.details["fitness_of_default"] + 0.02
    assert report.details["fitness_of_default"] > report.keep_all
    assert report.test.text.extraction > report.test.text.all_blocks


def test_the_fitness_is_that_of_the_extraction() -> None:
    """But for tables and lists that extraction completes."""
    model = train_by(CrunchTrainer(config=QUICK, seed=3), DEMO[:12], split=1)
    extractor = Extractor.of(model)
    scores = [word_scores(extractor.extract(page.html, lang=page.lang).text, page.text or "").f1 for page in DEMO[:12]]
    assert np.mean(scores) == pytest.approx(model.report.fitness, abs=0.02)


def test_at_most_so_many_pages_are_looked_at() -> None:
    model = train_by(CrunchTrainer(config=replace(QUICK, most_pages=10), seed=1), DEMO, split=1)
    assert model.record["pages"] == {"all": len(DEMO), "training": 10, "test": 0}


def test_wrong_options_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(TrainingError, match="none of 1 pages"):
        train_by(CrunchTrainer(config=QUICK), [LabelledPage(id="1", html="", text="a", corpus="b")], split=1)
    settings = {"fitness=f2": "unknown fitness 'f2'", "most_pages=-1": "'most_pages'", "swarm.wings=2": "swarm.wings"}
    for setting, reason in settings.items():
        with pytest.raises(SystemExit, match="2"):
            main(["--corpus", "nosuch.jsonl", "--output", str(tmp_path / "own.json"), "--set", setting])
        assert reason in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main(["--corpus", "nosuch.jsonl", "--output", str(tmp_path / "own.json")])
    assert ("nosuch.jsonl" in capsys.readouterr().err, list(tmp_path.iterdir())) == (True, [])


def test_the_command_prints_the_fitness_and_two_jobs_write_the_same_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pages, left_out, output = (tmp_path / name for name in ("pages.jsonl", "left_out.jsonl", "own.json"))
    write_corpus([replace(page, corpus="") for page in DEMO[:12]], pages)
    left_out.write_text(f'{{"corpus": "pages", "id": "{DEMO[0].id}"}}\n', encoding="utf-8")
    quick = ("--set", "swarm.particles=4", "--set", "swarm.iterations=3", "--seed", "2", "--split", "0.6")
    models = []
    for jobs in ("1", "2"):
        files = ("--corpus", str(pages), "--leave-out", str(left_out), "--output", str(output))
        assert main([*files, *quick, "--jobs", jobs]) == 0
        models.append(load_model(output))
    one, two = models
    record = dict(one.record)
    assert (one.settings, one.name) == (two.settings, "own")
    assert record.pop("command").startswith("python -m experiments.crunch --corpus ")
    assert record == {key: value for key, value in two.record.items() if key != "command"}
    assert (record["left_out"], record["seed"], record["options"]["swarm"]["particles"]) == (1, 2, 4)
    after = f"{record['fitness_of_default']:.4f} before, {record['fitness']:.4f} after"
    assert capsys.readouterr().out.count(f"fitness on the training pages: {after}") == 2
