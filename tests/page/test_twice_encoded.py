"""Passages that were encoded twice are mended, and nothing else is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import blockfeat
from blockfeat.page.encoding import LEAST_PAIRS, mend_twice_encoded
from blockfeat.page.page import Page
from blockfeat.page.utf_8 import doubled_pairs
from uncompiled import load_uncompiled

PAGES = (
    "<p>It’s a “test” — with more</p><p>They don’t</p>", "<p>Café à la crème, déjà vu</p><b>où êtes-vous allés</b>",
    "<p>Größe und Weiß, Öl</p><p>für später</p>", "<p>Привет, мир</p><p>пока</p>",
    "<p>日本語のテキスト</p><p>東京で</p>", "<p>مرحبا بالعالم</p><p>نص</p>", "<p>한국어 문서</p><p>서울의 봄</p>",
)  # fmt: skip
AS_THEY_SHOULD_BE = (
    *PAGES,
    "<p>LA MAÇÃ”, À «côté», ÉTÉ…</p><p>CAFÉ…</p>",
    "<p>NÃO É “SÓ”</p><p>Ã©</p>",
    "<p>In the text stands â€™ and — too</p><p>and â€™ with é</p>",
)


def twice(text: str) -> str:
    return "".join(bytes([code]).decode("windows-1252", "ignore") or chr(code) for code in text.encode())


@pytest.mark.parametrize("page", PAGES)
def test_text_encoded_twice_is_mended(page: str) -> None:
    assert mend_twice_encoded(twice(page).encode()) == (page.encode(), 2)


@pytest.mark.parametrize("page", AS_THEY_SHOULD_BE)
def test_other_pages_stay_as_they_are(page: str) -> None:
    assert mend_twice_encoded(page.encode()) == (page.encode(), 0)


def test_only_the_passages_that_were_encoded_twice_are_mended() -> None:
    page = f'<nav>Café</nav><p title="{twice("Zürich’s")}">{twice("It’s here")}</p><p>naïve</p>'
    mended = '<nav>Café</nav><p title="Zürich’s">It’s here</p><p>naïve</p>'
    assert mend_twice_encoded(page.encode())[0].decode() == mended


@given(st.text(max_size=60))
def test_no_text_is_lost_or_fails(text: str) -> None:
    data = text.encode("utf-8", "replace")
    mended, passages = mend_twice_encoded(data)
    assert mended.decode() is not None
    assert passages > 0 or mended == data


@given(st.lists(st.sampled_from(["Ã©", "â€™", "Â«", "Ð¾", "a", "é", "É", "…", "中"])).map("".join))
def test_pairs_are_counted_alike_uncompiled(text: str) -> None:
    data = text.encode()
    assert load_uncompiled("blockfeat.page.utf_8").doubled_pairs(data) == doubled_pairs(data)


def test_bytes_that_are_no_utf_8_have_no_pairs() -> None:
    assert doubled_pairs("Ã©".encode() * 3 + b"\xff") == -1


@pytest.mark.parametrize("as_bytes", [True, False])
def test_a_page_says_that_it_was_mended(as_bytes: bool) -> None:
    body = "".join(f"<p>{twice(f'The café’s owner said that she couldn’t go on for {n} years.')}</p>" for n in range(9))
    html = f"<html><body><article>{body}</article></body></html>"
    assert doubled_pairs(html.encode()) >= LEAST_PAIRS
    page = Page.parse(html.encode() if as_bytes else html)
    assert "9 passages were encoded as UTF-8 twice and were mended" in page.warnings
    assert "café’s owner" in blockfeat.extract(html.encode() if as_bytes else html).text
