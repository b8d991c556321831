"""The parts of a page."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.extraction.parts import ROLES, block_roles
from blocks_of import blocks_of

PAGE = """<body><header><a href="/">Home</a></header><main><h1>The lighthouse is saved</h1>
{lead}
<p>Work begins in May, said the mayor of the town, and will last a year.</p>
<figure><figcaption>The lighthouse in spring</figcaption></figure>
<p>Nobody spoke against it but the keeper, who likes the quiet there.</p></main>
<section class="comments"><p>I am glad of it, for my father built it.</p><p><a href="/r">Reply</a></p></section>
<footer>Imprint</footer></body>"""


def roles(lead: str, *, dropped: Sequence[str] = ("Home", "Imprint", "Reply")) -> dict[str, str]:
    blocks = blocks_of(PAGE.format(lead=lead))
    texts = blocks.texts()
    kept = np.array([text not in dropped for text in texts])
    headline = texts.index("The lighthouse is saved")
    return dict(zip(texts, block_roles(blocks, kept, headline), strict=True))


def test_every_part_of_an_article() -> None:
    found = roles('<p class="standfirst">The council gives way after a long debate.</p>')
    assert list(found.values()) == [
        "clutter", "headline", "lead", "body", "caption", "body", "comment", "clutter", "clutter",
    ]  # fmt: skip


def test_a_sub_heading_behind_the_headline_is_the_lead() -> None:
    found = roles("<h2>The council gives way after a long and bitter debate</h2>")
    assert [text[:11] for text, role in found.items() if role == "lead"] == ["The council"]


def test_the_first_paragraph_is_the_lead_where_there_is_no_standfirst() -> None:
    found = roles("")
    assert [text[:11] for text, role in found.items() if role == "lead"] == ["Work begins"]


def test_parts_that_are_not_kept_are_told_too() -> None:
    dropped = ("Home", "Imprint", "Reply", "The lighthouse is saved", "I am glad of it, for my father built it.")
    found = roles("", dropped=dropped)
    assert found["The lighthouse is saved"] == "headline"
    assert found["I am glad of it, for my father built it."] == "comment"
    assert found["Imprint"] == "clutter"


def test_a_text_of_one_block_is_body() -> None:
    blocks = blocks_of("<p>The only paragraph of this page has a few more than eight words.</p>")
    assert block_roles(blocks, np.array([True]), None) == ("body",)


@given(kept=st.lists(st.booleans(), min_size=9, max_size=9), headline=st.none() | st.integers(0, 8))
def test_every_block_has_one_role_and_no_kept_block_is_clutter(kept: list[bool], headline: int | None) -> None:
    blocks = blocks_of(PAGE.format(lead="<p>The council gives way.</p>"))
    found = block_roles(blocks, np.array(kept), headline)
    assert len(found) == len(blocks)
    assert set(found) <= set(ROLES)
    assert all(role != "clutter" for role, is_kept in zip(found, kept, strict=True) if is_kept)
    assert all(is_kept for role, is_kept in zip(found, kept, strict=True) if role in ("lead", "body"))
