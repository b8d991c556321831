"""Soft labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from blockfeat.data import LabelledPage
from blockfeat.errors import CorpusError
from blockfeat.training.pages import TrainingPage
from blockfeat.training.soft_labels import Judge, soften_labels


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
    judged: list[str] = []

    def teach(learnt: Sequence[TrainingPage], name: str) -> Judge:
        names.append(name)

        def judge(page: TrainingPage) -> np.ndarray:
            assert page.source
            assert page.source.host not in _sites(learnt)
            judged.append(page.source.id)
            return np.array([0.6, 0.2])

        return judge

    softened = soften_labels(pages, teach, share=0.5, seed=3)
    assert names == ["teachers 1 of 2", "teachers 2 of 2"]
    assert sorted(judged) == sorted(page.source.id for page in pages if page.source)
    for page in softened:
        assert page.label == pytest.approx([0.5 + 0.5 * 0.6, 0.5 * 0.2])
        assert page.label.dtype == np.float32


def test_a_page_and_its_copy_without_content_are_never_on_two_sides() -> None:
    pages = [copy for number in range(6) for copy in (_page(number), _page(number, emptied=True))]

    def teach(learnt: Sequence[TrainingPage], name: str) -> Judge:
        assert len(_sites(learnt)) in (1, 2)
        assert sum(page.is_emptied for page in learnt) * 2 == len(learnt)
        return lambda page: np.full(2, 0.25)

    softened = soften_labels(pages, teach, share=1.0, seed=0)
    assert {tuple(page.label.tolist()) for page in softened} == {(0.25, 0.25)}


def test_pages_of_one_site_have_no_teachers() -> None:
    with pytest.raises(CorpusError, match="hosts are needed"):
        soften_labels([_page(0), _page(1)], lambda pages, name: lambda page: page.label, share=0.5, seed=0)
