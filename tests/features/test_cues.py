from __future__ import annotations

import numpy as np
import pytest

from blockfeat.features.cues import bundled_cues
from blockfeat.page.page import Page


def kinds_of(markup: str) -> set[str]:
    tags = Page.parse(f"<body>{markup}text").tags
    assert tags is not None
    cues = bundled_cues()
    bits = int(cues.of_elements(tags, np.arange(len(tags))).bits[-1])
    return {kind for place, kind in enumerate(cues.kinds) if bits >> place & 1}


@pytest.mark.parametrize(
    ("markup", "kind"),
    [
        ("<div class=Kommentare>", "comment"),
        ("<div class='box articleBody'>", "positive"),
        ("<div id=cookie-banner>", "consent"),
        ("<div role=complementary>", "aside"),
        ("<div role=navigation>", "nav"),
        ("<div itemprop=articleBody>", "itembody"),
        ("<div itemprop=datePublished>", "byline"),
        ("<div style='display: none'>", "hidden"),
        ("<div style='display:none;color:red'>", "hidden"),
        ("<div aria-hidden=true>", "hidden"),
        ("<div hidden=hidden>", "hidden"),
        ("<div class=verwandte_artikel>", "related"),
        ("<div class=commentaires>", "comment"),
        ("<div class=publicidad>", "advertisement"),
        ("<div class=treść>", "positive"),
        ("<div data-testid=related-stories>", "related"),
        ("<aside>", "aside"),
        ("<h1>", "h1"),
    ],
)
def test_kinds_of_one_element(markup: str, kind: str):
    assert kind in kinds_of(markup)


@pytest.mark.parametrize(
    "markup",
    [
        "<div>",
        "<div class=''>",
        "<div class='x1 -- 42'>",
        "<div aria-hidden=false>",
        "<div style='display:block'>",
        "<div data-class=comment>",
        "<div title='class=&quot;comment&quot;'>",
        "<div class=asidebar>",
    ],
)
def test_elements_that_say_nothing(markup: str):
    assert kinds_of(markup) == set()


def test_whole_words_and_stems():
    assert "advertisement" in kinds_of("<div class=ad>")
    assert "advertisement" not in kinds_of("<div class=adjust>")
    assert "comment" in kinds_of("<div class=commentary>")


def test_names_tell_tags_and_classes_apart_but_not_digits():
    tags = Page.parse(
        "<div class='post-1 big'>a</div><div class='big post-22'>b</div><div class=post>c</div><p class='post big'>d"
    ).tags
    assert tags is not None
    names = bundled_cues().of_elements(tags, np.arange(len(tags))).names[2:].tolist()
    assert names[0] == names[1]
    assert len(set(names)) == 3


def test_quotes_in_names_of_attributes_do_not_upset_what_follows():
    tags = Page.parse('<body><p a"b=1 c>x</p><p class=comment>y</p>').tags
    assert tags is not None
    cues = bundled_cues()
    assert cues.of_elements(tags, np.arange(len(tags))).bits[-1] & cues.masks["comment"]
