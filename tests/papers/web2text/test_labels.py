"""Labels of text leaves: as of blocks, and by the paper's configuration."""

import numpy as np
import pytest

from blockfeat.data import LabelledPage
from blockfeat.lang.identify import Identifier
from blockfeat.papers.web2text.leaves import leaf_measurer
from blockfeat.papers.web2text.trainer import LeafPageLabeller
from blockfeat.training.config import load_config

HTML = (
    "<h1>The harbour opens again</h1><p>one two three four five six seven</p><p>ten eleven twelve of which five go</p>"
)
GOLD = "The harbour opens again one two three four five six seven ten eleven twelve of"


@pytest.mark.parametrize(("name", "labels"), [("web2text", [False, True, True]), ("vogels2018", [True, True, False])])
def test_a_leaf_is_content_from_its_share_of_words_on(name: str, labels: list[bool]) -> None:
    config = load_config(name)[1]
    labeller = LeafPageLabeller(leaf_measurer(Identifier.build(), ()), config.labels, config.content_share)
    found = labeller(LabelledPage(id="1", html=HTML, corpus="own", lang="en", text=GOLD))
    assert (found.labels.tolist(), bool(np.ptp(found.weights))) == (labels, name == "web2text")
