import numpy as np
import pytest

from blockfeat.errors import InputError, MissingExtraError
from experiments import retrieval
from experiments.retrieval import known_item_ranks, known_item_scores

TEXTS = [
    "The harbour council repairs the old lighthouse",
    "Fishermen find a new harbour in the north",
    "A quarry under the lake gives stones to the council",
]


def test_ranks():
    pytest.importorskip("bm25s")
    ranks = known_item_ranks(TEXTS, ["old lighthouse", "harbour council", "lake quarry"])
    assert ranks.tolist() == [1, 2, 1]
    assert known_item_scores(TEXTS, ["old lighthouse", "harbour council", "lake quarry"]).mean_reciprocal_rank == (
        pytest.approx(2.5 / 3)
    )


def test_words_that_are_nowhere_find_nothing():
    pytest.importorskip("bm25s")
    ranks = known_item_ranks(TEXTS, ["zephyrona", "", "lighthouse"])
    assert np.isinf(ranks).all()
    scores = known_item_scores(TEXTS, ["zephyrona", "", "lighthouse"])
    assert (scores.mean_reciprocal_rank, scores.first, scores.queries) == (0, 0, 3)


def test_equal_texts_share_their_ranks():
    pytest.importorskip("bm25s")
    assert known_item_ranks(["same text"] * 3, ["text"] * 3).tolist() == [2, 2, 2]


def test_empty_texts_are_never_found():
    pytest.importorskip("bm25s")
    assert known_item_ranks(["", "a text"], ["text", "text"]).tolist() == [np.inf, 1]
    assert np.isinf(known_item_ranks(["", ""], ["text", "text"])).all()


def test_queries_that_do_not_fit():
    pytest.importorskip("bm25s")
    with pytest.raises(InputError, match="2 queries"):
        known_item_ranks(["one"], ["one", "two"])
    with pytest.raises(InputError):
        known_item_ranks([], [])


def test_without_the_package(monkeypatch):
    def missing(name):
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(retrieval, "import_module", missing)
    with pytest.raises(MissingExtraError, match="retrieval"):
        known_item_ranks(["one"], ["one"])
