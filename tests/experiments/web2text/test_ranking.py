"""Language models for retrieval, and the measures of their rankings."""

import numpy as np
import pytest

from experiments.web2text.ad_hoc import topics_of
from experiments.web2text.ranking import Index, measures_of

TEXTS = [
    "the harbour opens a new bridge over the river",
    "a bridge and another bridge: the harbour bridge is open",
    "the museum shows stones from the desert",
    "boats wait under the bridge in the rain",
]


def test_the_text_with_most_of_the_query_is_first():
    index = Index.of(TEXTS)
    bridge = index.query_likelihood("harbour bridge")
    assert (np.argmax(bridge), np.argmin(bridge), np.argmax(index.query_likelihood("desert stones"))) == (1, 2, 2)
    for query in ("", "unknown words"):
        assert not index.query_likelihood(query).any()


def test_the_relevance_model_finds_what_lacks_the_words_of_the_query():
    texts = ["zinc harbour bridge"] * 3 + ["harbour bridge", "museum desert", *["rain wind snow"] * 8]
    index = Index.of(texts)
    plain, mixed = index.query_likelihood("zinc"), index.relevance_model("zinc")
    assert plain[3] - plain[5] < mixed[3] - mixed[5]


def test_measures_by_hand():
    scores = np.array([9.0, 8.0, 7.0, *np.linspace(6, 1, 12)])
    found = measures_of(scores, {1: 2, 3: 1}, left_out=0)
    assert (found.precision, found.recall) == (pytest.approx(0.2), 1)
    assert found.average_precision == pytest.approx((1 / 1 + 2 / 3) / 2)
    assert found.ndcg == pytest.approx((3 + 1 / np.log2(4)) / (3 + 1 / np.log2(3)))


def test_topics_are_stories_of_several_texts():
    story = "Minister opens the long harbour bridge\nThe minister of ports {} opened the harbour bridge on the river"
    other = "Museum {0} shows old stone {0}\nVisitors {0} came to see desert {0} finds {0} in vitrines {0}"
    golds = [story.format(word) for word in ("Ada", "Bela", "Cleo", "Dora")]
    golds += [other.format(word) for word in ("Egon", "Fay", "Gus", "Hal", "Ida", "Jon", "Kay", "Leo")]
    topics = [topic for topic in topics_of(golds) if "harbour" in topic.headline]
    assert (len(topics), {topics[0].source, *topics[0].grades}) == (1, {0, 1, 2, 3})
