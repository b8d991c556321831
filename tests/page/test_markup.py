"""Character references and bytes that markup cannot hold."""

import html
import re
from html.entities import html5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.page.encoding import unescape
from blockfeat.page.tags import Tags


def _text(data: str) -> str:
    return Tags.of_markup(f"<p>{data}</p>".encode()).all_text()


def _value(data: str) -> str:
    tags = Tags.of_markup(f'<p title="{data}">x</p>'.encode())
    return tags.attributes(int(tags.named("p")[0]))["title"]


def test_every_name_of_html5() -> None:
    names = [name for name in html5 if html5[name] not in "\t\n"]
    assert _text("|".join(f"&{name}" for name in names)) == "|".join(html5[name] for name in names)
    assert _value("|".join(f"&{name}" for name in names)) == "|".join(html5[name] for name in names)


@given(st.text("&;#xX0123456789abcelmnopqrstuy", max_size=30))
def test_broken_references_are_read_as_python_reads_them(text: str) -> None:
    expected = html.unescape(text)
    # Python drops control characters, which become spaces here, and keeps U+000D.
    if all(character >= " " and not "\x7f" <= character <= "\x9f" for character in expected) and "&#" not in text:
        assert _text(text) == expected


_NUMBERS = {
    "&#65;": "A", "&#x41": "A", "&#X1F600;": "\U0001f600", "&#233;": "é", "&#8212;": "—", "&#128;": "€",
    "&#0;": "\ufffd", "&#xD800;": "\ufffd", "&#99999999999999;": "\ufffd", "&#1;x": " x", "&#;": "&#;", "&#x;": "&#x;",
    "&lt;b&gt;": "<b>", "&nosuch;": "&nosuch;", "&": "&",
}  # fmt: skip


@pytest.mark.parametrize(("reference", "character"), _NUMBERS.items())
def test_numbers(reference: str, character: str) -> None:
    assert (_text(f"a{reference}"), _value(f"a{reference}")) == (f"a{character}", f"a{character}")


def test_names_in_links_stay_as_they_are() -> None:
    assert (_value("?a=1&copy=2&lang=de&amp;x&notit"), _value("&copy &amp")) == ("?a=1&copy=2&lang=de&x&notit", "© &")


@given(st.text(max_size=60))
def test_any_text_stays(text: str) -> None:
    text = text.encode("utf-8", "replace").decode().replace("\r", "")
    expected = re.sub("[\x01-\x08\x0b-\x1f\x7f]", " ", text.replace("\0", "\ufffd"))
    assert (_text(html.escape(text)), _value(html.escape(text))) == (expected, expected)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a &amp; b &#228;&#xe4; &eacute", "a & b ää é"),
        ("", ""),
        ("&#" + "0" * 50 + "65;", "A"),
        ("&;&#;", "&;&#;"),
        # A number of thousands of digits is no character, and zeros before one do not count.
        (f"a &#{'9' * 5_000}; b &#{'9' * 5_000}", "a \ufffd b \ufffd"),
        (f"javascript&#{'0' * 5_000}58;", "javascript:"),
    ],
)
def test_references_are_resolved(text: str, plain: str) -> None:
    assert unescape(text) == plain


@given(st.text(alphabet="&#x0129;aé", max_size=60), st.integers(min_value=1, max_value=6_000))
def test_any_text_is_taken(text: str, times: int) -> None:
    assert isinstance(unescape(text + "&#" + "7" * times), str)
