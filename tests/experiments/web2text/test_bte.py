from itertools import combinations_with_replacement

from hypothesis import given
from hypothesis import strategies as st

from experiments.web2text.bte import BodyTextExtractor, body_leaves
from leaves_of import leaves_of
from pages import SENTENCES, article_page

TOKENS = st.lists(st.sampled_from(["<br/>", "word ", "two words "]), min_size=1, max_size=12)


def test_the_article_of_a_page():
    text = BodyTextExtractor.make()(article_page(6))
    assert all(sentence in text for sentence in SENTENCES)
    assert "Section 3" not in text
    assert "Imprint" not in text


@given(TOKENS)
def test_no_stretch_has_more_words_inside_and_tags_outside(tokens):
    """Check the objective as the paper writes it, over all stretches of the page's tokens."""
    blocks = leaves_of("<p>" + "".join(tokens) + "</p>").blocks
    bits = [token for part in tokens for token in ([1] if part == "<br/>" else [0] * len(part.split()))]

    def objective(start, end):
        return sum(bits[:start]) + (end - start - sum(bits[start:end])) + sum(bits[end:])

    best = max(objective(*stretch) for stretch in combinations_with_replacement(range(len(bits) + 1), 2))
    kept = body_leaves(blocks)
    places = [place for place, bit in enumerate(bits) if bit == 0]
    words = blocks.measures.words
    owner = [leaf for leaf, count in enumerate(words.tolist()) for _ in range(count)]
    inside = [place for place, leaf in zip(places, owner, strict=True) if kept[leaf]]
    assert (objective(inside[0], inside[-1] + 1) if inside else objective(0, 0)) == best


def test_a_page_without_text():
    assert (body_leaves(leaves_of("<p></p>").blocks).shape, BodyTextExtractor.make()("")) == ((0,), "")
