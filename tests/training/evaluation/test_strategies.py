import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.blocks import cut_into_blocks, load_table
from blockfeat.data import BlockRoles, LabelledPage, cut_digest
from blockfeat.errors import InputError
from blockfeat.page.page import Page
from blockfeat.training.evaluation.strategies import agreement, cohens_kappa
from pages import article_page

HTML = article_page()
BLOCKS = cut_into_blocks(Page.parse(HTML), load_table("html5"))
COUNT = len(BLOCKS)
# The blocks of the article, and its headline.
LONG = [block for block, words in enumerate(BLOCKS.measures.words.tolist()) if words > 20]
HEADLINE = LONG[0] - 1


def labelled(id: str, content: list[int], *, headline: int | None = None, with_roles: bool = True) -> LabelledPage:
    """Return a page on which a labeller calls some blocks content."""
    roles = ["content" if block in content else "clutter" for block in range(COUNT)]
    if headline is not None:
        roles[headline] = "headline"
    given = BlockRoles("html5", cut_digest(BLOCKS), tuple(roles)) if with_roles else None
    return LabelledPage(id=id, html=HTML, text="\n\n".join(BLOCKS.texts(sorted(content))), roles=given)


def test_kappa_of_three_labels_by_hand():
    # 200 patients, three diagnoses; agreement on the diagonal.
    table = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]
    first = [row for row, counts in enumerate(table) for count in counts for _ in range(count)]
    second = [column for counts in table for column, count in enumerate(counts) for _ in range(count)]
    # p = 140/200 = .70; e = (120·100 + 60·60 + 20·40) / 200² = .41.
    assert cohens_kappa(first, second) == pytest.approx((0.70 - 0.41) / (1 - 0.41))
    # Chance alone agrees.
    assert cohens_kappa([], []) is cohens_kappa(["rest"] * 5, ["rest"] * 5) is None


@given(st.lists(st.sampled_from("abc"), min_size=2).filter(lambda labels: len(set(labels)) > 1))
def test_kappa_is_one_for_the_same_labels_and_symmetric(labels: list[str]):
    assert cohens_kappa(labels, labels) == pytest.approx(1.0)
    turned = labels[1:] + labels[:1]
    kappa = cohens_kappa(labels, turned)
    assert 1.0 >= kappa == pytest.approx(cohens_kappa(turned, labels))


def test_the_same_labels_agree_in_full():
    pages = [labelled(f"page {number}", LONG, headline=HEADLINE) for number in range(3)]
    found = agreement(pages, pages)
    assert (found.cosine, found.f1, found.kappa, found.role_kappa) == (1.0, 1.0, 1.0, 1.0)
    assert (found.kappa_by_role["headline"], found.kappa_by_role["byline"]) == (1.0, None)
    assert ((found.counts_by_role["headline"], found.role_blocks), found.worst(5)) == (((3, 3), 3 * COUNT), [])


def test_one_block_more_lowers_every_measure_as_counted_by_hand():
    first = [labelled("same", LONG), labelled("other", LONG), labelled("alone", LONG)]
    second = [labelled("same", LONG), labelled("other", [*LONG, HEADLINE])]
    found = agreement(first, second)
    assert [page.id for page in found.pages] == ["same", "other"]
    assert (found.only_first, found.only_second) == (1, 0)
    other = found.pages[1]
    assert (other.differing, other.blocks) == (1, COUNT)
    content = len(LONG)
    observed = (COUNT - 1) / COUNT
    expected = (content * (content + 1) + (COUNT - content) * (COUNT - content - 1)) / COUNT**2
    assert other.kappa == pytest.approx((observed - expected) / (1 - expected))
    # The second labeller's text has the four words of the headline more.
    words = len((first[0].text or "").split())
    assert other.f1 == pytest.approx(2 * words / (2 * words + 4))
    assert 0.9 < other.cosine < 1
    assert [page.id for page in found.worst(5)] == ["other"]
    assert found.f1 == pytest.approx((1 + other.f1) / 2)


def test_texts_without_roles_are_laid_on_the_blocks():
    first = [labelled("page", LONG)]
    second = [labelled("page", LONG[1:], with_roles=False)]
    found = agreement(first, second)
    assert (found.pages[0].differing, found.role_blocks) == (1, 0)
    assert found.role_kappa is None


def test_blocks_that_a_labeller_left_open_do_not_count():
    page = labelled("page", LONG)
    partial = BlockRoles("html5", page.roles.cut, (None, *page.roles.blocks[1:]))
    found = agreement([page], [LabelledPage("page", page.html, text=page.text, roles=partial)])
    assert found.pages[0].blocks == COUNT - 1


def test_labellers_without_a_common_page_are_an_error():
    with pytest.raises(InputError, match="no page in common"):
        agreement([LabelledPage("a", "<p>x", text="x")], [LabelledPage("b", "<p>x", text="x")])
