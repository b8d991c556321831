"""Markup before the parse: what is cut, what stays, what is repaired."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.page.raw_text import cut_raw_text
from blockfeat.page.repair import flatten, limit_attributes, strip_title_tags, without_open_tag


@pytest.mark.parametrize(
    ("page", "left"),
    [
        (b"a<script>x</script>b", b"ab"),
        (b"a<SCRIPT type=x>x</Script >b", b"ab"),
        (b"a<style>x</style>b<svg><path/></svg>c", b"abc"),
        (b"a<!-- x -->b<!-->c<!--->d<!-- x --!>e", b"abcde"),
        (b"a<!--[if IE]>x<![endif]-->b", b"ab"),
        (b"<!--[if !IE]><!-->a<!--<![endif]-->", b"a"),
        (b"a<script>'</div><!--'</script>b", b"ab"),
        (b"a<script>'</scripty>'</script>b", b"ab"),
        (b"a<script><!-- w('<script>x</script>') --></script>b", b"ab"),
        (b"a<script><!--\nx\n//--></script>b", b"ab"),
        (b"a<script><!-- x </script>b", b"ab"),
        (b"<body>a</body></html>b", b"<body>ab"),
        (b"<title><!-- </title>a", b"<title><!-- </title>a"),
        (b"<textarea><script></textarea>a", b"<textarea><script></textarea>a"),
        (b"<svg><p>a</p></svg>b", b"<svg><p>a</p></svg>b"),
        (b"<i x='<script>'>a</i>", b"<i x='<script>'>a</i>"),
        (b'<i x="<p>y</p><!-- ">a</i>', b'<i x="<p>y</p><!-- ">a</i>'),
        (b"<scripts>a", b"<scripts>a"),
        (b"", b""),
    ],
)
def test_what_is_cut(page: bytes, left: bytes) -> None:
    assert cut_raw_text(page) == (left, ())


@pytest.mark.parametrize(
    "name",
    [
        "title",
        "textarea",
        "xmp",
        "iframe",
        "noembed",
        "noframes",
        "noscript",
        "button",
        "svg",
        "math",
        "select",
    ],
)
def test_unclosed_elements_lose_their_tag_only(name: str) -> None:
    data, warnings = cut_raw_text(f"<p>a</p><{name} x='1'>b<p>c</p>".encode())
    assert data == b"<p>a</p>b<p>c</p>"
    assert name in warnings[0]


@pytest.mark.parametrize(("start", "kind"), [(b"<script>", "script"), (b"<style>", "style"), (b"<!--", "comment")])
def test_what_hides_the_rest_is_said(start: bytes, kind: str) -> None:
    data, warnings = cut_raw_text(b"<p>a</p>" + start + b"b<p>c</p>")
    assert data == b"<p>a</p>"
    assert kind in warnings[0]


def test_raw_text_can_be_kept() -> None:
    data, _ = cut_raw_text(b"a<script>x</script><!-- y --></body>b", keep=True)
    assert data == b"a<script>x</script><!-- y -->b"


@given(
    st.sampled_from([b"\"'", b"'\""]),
    st.lists(st.sampled_from([b"a ", b"=", b"x=y ", b"=%s", b"%s", b"&amp;", b"/"]), max_size=4),
    st.sampled_from([b"<script>x</script>", b"<style>x</style>", b"<svg>x</svg>", b"</body>"]),
)
def test_raw_text_in_attribute_values_stays(quotes: bytes, pieces: list[bytes], token: bytes) -> None:
    quote, other = quotes[:1], quotes[1:]
    value = b"".join(pieces).replace(b"%s", other)
    inside = b"<p title=" + quote + value + token + quote + b">y</p>"
    assert cut_raw_text(inside).data == inside
    tag = b"<p title=" + quote + value + quote + b">"
    assert cut_raw_text(tag + token + b"y</p>").data == tag + b"y</p>"


def test_attributes_beyond_a_limit_are_dropped() -> None:
    attributes = b"".join(b" a%d='>'" % number for number in range(40_000))
    data, warnings = limit_attributes(b"<p>x</p><p" + attributes + b">y</p>")
    assert data.count(b"='") == 500
    assert data.endswith(b">y</p>")
    assert "500" in warnings[0]


@pytest.mark.parametrize("form", [b" a%d=1", b" a%d", b' a%d = "x y"', b"/a%d"])
def test_attributes_of_all_forms_are_limited(form: bytes) -> None:
    data, warnings = limit_attributes(b"<p" + b"".join(form % number for number in range(3_000)) + b">y</p>")
    assert len(warnings) == 1
    assert data.endswith(b">y</p>")


@pytest.mark.parametrize(
    "page",
    [
        b"<p class='" + b"a " * 100_000 + b"'>y</p>",
        b"<p>" + b"x = y " * 50_000,
        b"<p>" + b"< " * 100_000,
        b"",
    ],
)
def test_long_values_and_texts_are_left_alone(page: bytes) -> None:
    assert limit_attributes(page) == (page, ())


def test_a_tag_that_is_never_closed_goes_without_the_text_behind_it() -> None:
    assert without_open_tag(b"<p>a</p><a href='x>b</a>c") == b"<p>a</p>b</a>c"
    assert without_open_tag(b"<p>a</p><a hre") == b"<p>a</p>"
    assert without_open_tag(b"<p>a</p>") == b"<p>a</p>"


def test_title_tags() -> None:
    assert strip_title_tags(b"<TITLE x>a</title>b").split() == [b"a", b"b"]


def test_flatten_keeps_all_text_and_the_outer_tags() -> None:
    data = flatten(b"<div>a" * 1_000 + b"</div>" * 1_000 + b"<p>z</p>")
    assert data.count(b"<div>") == data.count(b"</div>") == 512
    assert data.count(b"a") == 1_000
    assert data.endswith(b"<p>z</p>")


def test_flatten_leaves_siblings_without_end_tags() -> None:
    page = b"<ul>" + b"<li>a" * 2_000 + b"</ul>"
    assert flatten(page) == page


@given(
    st.lists(
        st.sampled_from(
            [
                "<p>",
                "</p>",
                "<b>",
                "<!--",
                "-->",
                "<script>",
                "</script>",
                "<svg>",
                "</svg>",
                "x",
                "'",
                '"',
                "=",
                "<",
                ">",
                "<title>",
            ]
        )
    )
)
def test_cutting_only_removes(pieces: list[str]) -> None:
    page = "".join(pieces).encode()
    for data in (cut_raw_text(page).data, limit_attributes(page).data, without_open_tag(page)):
        remaining = iter(page)
        assert all(byte in remaining for byte in data)


@pytest.mark.parametrize(
    "unit", [b"<svg>", b"<title>", b"<!-->", b"<script><!-- <script> </script>", b"<i x='<svg>'>", b"<"]
)
def test_cutting_is_linear(unit: bytes) -> None:
    start = time.process_time()
    cut_raw_text(unit * (1_000_000 // len(unit)))
    assert time.process_time() - start < 3
