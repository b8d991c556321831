from blockfeat.data import BlockRoles, LabelledPage, cut_digest
from blockfeat.page.page import Page
from blockfeat.training.examples import LabelOptions, PageLabeller, context_measurer
from pages import article_page

LABELLER = PageLabeller(context_measurer("html5"), LabelOptions())
BLOCKS = LABELLER.measurer.measure(Page.parse(article_page())).blocks


def test_roles_count_before_the_text_where_they_are_of_the_cut():
    first = int((BLOCKS.measures.words > 20).argmax())
    roles = ["clutter"] * len(BLOCKS)
    roles[first] = "content"
    text = "\n\n".join(BLOCKS.texts())
    given = BlockRoles("html5", cut_digest(BLOCKS), tuple(roles))
    by_roles, _, _ = LABELLER.label(LabelledPage("a", article_page(), text=text, roles=given))
    assert by_roles.label.nonzero()[0].tolist() == [first]
    stale = BlockRoles("html5", "of another cut", tuple(roles))
    by_text, _, _ = LABELLER.label(LabelledPage("a", article_page(), text=text, roles=stale))
    assert by_text.label.sum() > 1


def test_a_page_without_content_can_be_learnt_from():
    given = BlockRoles("html5", cut_digest(BLOCKS), ("clutter",) * len(BLOCKS))
    found, _, _ = LABELLER.label(LabelledPage("a", article_page(), text="", roles=given))
    assert not found.label.any()
    assert found.weight.min() > 0
