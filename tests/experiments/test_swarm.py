"""The experiments of swarms, gradients and other searches: draws, the order of blocks, numbers found on made pages."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from blockfeat.data import LabelledPage, write_corpus
from blockfeat.features.measuring import context_places
from blockfeat.features.schema import CANONICAL
from blockfeat.pso.search import CoordinateAscent
from blockfeat.pso.swarm import SwarmOptions
from blockfeat.training.examples import TrainingPage
from experiments import searches
from experiments.corpora import BESIDE_ARTICLES, FAMILIES, Corpora
from experiments.swarm.draws import Draw, block_order, draws, labelled_families, table
from experiments.swarm.eight import Numbers
from experiments.swarm.own import _measures, own_draws, scored, six_numbers
from pages import PARAGRAPHS, article_page

_SWARM = SwarmOptions(seed=1)


def made_page(host: str, label: list[float], words: list[float]) -> TrainingPage:
    """Return a page whose blocks of content have long sentences and no links."""
    is_content = np.array(label, dtype=np.float32)
    places = context_places()
    matrix = np.zeros((is_content.size, len(places)), dtype=np.float32)
    # What tells nothing passes any threshold.
    for feature in CANONICAL:
        matrix[:, places[feature.name]] = feature.high if feature.sign > 0 else feature.low
    matrix[:, places["average_sentence_length"]] = 5 + 20 * is_content
    matrix[:, places["sentence_count"]] = 1 + 3 * is_content
    matrix[:, places["anchor_ratio"]] = 1 - is_content
    source = LabelledPage(id=host, html="", corpus="made", url=f"https://{host}/", text="x")
    weight = np.ones_like(is_content)
    return TrainingPage(matrix, is_content, weight, np.array(words, dtype=np.float32), is_content, source=source)


PAGES = [
    made_page("a.org", [0, 1, 1, 0], [2, 30, 40, 3]),
    made_page("b.org", [0, 0, 1, 1, 1, 0], [1, 2, 20, 20, 20, 9]),
    made_page("c.org", [1, 0], [50, 5]),
]


def test_the_order_of_blocks_is_that_of_the_packed_pages() -> None:
    assert sorted(block_order(PAGES).tolist()) == list(range(12))
    whole = Numbers(PAGES, 1).scored(lambda pages: np.ones(12, dtype=bool), PAGES)
    shares = [(70, 75), (60, 72), (50, 55)]
    assert whole == pytest.approx(np.mean([2 * right / (all_words + right) for right, all_words in shares]))


def test_each_way_finds_numbers_that_tell_content() -> None:
    numbers = Numbers(PAGES, 1)
    found = [
        numbers.by_search(problem, CoordinateAscent()) for problem in (numbers.hard_thresholds(), numbers.best_run())
    ]
    found += [numbers.thresholds_by_gradient(), numbers.regression(), numbers.regression(swarm=True)]
    for kept in found:
        assert numbers.scored(kept, PAGES) == pytest.approx(1.0)


def test_draws_are_nested_and_keep_hosts_apart() -> None:
    families = {"one": PAGES[:2], "two": [PAGES[2], made_page("a.org", [1, 0], [9, 1])]}
    found = list(draws(families, (1, 2), [3]))
    assert [(draw.left_out, len(draw.training)) for draw in found] == [("one", 1), ("one", 1), ("two", 1), ("two", 1)]
    for draw in found:
        hosts = {page.source.host for page in draw.test if page.source}
        assert not hosts & {page.source.host for page in draw.training if page.source}


def test_the_table_has_means_and_the_spread_of_the_seeds() -> None:
    scores = [("swarm", 10, 1, 0.8), ("swarm", 10, 1, 0.6), ("swarm", 10, 2, 0.9)]
    assert "| swarm | 0.800 ± 0.141 |" in table(scores, (10,))


@pytest.mark.parametrize("name", sorted({*searches.SEARCHES} - {"CMA-ES"}))
def test_each_search_has_as_many_evaluations_and_keeps_its_best(name: str) -> None:
    problem = Numbers([*PAGES, made_page("d.org", [0, 0, 0], [5, 5, 5])], 1).hard_thresholds()
    found = searches.searched(name, problem, 1, 1_000)
    assert 980 < found.evaluations <= 1_000
    assert found.fitness == problem.objective(found.position[None])[0] > problem.objective(problem.known[None])[0]


def test_a_search_tells_what_it_needs_before_it_begins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("experiments.needs.find_spec", lambda name: None)
    with pytest.raises(SystemExit, match="needs cma: pip install cma"):
        searches.main(["--corpora", str(tmp_path)])


def test_a_search_continues_what_it_has_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    families = {"one": PAGES[:2], "two": [PAGES[2], made_page("e.org", [1, 0], [9, 1])]}
    drawn: list[Draw] = []
    monkeypatch.setattr(searches, "check_needs", lambda **needs: None)
    monkeypatch.setattr(searches, "labelled_families", lambda *given: families)
    monkeypatch.setattr(searches, "own_pages", lambda *given: {"forum": [own_page(f"{host}.org") for host in "abcdef"]})
    monkeypatch.setattr(searches, "SEARCHES", {name: searches.SEARCHES[name] for name in ("swarm", "random")})
    usual = searches.outcome_of
    monkeypatch.setattr(searches, "outcome_of", lambda draw, most: drawn.append(draw) or usual(draw, most))
    for sizes in (["1"], ["1", "2"], ["2"]):
        given = ["--evaluations", "200", "--repeat", "2", "--output", str(tmp_path / "found.md"), "--sizes", *sizes]
        assert searches.main(given) == 0
    assert [len(draw.training) for draw in drawn] == [1] * 4 + [2] * 4
    page = (tmp_path / "found.md").read_text(encoding="utf-8")
    assert "| best run, left out; training pages | 1 | 2 |" in page
    assert [page.count(line) for line in ("Draws: 4, 4.\n", "| before |")] == [3, 6]


def own_page(host: str) -> TrainingPage:
    """Return a page of which the network drops what stands last, though it is content."""
    page = made_page(host, [0, 1, 1, 1], [2, 30, 40, 30])
    return replace(page, matrix=_measures(np.array([-6, 6, 6, -1]), page.words, np.zeros(4)).astype(np.float32))


def test_six_numbers_start_from_the_network_and_keep_more_of_own_pages() -> None:
    draw = next(own_draws({"forum": [own_page(f"{host}.org") for host in "abcdef"]}, (2,), [1]))
    problem = six_numbers(draw.training)
    before = scored(problem.kept(problem.known), draw.test)
    found = searches.searched("swarm", problem, 1, 1_000)
    assert before == pytest.approx(problem.objective(problem.known[None])[0]) == pytest.approx(140 / 170)
    assert scored(problem.kept(found.position), draw.test) == pytest.approx(found.fitness) == pytest.approx(1.0)


def test_a_family_without_articles_is_left_out(tmp_path: Path) -> None:
    for name in (name for family in FAMILIES for name in family):
        page_type = "product" if name in BESIDE_ARTICLES else "article"
        page = LabelledPage(name, article_page(4), "\n".join(PARAGRAPHS), "en", page_type=page_type)
        write_corpus([page], tmp_path / f"{name}.jsonl.xz")
    assert "harvest" not in (found := labelled_families(Corpora(tmp_path), 5, 1))
    assert "daniel" in found
