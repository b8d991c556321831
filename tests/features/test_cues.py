import numpy as np
import pytest

from blockfeat.features.cues import bundled_cues
from blockfeat.page.page import Page
from cases import CASES


def kinds_of(markup: str) -> set[str]:
    tags = Page.parse(f"<body>{markup}text").tags
    assert tags is not None
    cues = bundled_cues()
    bits = int(cues.of_elements(tags, np.arange(len(tags))).bits[-1])
    return {kind for place, kind in enumerate(cues.kinds) if bits >> place & 1}


@pytest.mark.parametrize(("kind", "attributes"), CASES["kinds_of_one_element"])
def test_kinds_of_one_element(kind: str, attributes: str):
    for each in attributes.split(" / "):
        found = kinds_of(f"<div {each}>")
        assert kind in found if kind else found == set(), each


def test_the_name_of_an_element_is_a_cue_and_a_part_of_a_word_is_none():
    assert [name for name in ("aside", "h1") if name in kinds_of(f"<{name}>")] == ["aside", "h1"]
    assert "advertisement" not in kinds_of("<div class=adjust>")


def test_names_tell_tags_and_classes_apart_but_not_digits():
    same = "<div class='post-1 big'>a</div><div class='big post-22'>b</div>"
    tags = Page.parse(f"{same}<div class=post>c</div><p class='post big'>d").tags
    assert tags is not None
    names = bundled_cues().of_elements(tags, np.arange(len(tags))).names[2:].tolist()
    assert (names[0], len(set(names))) == (names[1], 3)


def test_quotes_in_names_of_attributes_do_not_upset_what_follows():
    tags = Page.parse('<body><p a"b=1 c>x</p><p class=comment>y</p>').tags
    assert tags is not None
    cues = bundled_cues()
    assert cues.of_elements(tags, np.arange(len(tags))).bits[-1] & cues.masks["comment"]
