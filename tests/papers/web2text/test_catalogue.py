from blockfeat.papers.web2text.features import BLOCK_FEATURES, EDGE_FEATURES, ranges


def named(identifier):
    return next(feature for feature in (*BLOCK_FEATURES, *EDGE_FEATURES) if feature.identifier == identifier)


def test_there_are_as_many_as_in_the_paper():
    assert [feature.identifier for feature in BLOCK_FEATURES] == [f"b{number}" for number in range(1, 129)]
    assert [feature.identifier for feature in EDGE_FEATURES] == [f"e{number}" for number in range(1, 26)]


def test_names_are_unique():
    names = [feature.name for feature in BLOCK_FEATURES]
    assert len(set(names)) == 128
    assert len({feature.name for feature in EDGE_FEATURES}) == 25


def test_numbers_of_the_appendix():
    wanted = {
        "b5": "log_words",
        "b22": "capital_ratio_cubed",
        "b26": "position",
        "b30": "parent_anchor_ratio",
        "b31": "parent_average_word_length",
        "b47": "parent_capital_ratio_cubed",
        "b48": "parent_has_form_element",
        "b49": "parent_tag_td",
        "b69": "has_grandparent",
        "b70": "grandparent_page_share",
        "b89": "grandparent_has_form_element",
        "b90": "root_page_share",
        "b110": "tag_a",
        "b128": "tag_blockquote",
        "e5": "line_break",
        "e6": "common_page_share",
        "e25": "common_has_form_element",
    }
    assert {identifier: named(identifier).name for identifier in wanted} == wanted


def test_ranges():
    low, high = ranges(tuple(named(name) for name in ("b5", "b6", "b10", "b9", "b34", "b1")))
    assert low.tolist() == [0, 3, -4, 2.5, 2.5, 0]
    assert high.tolist() == [3.5, 15, -2.5, 5.5, 10, 1]


def test_each_says_where_it_is_from():
    assert all("Vogels" in feature.source and feature.unit for feature in (*BLOCK_FEATURES, *EDGE_FEATURES))
