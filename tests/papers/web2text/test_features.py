import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.papers.web2text.features import BLOCK_FEATURES, EDGE_FEATURES, page_features, ranges
from leaves_of import leaves_of
from pages import article_page

BLOCKS = {feature.name: place for place, feature in enumerate(BLOCK_FEATURES)}
EDGES = {feature.name: place for place, feature in enumerate(EDGE_FEATURES)}
PAGE = (
    "<body><h1>Header</h1><p>Paragraph with an <i>Italic</i> section.</p>"
    "<ul><li><a href=x>One © 2004?</a></li><li><a href=x>Two</a></li></ul>"
    "<form><div class=k><span>deep</span></div><br>tail<input></form></body>"
)


def column(html, name):
    features = page_features(leaves_of(html))
    return (features.blocks[:, BLOCKS[name]] if name in BLOCKS else features.edges[:, EDGES[name]]).tolist()


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        *(("capital_ratio", [1, 1 / 3, 1, 0, 0.5, 1, 0, 0]), ("ends_in_question_mark", [0, 0, 0, 0, 1, 0, 0, 0])),
        *(("has_copyright_sign", [0, 0, 0, 0, 1, 0, 0, 0]), ("parent_has_copyright_sign", [1, 0, 0, 0, 1, 1, 0, 0])),
        *(("tag_a", [0, 0, 0, 0, 1, 1, 0, 0]), ("tag_li", [0, 0, 0, 0, 1, 1, 0, 0])),
        *(("tag_i", [0, 0, 1, 0, 0, 0, 0, 0]), ("tag_span", [0, 0, 0, 0, 0, 0, 1, 0])),
        *(("parent_tag_p", [0, 1, 1, 1, 0, 0, 0, 0]), ("parent_tag_ul", [0, 0, 0, 0, 1, 1, 0, 0])),
        *(("parent_tag_ul_2", [0, 0, 0, 0, 1, 1, 0, 0]), ("parent_tag_body", [1, 0, 0, 0, 0, 0, 0, 0])),
        *(("parent_tag_form", [0, 0, 0, 0, 0, 0, 1, 1]), ("parent_has_form_element", [1, 0, 0, 0, 0, 0, 1, 1])),
        *(("root_has_form_element", [1] * 8), ("has_parent", [1] * 8), ("has_grandparent", [0, 1, 1, 1, 1, 1, 1, 1])),
        *(("parent_anchor_ratio", [14 / 59, 0, 0, 0, 1, 1, 0, 0]), ("root_page_share", [1] * 8)),
        ("log_words", [0, np.log(3), 0, 0, np.log(2), 0, 0, 0]),
        ("log_characters", [2.5, np.log(17), 2.5, 2.5, 2.5, 2.5, 2.5, 2.5]),
        *(("distance_2", [0, 1, 1, 0, 1, 0, 1]), ("distance_3", [1, 0, 0, 0, 0, 0, 0])),
        *(("distance_4", [0, 0, 0, 1, 0, 1, 0]), ("line_break", [1, 0, 0, 1, 1, 1, 1])),
        ("common_anchor_ratio", [14 / 59, 0, 0, 14 / 59, 1, 14 / 59, 0]),
        ("common_has_form_element", [1, 0, 0, 1, 0, 1, 1]),
    ],
)
def test_features(name, wanted):
    assert column(PAGE, name) == pytest.approx(wanted, abs=0.01)


def test_counts_of_duplicates_and_punctuation():
    html = "<p>More</p>" * 3 + "<p>Less</p>" + "<p>Many</p>" * 11
    assert column(html, "has_duplicate") == [1] * 3 + [0] + [1] * 11
    assert column(html, "has_10_duplicates") == [0] * 4 + [1] * 11
    assert column("<p>one</p><p>two" + "!" * 25 + "</p>", "punctuation") == [0, 25]  # a count without a bound


def test_position_is_where_a_leaf_starts():
    # Ten bytes from the first leaf's start to the second's, and five in the second: 15 from the first to the end.
    assert column("<p>abc</p><p>defgh</p>", "position") == pytest.approx([0, 10 / 15])
    found = column(article_page(), "position")
    assert (found, found[0]) == (sorted(found), 0)
    assert 0.9 < found[-1] < 1
    assert column(article_page(), "position_squared") == pytest.approx([value**2 for value in found])


def test_what_a_page_does_not_have_is_nan():
    features = page_features(leaves_of("<p>alone</p>"))
    assert features.edges.shape == (0, 25)
    row = dict(zip(BLOCKS, features.blocks[0].tolist(), strict=True))
    assert row["has_parent"] == row["has_grandparent"] == 0
    assert np.isnan([row["parent_log_characters"], row["grandparent_page_share"]]).all()
    assert row["root_page_share"] == row["tag_p"] == 1
    words = "<p>one</p><p>***</p>"
    assert column(words, "has_word") == [1, 0]
    assert np.isnan(column(words, "average_word_length")).tolist() == [False, True]


@pytest.mark.parametrize("html", ["", "<html></html>", "<p> &nbsp; </p>", "<script>x</script>"])
def test_a_page_without_text(html):
    features = page_features(leaves_of(html))
    assert (features.blocks.shape, features.edges.shape) == ((0, 128), (0, 25))


@given(st.text(alphabet="<>/abdivp \n\"'=.&;é中©@1?:", max_size=300))
def test_any_page_gives_values_within_range(html):
    # Behind a tag, so that no text is taken for a path.
    features = page_features(leaves_of(f"<p>{html}"))
    assert features.edges.shape[0] == max(features.blocks.shape[0] - 1, 0)
    for matrix, known in ((features.blocks, BLOCK_FEATURES), (features.edges, EDGE_FEATURES)):
        for values, feature in zip(matrix.T, known, strict=True):
            seen = values[~np.isnan(values)]
            assert np.isfinite(seen).all(), feature.name
            assert ((seen >= feature.low) & (seen <= feature.high + 1e-6)).all(), feature.name
            if feature.is_binary:
                assert np.isin(seen, (0, 1)).all(), feature.name


def named(identifier):
    return next(feature for feature in (*BLOCK_FEATURES, *EDGE_FEATURES) if feature.identifier == identifier)


def test_there_are_as_many_as_in_the_paper_with_names_of_their_own():
    for features, letter, count in ((BLOCK_FEATURES, "b", 128), (EDGE_FEATURES, "e", 25)):
        assert [feature.identifier for feature in features] == [f"{letter}{place}" for place in range(1, count + 1)]
        assert len({feature.name for feature in features}) == count
        assert all(feature.unit for feature in features)


def test_numbers_of_the_appendix():
    wanted = (
        "b5 log_words, b22 capital_ratio_cubed, b26 position, b30 parent_anchor_ratio, b31 parent_average_word_length, "
        "b47 parent_capital_ratio_cubed, b48 parent_has_form_element, b49 parent_tag_td, b69 has_grandparent, "
        "b70 grandparent_page_share, b89 grandparent_has_form_element, b90 root_page_share, b110 tag_a, "
        "b128 tag_blockquote, e5 line_break, e6 common_page_share, e25 common_has_form_element"
    )
    for identifier, name in map(str.split, wanted.split(",")):
        assert named(identifier).name == name


def test_ranges():
    low, high = ranges(tuple(named(name) for name in ("b5", "b6", "b10", "b9", "b34", "b1")))
    assert (low.tolist(), high.tolist()) == ([0, 3, -4, 2.5, 2.5, 0], [3.5, 15, -2.5, 5.5, 10, 1])
