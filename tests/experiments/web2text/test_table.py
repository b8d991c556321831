import numpy as np

from blockfeat.papers.web2text.features import BLOCK_FEATURES, EDGE_FEATURES, LeafFeatures
from blockfeat.papers.web2text.model import LeafLabeller
from experiments.web2text.leaf_pages import BlockScores, LeafPage, PageSplit
from experiments.web2text.table import INTERPOLATIONS, interpolation_table, split_table
from leaves_of import network


def labeller(content: float) -> LeafLabeller:
    """A labeller that answers the same everywhere."""
    unary = network(len(BLOCK_FEATURES), 2)
    unary.layers[-1].bias[1] = content
    return LeafLabeller(unary, network(len(EDGE_FEATURES), 4))


def test_f1_by_interpolation_has_a_row_for_each_split_and_the_spread_of_its_models():
    leaves, edges = ((4, len(BLOCK_FEATURES)), (3, len(EDGE_FEATURES)))
    features = LeafFeatures(np.zeros(leaves, dtype=np.float32), np.zeros(edges, dtype=np.float32))
    page = LeafPage("demo", "1", features, np.array([True, False, False, True]), {})
    split = PageSplit("original", (), (), (page,))
    table = interpolation_table({"original": [labeller(9.0), labeller(-9.0)]}, [split]).splitlines()
    assert table[0] == "| split | λ = 0 | λ = 0.1 | λ = 0.3 | λ = 1 |"
    assert table[2:] == ["| original |" + " 0.333 (0.000 to 0.667) |" * len(INTERPOLATIONS)]
    rows = split_table({name: BlockScores(0.8, 0.7, 0.6, 0.65, 4) for name in ("CRF", "other")}, 1).splitlines()
    assert [row[:22] for row in rows[2:]] == ["| CRF | 0.800 (.82) | ", "| other | 0.800 | 0.70"]
