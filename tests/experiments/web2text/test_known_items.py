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


@pytest.mark.parametrize(
    ("texts", "queries", "wanted", "ranks"),
    [
        (TEXTS, ["old lighthouse", "harbour council", "lake quarry", "stones"], [0, 1, 2, 2], [1, 2, 1, 1]),
        (TEXTS, ["zephyrona", "", "lighthouse"], [0, 1, 2], [np.inf] * 3),  # words that are nowhere find nothing
        (["same text"] * 3, ["text"] * 3, [0, 1, 2], [2, 2, 2]),
        (["", "a text"], ["text", "text"], [0, 1], [np.inf, 1]),
        (["", ""], ["text", "text"], [0, 1], [np.inf] * 2),
    ],
)
def test_ranks(texts, queries, wanted, ranks):
    pytest.importorskip("bm25s")
    assert known_item_ranks(texts, queries, wanted).tolist() == ranks


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
