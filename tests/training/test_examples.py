from __future__ import annotations

from blockfeat.data import BlockRoles, LabelledPage, cut_digest
from blockfeat.page.page import Page
from blockfeat.training.examples import LabelOptions, PageLabeller, context_measurer
from pages import article_page


def test_roles_count_before_the_text_where_they_are_of_the_cut():
    labeller = PageLabeller(context_measurer("html5"), LabelOptions())
    html = article_page()
    blocks = labeller.measurer.measure(Page.parse(html)).blocks
    first = int((blocks.measures.words > 20).argmax())
    roles = ["clutter"] * len(blocks)
    roles[first] = "content"
    text = "\n\n".join(blocks.texts())
    given = BlockRoles("html5", cut_digest(blocks), tuple(roles))
    by_roles, _, _ = labeller.label(LabelledPage("a", html, text=text, roles=given))
    assert by_roles.label.nonzero()[0].tolist() == [first]
    stale = BlockRoles("html5", "of another cut", tuple(roles))
    by_text, _, _ = labeller.label(LabelledPage("a", html, text=text, roles=stale))
    assert by_text.label.sum() > 1


def test_a_page_without_content_can_be_learnt_from():
    labeller = PageLabeller(context_measurer("html5"), LabelOptions())
    blocks = labeller.measurer.measure(Page.parse(article_page())).blocks
    given = BlockRoles("html5", cut_digest(blocks), ("clutter",) * len(blocks))
    found, _, _ = labeller.label(LabelledPage("a", article_page(), text="", roles=given))
    assert not found.label.any()
    assert found.weight.min() > 0
