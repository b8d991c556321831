"""Containers by the word that makes them what they are."""

from __future__ import annotations

from blockfeat.features.phrases import ContainerNames
from blocks_of import blocks_of

PAGE = """<html><body><div class="page"><main><p>The first text of the page, which is here.</p></main>
<div class="box relatedPosts wide"><ul><li>One</li></ul></div><aside><p>Two</p></aside>
<div id="comments"><div><p>Three</p></div></div></div></body></html>"""


def names(feature: str) -> list[str | None]:
    blocks = blocks_of(PAGE)
    found = ContainerNames(blocks)
    return [found.around(block, feature) for block in range(len(blocks))]


def test_a_class_or_id_is_named() -> None:
    assert names("around_related") == [None, "'relatedPosts'", None, None]
    assert names("around_comment") == [None, None, None, "'comments'"]


def test_an_element_is_named_by_its_tag() -> None:
    assert names("around_aside") == [None, None, "<aside>", None]


def test_what_a_page_writes_is_cut_and_cleaned() -> None:
    page = (
        f"<body><div><div class='related-{'x' * 99}&quot;&lt;b&gt;'><p>One</p></div><p>{'two ' * 20}</p></div></body>"
    )
    found = ContainerNames(blocks_of(page)).around(0, "around_related")
    assert found is not None
    assert len(found) <= 32
    assert not set(found) & set('<>"')
