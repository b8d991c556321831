from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from blockfeat.data.corpus import LabelledPage
from experiments.labelled_site import labelled_by_gold, site_rows
from experiments.labelling_session import runs_of
from labelled_site_pages import SENTENCES, site_page


@given(st.lists(st.tuples(st.booleans(), st.booleans())))
def test_corrections_by_runs_make_wrong_labels_right(pairs: list[tuple[bool, bool]]):
    have, want = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    for first, last in runs_of(have, want):
        assert len({have[block] for block in range(first, last + 1)}) == 1
        have[first : last + 1] = [not have[first]] * (last + 1 - first)
    assert have == want


def test_the_gold_labels_the_blocks_that_it_has():
    gold = "\n".join(SENTENCES[:4])
    page = labelled_by_gold(LabelledPage("a", site_page(0), text=gold))
    assert page.roles is not None
    assert page.roles.has_content
    assert page.text is not None
    assert SENTENCES[0] in page.text
    assert "Read more" not in page.text


def test_models_trained_on_some_pages_are_scored_on_the_others():
    pages = []
    for number in range(8):
        texts = labelled_by_gold(LabelledPage(str(number), site_page(number), text="\n".join(SENTENCES * 2))).text
        pages.append(LabelledPage(str(number), site_page(number), text=texts))
    rows = site_rows(pages, count=5, seeds=[0], most=2)
    assert [row[0] for row in rows] == ["0", "mean"]
    assert rows[0][1:] == rows[1][1:]
    assert all(float(cell) > 0.9 for cell in rows[0][1:3])
