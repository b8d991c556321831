from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.papers.web2text.collapsed import CollapsedDom
from leaves_of import leaves_of

TREES = st.recursive(st.just("word"), lambda children: st.lists(children, max_size=4), max_leaves=20)


def markup(tree):
    if isinstance(tree, str):
        return tree
    return "<div>" + "<br>".join(markup(child) for child in tree) + "</div>"


def collapse(tree):
    """Drop empty nodes and merge nodes with one child, by the definition of the paper."""
    if isinstance(tree, str):
        return tree
    children = [found for found in map(collapse, tree) if found is not None]
    if not children:
        return None
    return children[0] if len(children) == 1 else children


def ancestors_of_leaves(tree, above=()):
    if isinstance(tree, str):
        return [above]
    return [found for child in tree for found in ancestors_of_leaves(child, (*above, id(tree)))]


@given(st.lists(TREES, max_size=5))
def test_the_tree_is_that_of_the_definition(tree):
    root = collapse(tree)
    dom = CollapsedDom.of(leaves_of(markup(tree)).blocks)
    above = [] if root is None else ancestors_of_leaves(root)
    assert dom.leaf_parent.size == len(above)
    if len(above) < 2:
        assert dom.leaf_parent.tolist() == [-1] * len(above)
        return
    assert (dom.depth[dom.leaf_parent] + 1).tolist() == [len(found) for found in above]
    nodes = [found[-1] for found in above]
    same = [[one == two for two in nodes] for one in nodes]
    assert (dom.leaf_parent[:, None] == dom.leaf_parent[None, :]).tolist() == same
    pairs = list(pairwise(above))
    shared = [sum(a == b for a, b in zip(one, two, strict=False)) for one, two in pairs]
    assert (dom.depth[dom.common] + 1).tolist() == shared
    assert dom.distances().tolist() == [
        len(one) + len(two) - 2 * (common - 1) for (one, two), common in zip(pairs, shared, strict=True)
    ]


def test_the_example_of_the_paper():
    dom = CollapsedDom.of(
        leaves_of("<ul><li><a>One</a></li><li><b><a>Two</a></b></li></ul><p>Three <i>four</i></p>").blocks
    )
    # Root, list and paragraph are nodes; list elements belong to their leaves.
    assert list(zip(dom.first.tolist(), dom.end.tolist(), strict=True)) == [(0, 4), (0, 2), (2, 4)]
    assert dom.parent.tolist() == [-1, 0, 0]
    assert dom.distances().tolist() == [2, 4, 2]


def test_a_page_with_one_leaf_has_a_root_and_no_parent():
    dom = CollapsedDom.of(leaves_of("<div><p>Alone</p></div>").blocks)
    assert (dom.first.tolist(), dom.end.tolist(), dom.leaf_parent.tolist()) == ([0], [1], [-1])
    assert dom.common.size == dom.distances().size == 0


def test_deep_nesting_is_one_node():
    dom = CollapsedDom.of(leaves_of("<div>" * 300 + "a<br>b" + "</div>" * 300).blocks)
    assert dom.first.size == 1
    assert np.all(dom.leaf_parent == 0)
