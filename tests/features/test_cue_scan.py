import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.features.cue_scan import ElementCues, scan_start_tags
from blockfeat.features.cues import bundled_cues

_WORDS = (
    "comment", "Comments", "article", "postBody", "related-posts", "nav_menu", "x1", "ad", "adjust", "MENU",
    "übersicht",
)  # fmt: skip
_NAMES = (
    "class", "id", "role", "itemprop", "hidden", "aria-hidden", "style", "data-testid", "data-view-component", "href",
)  # fmt: skip
_VALUES = st.one_of(
    st.lists(st.sampled_from(_WORDS), max_size=5).map(" ".join),
    st.sampled_from(("", "true", "false", "display:none", "display: none;x:y", "display:block", "navigation")),
    st.text("abCD- 'ö1", max_size=400),
)
_ATTRIBUTES = st.lists(st.tuples(st.sampled_from(_NAMES), _VALUES), max_size=4)


def cues_of(tag: str) -> set[str]:
    """Return the kinds of cues of one start tag."""
    cues, source = bundled_cues(), tag.encode()
    found = ElementCues(np.zeros(1, dtype=np.uint32), np.zeros(1, dtype=np.uint64))
    scan_start_tags(source, *np.array([[0], [0], [len(source)]], dtype=np.int32), found, cues.attributes)
    return {kind for place, kind in enumerate(cues.kinds) if int(found.bits[0]) >> place & 1}


def cues_of_word(word: str, scope: str) -> set[str]:
    """Return the kinds of cues of one word, alone in an attribute."""
    return cues_of(f'<b {scope}="{word}">')


@given(_ATTRIBUTES)
def test_an_element_says_what_the_words_of_its_attributes_say(attributes: list[tuple[str, str]]):
    expected: set[str] = set()
    for name, value in attributes:
        if name == "hidden" or (name == "aria-hidden" and value.startswith("t")):
            expected |= {"hidden"}
        elif name == "style":
            expected |= {"hidden"} if re.match("display: ?none", value) else set()
        elif name not in ("href", "aria-hidden"):
            start = value.encode()[:300].decode("utf-8", "ignore")
            scope = name if name in ("role", "itemprop") else "class"
            for word in re.findall("[A-Z]+(?:[a-zö-ü]*)|[a-zö-ü]+", start):
                expected |= cues_of_word(word, scope)
    tag = "".join(f' {name}="{value}"' for name, value in attributes)
    assert cues_of(f"<b{tag}>") == expected


@pytest.mark.parametrize(
    ("tag", "kinds"),
    [
        ("<b class=comment>", "comment"),
        ("<b hidden class = 'comment'>", "comment hidden"),
        ('<b/class="comment">', "comment"),
        ("<b class>", ""),
        ("<b hidden>", "hidden"),
        ('<b with="" links"="" title="x" class="comment">', "comment"),  # a quote in a broken name
        (f'<b class="{"x " * 146}comment">', "comment"),
        (f'<b class="{"x " * 150}comment">', ""),  # behind the first 300 bytes of a value
    ],
)
def test_attributes_as_people_write_them(tag: str, kinds: str):
    plain = {"comment": cues_of_word("comment", "class"), "hidden": {"hidden"}}
    assert cues_of(tag) == set().union(*(plain[kind] for kind in kinds.split()))
