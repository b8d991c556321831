"""Labels of text leaves: as of blocks, and as the paper has them."""

import numpy as np
import pytest

from blockfeat.data import LabelledPage
from blockfeat.lang.identify import Identifier
from blockfeat.papers.web2text.leaves import leaf_measurer
from blockfeat.papers.web2text.trainer import LeafPageLabeller
from blockfeat.training.config import load_config
from blockfeat.training.examples import LabelOptions

HTML = (
    "<h1>The harbour opens again</h1><p>one two three four five six seven</p><p>ten eleven twelve of which five go</p>"
)
GOLD = "The harbour opens again one two three four five six seven ten eleven twelve of"


@pytest.mark.parametrize(("share", "labels"), [(0.0, [False, True, True]), (2 / 3, [True, True, False])])
def test_a_leaf_is_content_from_its_share_of_words_on(share: float, labels: list[bool]) -> None:
    labeller = LeafPageLabeller(leaf_measurer(Identifier.build(), ()), LabelOptions(), share)
    found = labeller(LabelledPage(id="1", html=HTML, corpus="own", lang="en", text=GOLD))
    assert found.labels.tolist() == labels
    assert bool(np.ptp(found.weights)) == (share == 0)


def test_the_configuration_of_the_paper_has_its_labels() -> None:
    assert load_config("vogels2018")[1].content_share == pytest.approx(2 / 3, abs=1e-3)
