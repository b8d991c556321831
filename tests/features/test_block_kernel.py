import numpy as np
import pytest
from hypothesis import given

from blockfeat.lang.measures import tokenize
from property_examples import examples
from random_pages import PAGES, context_of

OWN = (
    "log_words", "plain_words", "word_length", "terminal", "anchors", "occurrences", "word_position", "page_blocks",
    "page_density", "page_unspaced",
)  # fmt: skip
NEIGHBOURS = ("previous_density", "next_density", "next_terminal")


def test_how_a_block_ends():
    ends = {"One.": 1.0, "„Zwei“": 1.0, "三。": 1.0, "four: ": 0.6, "five …\u200b": 0.4, "six": 0.0, "7 \u2060": 0.0}
    found = context_of("".join(f"<p>{text}</p>" for text in ends)).columns(("terminal",))[:, 0]
    assert found.tolist() == pytest.approx(list(ends.values()))


@examples(60)
@given(PAGES)
def test_columns_of_blocks_by_themselves_and_of_their_neighbours(html: str):
    page = context_of(html)
    n, texts = len(page.blocks), page.blocks.texts()
    columns = page.columns_by_name((*OWN, *NEIGHBOURS))
    if not n:
        return
    tokens = [tokenize(text) for text in texts]
    all_words = max(sum(map(len, tokens)), 1)
    linked = page.blocks.measures.anchor_words.tolist()
    ends = page.blocks.page_text.block_ends
    owner = ends.searchsorted(page.blocks.anchors.start, side="right")
    assert np.allclose(columns["page_blocks"], np.log1p(n))
    assert np.allclose(columns["page_density"], sum(linked) / all_words)
    assert not columns["page_unspaced"].any()
    for index, words in enumerate(tokens):
        assert columns["log_words"][index] == pytest.approx(np.log1p(len(words)))
        assert columns["plain_words"][index] == pytest.approx(np.log1p(len(words) - linked[index]))
        length = len("".join(texts[index].split())) / max(len(words), 1)
        assert columns["word_length"][index] == pytest.approx(min(length, 30))
        assert columns["word_position"][index] == pytest.approx(sum(map(len, tokens[:index])) / all_words)
        assert columns["anchors"][index] == pytest.approx(np.log1p((owner == index).sum()))
        assert columns["occurrences"][index] == min(sum(sorted(words) == sorted(other) for other in tokens), 5)
        assert columns["previous_density"][index] == pytest.approx(page.density[index - 1] if index else 1.0)
        assert columns["next_density"][index] == pytest.approx(page.density[index + 1] if index < n - 1 else 1.0)
        assert columns["next_terminal"][index] == pytest.approx(columns["terminal"][index + 1] if index < n - 1 else 0)
