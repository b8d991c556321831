"""Soft labels, and models that learn from them."""

import sys
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from blockfeat.data import LabelledPage, demo_pages
from blockfeat.errors import CorpusError, MissingExtraError, TrainingError
from blockfeat.training import sequence
from blockfeat.training.examples import TrainingPage
from blockfeat.training.sequence_network import SequenceOptions


def _page(number: int, *, emptied: bool = False) -> TrainingPage:
    source = LabelledPage(str(number), "<p>x", "x", "en", f"https://site{number // 2}.example/{number}", corpus="c")
    label = np.array([0.0, 0.0] if emptied else [1.0, 0.0], dtype=np.float32)
    ones = np.ones(2, dtype=np.float32)
    return TrainingPage(np.zeros((2, 3), dtype=np.float32), label, ones, ones, label, is_emptied=emptied, source=source)


def _sites(pages: Sequence[TrainingPage]) -> set[str]:
    return {page.source.host for page in pages if page.source}


def test_labels_move_towards_what_models_of_other_sites_say() -> None:
    pages = [_page(number) for number in range(8)]
    names: list[str] = []
    taught: list[str] = []

    def teach(learnt: Sequence[TrainingPage], name: str) -> sequence.Teacher:
        names.append(name)

        def teacher(page: TrainingPage) -> np.ndarray:
            assert page.source
            assert page.source.host not in _sites(learnt)
            taught.append(page.source.id)
            return np.array([0.6, 0.2])

        return teacher

    softened = sequence.soften_labels(pages, teach, share=0.5, seed=3)
    assert names == ["teachers 1 of 2", "teachers 2 of 2"]
    assert sorted(taught) == sorted(page.source.id for page in pages if page.source)
    for page in softened:
        assert (page.label, page.label.dtype) == (pytest.approx([0.5 + 0.5 * 0.6, 0.5 * 0.2]), np.float32)


def test_a_page_and_its_copy_without_content_are_never_on_two_sides() -> None:
    pages = [copy for number in range(6) for copy in (_page(number), _page(number, emptied=True))]

    def teach(learnt: Sequence[TrainingPage], name: str) -> sequence.Teacher:
        assert len(_sites(learnt)) in (1, 2)
        assert sum(page.is_emptied for page in learnt) * 2 == len(learnt)
        return lambda page: np.full(2, 0.25)

    softened = sequence.soften_labels(pages, teach, share=1.0, seed=0)
    assert {tuple(page.label.tolist()) for page in softened} == {(0.25, 0.25)}


def test_pages_of_one_site_have_no_teachers() -> None:
    with pytest.raises(CorpusError, match="hosts are needed"):
        sequence.soften_labels([_page(0), _page(1)], lambda pages, name: lambda page: page.label, share=0.5, seed=0)


def _pages(count: int, seed: int) -> list[TrainingPage]:
    """Pages whose content are the blocks behind one whose first feature is high."""
    random = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        matrix = random.normal(size=(int(random.integers(5, 300)), 3)).astype(np.float32)
        label = np.concatenate(([0.0], matrix[:-1, 0] > 0)).astype(np.float32)
        ones = np.ones(label.size, dtype=np.float32)
        made.append(TrainingPage(matrix, label, ones / label.size, ones, label))
    return made


def test_a_block_has_its_neighbours_and_the_page_beside_it() -> None:
    matrix = np.arange(8, dtype=np.float32).reshape(4, 2)
    rows = sequence.surroundings(matrix)
    assert (rows.shape, rows[0].tolist()) == ((4, 12), [0, 1, 0, 0, 0, 0, 2, 3, 4, 5, 3, 4])
    assert rows[3].tolist() == [6, 7, 2, 3, 4, 5, 0, 0, 0, 0, 3, 4]


def test_it_learns_what_the_neighbour_says_and_a_seed_gives_the_same_trees() -> None:
    pytest.importorskip("lightgbm", reason="the extra 'sequence' is not installed")
    first, second = (sequence.fit_forest(_pages(30, 0), trees=30, seed=1) for _ in range(2))
    unseen = _pages(10, 1)
    right = [((first(page) >= 0.5) == (page.label > 0)).mean() for page in unseen]
    assert np.mean(right) > 0.9
    assert all((first(page) == second(page)).all() for page in unseen)


def test_blocks_without_a_known_label_teach_nothing() -> None:
    pytest.importorskip("lightgbm", reason="the extra 'sequence' is not installed")
    pages = _pages(30, 0)
    wrong = [replace(page, label=1 - page.label, weight=np.zeros_like(page.weight)) for page in pages]
    expected, found = (
        sequence.fit_forest(pages, trees=10, seed=1),
        sequence.fit_forest([*pages, *wrong], trees=10, seed=1),
    )
    assert all((expected(page) == found(page)).all() for page in _pages(3, 1))


OPTIONS = SequenceOptions(channels=8, passes=1, least_steps=20)


def test_a_model_of_enough_pages_is_taught() -> None:
    pytest.importorskip("torch", reason="the extra 'sequence' is not installed")
    pytest.importorskip("lightgbm", reason="the extra 'sequence' is not installed")
    pages = demo_pages()[:24]
    taught = sequence.SequenceConfig(fewest_taught=10, trees=5, network=OPTIONS)
    configs = {"taught": taught, "too few": replace(taught, fewest_taught=100)}
    configs["as they are"] = sequence.SequenceConfig(teacher_share=0.0, network=OPTIONS)
    models = {name: sequence.SequenceTrainer(config=config, seed=1).fit(pages) for name, config in configs.items()}
    reports = {name: model.report.details["soft_labels"] for name, model in models.items() if model.report}
    assert reports == {"taught": True, "too few": False, "as they are": False}
    weights = {name: model.weights["outer"].tolist() for name, model in models.items()}
    assert weights["too few"] == weights["as they are"] != weights["taught"]


def test_teachers_without_their_library_are_refused_before_pages_are_measured(monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("torch", reason="the extra 'sequence' is not installed")
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    page = LabelledPage("1", "<p>Text", "Text", corpus="c")
    with pytest.raises(MissingExtraError, match=r"blockfeat\[sequence\]"):
        sequence.SequenceTrainer(config=sequence.SequenceConfig(fewest_taught=1, network=OPTIONS)).fit([page])
    with pytest.raises(TrainingError, match="teacher_share"):
        sequence.SequenceConfig(teacher_share=1.5)


def test_a_block_might_be_content_above_the_best_of_a_third_of_pages_without() -> None:
    assert sequence.might_be([-1.0] * 9) == -10.0
    assert sequence.might_be([float(number) for number in range(-30, 1)]) == -20.0
