from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.blocks import cut_into_blocks, load_table
from blockfeat.data import BlockRoles, LabelledPage, cut_digest
from blockfeat.errors import InputError
from blockfeat.page.page import Page
from blockfeat.training.evaluation.strategies import agreement, cohens_kappa
from pages import article_page


def labelled(id: str, content: set[int], *, headline: int | None = None, with_roles: bool = True) -> LabelledPage:
    """Return a page on which a labeller calls some blocks content."""
    html = article_page()
    blocks = cut_into_blocks(Page.parse(html), load_table("html5"))
    roles = ["content" if block in content else "clutter" for block in range(len(blocks))]
    if headline is not None:
        roles[headline] = "headline"
    text = "\n\n".join(blocks.texts(sorted(content)))
    given = BlockRoles("html5", cut_digest(blocks), tuple(roles)) if with_roles else None
    return LabelledPage(id=id, html=html, text=text, roles=given)


def content_of(html: str = article_page()) -> tuple[list[int], int, int]:
    """Return the blocks of the article, its headline, and the number of blocks."""
    blocks = cut_into_blocks(Page.parse(html), load_table("html5"))
    long = [block for block, words in enumerate(blocks.measures.words.tolist()) if words > 20]
    return long, long[0] - 1, len(blocks)


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
    long, headline, count = content_of()
    pages = [labelled(f"page {number}", set(long), headline=headline) for number in range(3)]
    found = agreement(pages, pages)
    assert (found.cosine, found.f1, found.kappa, found.role_kappa) == (1.0, 1.0, 1.0, 1.0)
    assert (found.kappa_by_role["headline"], found.kappa_by_role["byline"]) == (1.0, None)
    assert found.counts_by_role["headline"] == (3, 3)
    assert found.role_blocks == 3 * count
    assert found.worst(5) == []


def test_one_block_more_lowers_every_measure_as_counted_by_hand():
    long, headline, count = content_of()
    first = [labelled("same", set(long)), labelled("other", set(long)), labelled("alone", set(long))]
    second = [labelled("same", set(long)), labelled("other", {*long, headline})]
    found = agreement(first, second)
    assert [page.id for page in found.pages] == ["same", "other"]
    assert (found.only_first, found.only_second) == (1, 0)
    other = found.pages[1]
    assert (other.differing, other.blocks) == (1, count)
    content = len(long)
    observed = (count - 1) / count
    expected = (content * (content + 1) + (count - content) * (count - content - 1)) / count**2
    assert other.kappa == pytest.approx((observed - expected) / (1 - expected))
    # The second labeller's text has the four words of the headline more.
    words = len((first[0].text or "").split())
    assert other.f1 == pytest.approx(2 * words / (2 * words + 4))
    assert 0.9 < other.cosine < 1
    assert [page.id for page in found.worst(5)] == ["other"]
    assert found.f1 == pytest.approx((1 + other.f1) / 2)


def test_texts_without_roles_are_laid_on_the_blocks():
    long, _, _ = content_of()
    first = [labelled("page", set(long))]
    second = [labelled("page", set(long[1:]), with_roles=False)]
    found = agreement(first, second)
    assert found.pages[0].differing == 1
    assert found.role_blocks == 0
    assert found.role_kappa is None


def test_blocks_that_a_labeller_left_open_do_not_count():
    long, _, count = content_of()
    page = labelled("page", set(long))
    partial = BlockRoles("html5", page.roles.cut, (None, *page.roles.blocks[1:]))
    found = agreement([page], [LabelledPage("page", page.html, text=page.text, roles=partial)])
    assert found.pages[0].blocks == count - 1


def test_labellers_without_a_common_page_are_an_error():
    with pytest.raises(InputError, match="no page in common"):
        agreement([LabelledPage("a", "<p>x", text="x")], [LabelledPage("b", "<p>x", text="x")])
