import numpy as np
import pytest

from blockfeat.errors import InputError, MissingExtraError
from experiments.web2text import known_items
from experiments.web2text.known_items import known_item_ranks

TEXTS = [
    "The harbour council repairs the old lighthouse",
    "Fishermen find a new harbour in the north",
    "A quarry under the lake gives stones to the council",
]


def test_ranks():
    pytest.importorskip("bm25s")
    queries = ["old lighthouse", "harbour council", "lake quarry", "stones"]
    assert known_item_ranks(TEXTS, queries, [0, 1, 2, 2]).tolist() == [1, 2, 1, 1]


def test_words_that_are_nowhere_find_nothing():
    pytest.importorskip("bm25s")
    assert np.isinf(known_item_ranks(TEXTS, ["zephyrona", "", "lighthouse"], [0, 1, 2])).all()


def test_equal_texts_share_their_ranks():
    pytest.importorskip("bm25s")
    assert known_item_ranks(["same text"] * 3, ["text"] * 3, [0, 1, 2]).tolist() == [2, 2, 2]


def test_empty_texts_are_never_found():
    pytest.importorskip("bm25s")
    assert known_item_ranks(["", "a text"], ["text", "text"], [0, 1]).tolist() == [np.inf, 1]
    assert np.isinf(known_item_ranks(["", ""], ["text", "text"], [0, 1])).all()


@pytest.mark.parametrize(
    ("texts", "queries", "wanted"), [(["one"], ["one"], []), ([], [], []), (["one"], ["one"], [1])]
)
def test_queries_that_do_not_fit(texts, queries, wanted):
    pytest.importorskip("bm25s")
    with pytest.raises(InputError, match="queries"):
        known_item_ranks(texts, queries, wanted)


def test_without_the_package(monkeypatch):
    def missing(name):
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(known_items, "import_module", missing)
    with pytest.raises(MissingExtraError, match="retrieval"):
        known_item_ranks(["one"], ["one"], [0])
