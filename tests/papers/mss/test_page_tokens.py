"""Tokens of a page: what they are, where they stand, and what was left open before them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.page.page import Page
from blockfeat.papers.mss.page_tokens import END_TAG, NUMBER, START_TAG, SYMBOL, WORD, PageTokens
from property_examples import examples


def tokens_of(html: str) -> tuple[PageTokens, bytes]:
    tags = Page.parse(html).tags
    assert tags is not None
    return PageTokens.of(tags), tags.source


def written(html: str) -> list[str]:
    tokens, source = tokens_of(html)
    spans = zip(tokens.first_byte.tolist(), tokens.end_byte.tolist(), strict=True)
    return [source[first:end].decode() for first, end in spans]


def test_tags_words_numbers_and_symbols_in_order() -> None:
    html = "<html><body><p>Hello, wörld &amp; 12 apples<br>2nd</p></body></html>"
    assert written(html) == [
        *("<html>", "<body>", "<p>", "Hello", ",", "wörld", "&amp;", "12", "apples", "<br/>", "2nd"),
        *("</p>", "</body>", "</html>"),
    ]
    assert tokens_of(html)[0].kind.tolist() == [
        *(START_TAG, START_TAG, START_TAG, WORD, SYMBOL, WORD, SYMBOL, NUMBER, WORD, START_TAG, WORD),
        *(END_TAG, END_TAG, END_TAG),
    ]


def test_equal_tokens_have_equal_keys() -> None:
    tokens, _ = tokens_of("<p>House house 7 1984 ٤٢ seven . ! <b>.</b></p>")
    words = dict(zip(tokens.texts(np.arange(len(tokens))), tokens.key.tolist(), strict=True))
    assert words["7"] == words["1984"] == words["٤٢"]
    assert words["7"] != words["seven"]
    assert words["."] != words["!"]
    assert len({key for text, key in words.items() if text == "house"}) == 1


def test_every_character_of_a_script_without_spaces_is_a_word() -> None:
    assert written("<p>你好, мир</p>")[3:-3] == ["你", "好", ",", "мир"]


def test_scripts_and_styles_are_no_tokens() -> None:
    assert "alert" not in written("<p>a<script>alert(1)</script><style>p {}</style>b</p>")


def unclosed_by_stack(tokens: PageTokens) -> list[int]:
    """The paper's own procedure: a stack of start tags, unwound by end tags."""
    stack: list[tuple[int, int]] = []
    found = []
    for kind, key, element in zip(tokens.kind.tolist(), tokens.key.tolist(), tokens.element.tolist(), strict=True):
        found.append(stack[-1][0] if stack else 0)
        if kind == START_TAG:
            stack.append((key, element))
        elif kind == END_TAG:
            while stack.pop()[1] != element:
                pass
    return found


PIECES = st.sampled_from(
    ["<p>", "</p>", "<div>", "</div>", "<br>", "<b>", "</b>", "<hr>", "<img>", "word ", "12 ", "&lt; ", "日本 ", "<li>"]
)


@examples(150)
@given(st.lists(PIECES, max_size=40))
def test_unclosed_tags_equal_the_papers_stack_on_any_page(pieces: list[str]) -> None:
    page = Page.parse("<html><body>" + "".join(pieces) + "</body></html>")
    tokens = PageTokens.of(page.tags)
    assert tokens.unclosed.tolist() == unclosed_by_stack(tokens)
    # Tokens ascend and do not overlap, and every tag of the page is one.
    assert np.all(tokens.first_byte[1:] >= tokens.end_byte[:-1])
    assert page.tags is not None
    assert int(tokens.is_tag.sum()) == page.tags.start.size


def test_a_page_without_tags_has_no_tokens() -> None:
    assert (len(PageTokens.of(None)), PageTokens.of(None).texts(np.zeros(0, dtype=np.int64))) == (0, [])


def test_start_tags_of_some_elements_are_found() -> None:
    tokens, source = tokens_of("<p>a</p><hr><p>b</p><HR>")
    found = tokens.element_starts(("hr",))
    assert [source[tokens.first_byte[token] : tokens.end_byte[token]] for token in found] == [b"<hr/>", b"<hr/>"]
