from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.blocks.cut import cut_into_blocks
from blockfeat.blocks.tagtable import load_table
from blockfeat.data.block_roles import ROLES, BlockRoles, cut_digest
from blockfeat.data.corpus import LabelledPage, page_from_record, page_to_record, read_corpus, write_corpus
from blockfeat.data.validate import validate
from blockfeat.errors import CorpusError
from blockfeat.page.page import Page
from pages import article_page


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


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ([], "is an array, not an object"),
        ({"table": "html5", "cut": "x"}, "needs the strings"),
        ({"table": 5, "cut": "x", "blocks": []}, "needs the strings"),
        ({"table": "html5", "cut": "x", "blocks": ["title"]}, "'title' is none of content, headline"),
        ({"table": "html5", "cut": "x", "blocks": [3]}, "3 is none of"),
        ({"table": "html5", "cut": "x", "blocks": [[]]}, "is none of"),
    ],
)
def test_bad_roles_are_named(value, reason: str):
    with pytest.raises(CorpusError, match="roles") as error:
        page_from_record({"id": "a", "html": "<p>x", "text": "x", "roles": value})
    assert reason in str(error.value)


def test_roles_fit_only_the_cut_that_they_are_of():
    blocks = cut_into_blocks(Page.parse(article_page()), load_table("html5"))
    assert roles_of(article_page()).fits(blocks)
    assert not roles_of(article_page(3)).fits(blocks)
    assert not roles_of(article_page().replace("lighthouse", "light house")).fits(blocks)
    other = cut_into_blocks(Page.parse(article_page()), load_table("ziegler2007"))
    assert not roles_of(article_page()).fits(other)


def test_a_page_said_to_have_no_content_is_no_problem(tmp_path):
    said = LabelledPage("said", article_page(), text="", roles=roles_of(article_page()))
    unsaid = LabelledPage("unsaid", article_page(2), text="")
    write_corpus([said, unsaid], tmp_path / "c.jsonl")
    assert [(problem.kind, problem.line) for problem in validate(tmp_path / "c.jsonl").problems] == [("empty gold", 2)]


def test_roles_of_another_cut_are_reported(tmp_path):
    page = LabelledPage("a", article_page(), text="lighthouse", roles=roles_of(article_page(3), "content"))
    write_corpus([page], tmp_path / "c.jsonl")
    report = validate(tmp_path / "c.jsonl")
    assert [problem.kind for problem in report.problems] == ["roles"]
    assert report.readable
