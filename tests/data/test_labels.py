import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.blocks.blockify import cut_into_blocks
from blockfeat.blocks.tagtable import load_table
from blockfeat.data.corpus import LabelledPage, page_from_record, page_to_record, read_corpus, write_corpus
from blockfeat.data.labels import ROLES, BlockRoles, Marks, cut_digest, label_blocks, role_labels, snippet_labels
from blockfeat.data.validate import validate
from blockfeat.errors import CorpusError
from blockfeat.page.page import Page
from cases import CASES
from pages import article_page


def marks(n: int, **given: list[int]) -> Marks:
    made = {name: np.zeros(n, dtype=bool) for name in ("headline", "byline", "caption", "echo")}
    for name, places in given.items():
        made[name][places] = True
    return Marks(**made)


def test_content_by_share_and_low_weight_where_ambiguous():
    found = label_blocks(np.array([1.0, 0.6, 0.4, 0.1]), np.array([30, 30, 30, 30]), marks(4))
    assert (found.labels.tolist(), found.weights.tolist()) == ([1, 1, 0, 0], [1.0, 0.3, 0.3, 1.0])


def test_headline_and_byline_are_no_content_whatever_the_gold_says():
    share, words = np.array([1.0, 1.0, 1.0]), np.array([6, 4, 40])
    found = label_blocks(share, words, marks(3, headline=[0], byline=[1]))
    assert (found.labels.tolist(), found.weights.tolist()) == ([0, 0, 1], [1.0, 0.5, 1.0])


def test_short_content_before_the_first_long_block_says_nothing():
    found = label_blocks(np.array([1.0, 1.0, 1.0]), np.array([5, 40, 5]), marks(3))
    assert found.weights.tolist() == [0.0, 1.0, 1.0]


def test_captions_in_the_gold_say_nothing_and_others_are_no_content():
    share, words = np.array([1.0, 1.0, 0.0]), np.array([40, 10, 10])
    found = label_blocks(share, words, marks(3, caption=[1, 2]))
    assert (found.weights.tolist(), found.labels[2]) == ([1.0, 0.0, 1.0], 0)


def test_the_second_of_two_equal_texts_says_nothing():
    found = label_blocks(np.array([1.0, 0.0, 0.0]), np.array([40, 40, 40]), marks(3, echo=[0, 1]))
    assert (found.labels.tolist(), found.weights.tolist()) == ([1, 0, 0], [1.0, 0.0, 1.0])


def test_a_long_block_marked_as_headline_stays_content():
    assert label_blocks(np.array([1.0]), np.array([200]), marks(1, headline=[0])).labels.tolist() == [1]


def test_snippets_label_the_block_that_alone_has_them():
    texts = ["the lantern festival", "share this page", "share", "the mill and the mill"]
    found = snippet_labels(texts, ("lantern  festival", "the", ""), ("share",))
    assert (found.labels.tolist(), found.weights.tolist()) == ([1, 0, 0, 0], [1, 1, 1, 0])


def test_no_blocks():
    assert label_blocks(np.zeros(0), np.zeros(0, dtype=np.int64), marks(0)).labels.size == 0
    assert snippet_labels([], ("a",), ()).labels.size == 0


def test_roles_say_what_is_content_and_leave_open_blocks_out():
    found = role_labels(["clutter", "headline", "byline", "content", "caption", None])
    assert (found.labels.tolist(), found.weights.tolist()) == ([0, 0, 0, 1, 0, 0], [1, 1, 0.5, 1, 1, 0])


def roles_of(html: str, role: str | None = "clutter") -> BlockRoles:
    blocks = cut_into_blocks(Page.parse(html), load_table("html5"))
    return BlockRoles("html5", cut_digest(blocks), (role,) * len(blocks))


@given(st.lists(st.sampled_from([None, *ROLES])), st.text(max_size=20))
def test_roles_come_back_from_a_record(blocks: list[str | None], cut: str):
    page = LabelledPage("a", "<p>x", text="x", roles=BlockRoles("html5", cut, tuple(blocks)))
    assert page_from_record(page_to_record(page)) == page


def test_roles_are_written_and_read(tmp_path):
    page = LabelledPage("a", article_page(), text="", roles=roles_of(article_page()), corpus="c")
    write_corpus([page], tmp_path / "c.jsonl")
    assert list(read_corpus(tmp_path / "c.jsonl")) == [page]


@pytest.mark.parametrize(("value", "reason"), CASES["bad_roles_are_named"])
def test_bad_roles_are_named(value, reason: str):
    with pytest.raises(CorpusError, match="roles") as error:
        page_from_record({"id": "a", "html": "<p>x", "text": "x", "roles": value})
    assert reason in str(error.value)


def test_roles_fit_only_the_cut_that_they_are_of():
    blocks, other = (cut_into_blocks(Page.parse(article_page()), load_table(name)) for name in ("html5", "ziegler2007"))
    pages = (article_page(), article_page(3), article_page().replace("lighthouse", "light house"))
    assert [roles_of(page).fits(blocks) for page in pages] == [True, False, False]
    assert not roles_of(article_page()).fits(other)


def test_a_page_said_to_have_no_content_is_no_problem(tmp_path):
    said = LabelledPage("said", article_page(), text="", roles=roles_of(article_page()))
    unsaid = LabelledPage("unsaid", article_page(2), text="")
    write_corpus([said, unsaid], tmp_path / "c.jsonl")
    assert [(problem.kind, problem.line) for problem in validate(tmp_path / "c.jsonl").problems] == [("empty gold", 2)]


def test_roles_of_another_cut_are_reported(tmp_path):
    page = LabelledPage("a", article_page(), text="lighthouse", roles=roles_of(article_page(3), "content"))
    write_corpus([page], tmp_path / "c.jsonl")
    assert [problem.kind for problem in validate(tmp_path / "c.jsonl").problems] == ["roles"]
