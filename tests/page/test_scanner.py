"""Bytes to tags: what is left out, what is mended, and that nothing takes more than linear time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.page.tags import Tags
from cases import CASES
from timing import seconds_of

_START, _END = b"<html><body>", b"</body></html>"


def _read(page: bytes, *, keep: bool = False) -> tuple[bytes, tuple[str, ...]]:
    """Return the markup inside the body, and the warnings."""
    tags, told, *_ = Tags.read(b"<body>" + page, keeps_raw_text=keep, keeps_drawings=keep)
    source = tags.source.replace(b"<html><body/></html>", _START + _END)
    assert source.startswith(_START)
    assert source.endswith(_END)
    return source[len(_START) : -len(_END)], told


@pytest.mark.parametrize(("page", "left"), CASES["what_is_left"])
def test_what_is_left(page: str, left: str) -> None:
    assert _read(page.encode()) == (left.encode(), ())


_UNCLOSED = ("title", "textarea", "xmp", "iframe", "noembed", "noframes", "noscript", "button", "svg", "math", "select")


@pytest.mark.parametrize("name", _UNCLOSED)
def test_unclosed_elements_lose_their_tag_only(name: str) -> None:
    left, warnings = _read(f"<p>a</p><{name} x='1'>b<p>c</p>".encode())
    assert left == b"<p>a</p>b<p>c</p>"
    assert name in warnings[0]


@pytest.mark.parametrize(("start", "kind"), [(b"<script>", "script"), (b"<style>", "style"), (b"<!--", "comment")])
def test_what_hides_the_rest_is_said(start: bytes, kind: str) -> None:
    left, warnings = _read(b"<p>a</p>" + start + b"b<p>c</p>")
    assert left == b"<p>a</p>"
    assert kind in warnings[0]


def test_raw_text_can_be_kept() -> None:
    left, _ = _read(b"a<script>x<y</script><style>z</style><svg><path/></svg></body>b", keep=True)
    assert left == b"a<script>x&lt;y</script><style>z</style><svg><path/></svg>b"


def test_noscript_moves_to_the_end_where_it_swallows_nothing() -> None:
    left, _ = _read(b"<noscript><div><p>a</noscript>b<noscript><b>c</noscript>d")
    assert left == b"<noscript/>b<noscript/>d<noscript><div><p>a</p></div></noscript><noscript><b>c</b></noscript>"


@given(
    st.sampled_from(["\"'", "'\""]),
    st.lists(st.sampled_from(["a ", "=", "x=y ", "=%s", "%s", "/"]), max_size=4),
    st.sampled_from(["<script>x</script>", "<style>x</style>", "<svg>x</svg>", "</body>"]),
)
def test_raw_text_in_attribute_values_stays(quotes: str, pieces: list[str], token: str) -> None:
    quote, other = quotes
    value = "".join(pieces).replace("%s", other)
    tags = Tags.of_markup(f"<p title={quote}{value}{token}{quote}>y</p>".encode())
    assert tags.attributes(int(tags.named("p")[0])) == {"title": value + token}
    tags = Tags.of_markup(f"<p title={quote}{value}{quote}>{token}y</p>".encode())
    assert (tags.attributes(int(tags.named("p")[0])), tags.all_text()) == ({"title": value}, "y")


@pytest.mark.parametrize("form", [" a%d=1", " a%d", " a%d = 'x > y'", "/a%d"])
def test_attributes_beyond_a_limit_are_dropped(form: str) -> None:
    page = "<p" + "".join(form % number for number in range(3_000)) + ">y</p>"
    left, warnings = _read(page.encode())
    assert left.count(b"=") == 500
    assert left.endswith(b">y</p>")
    assert "500" in warnings[0]


@pytest.mark.parametrize(("quote", "tag"), [('"', b'<a href="&quot;x">'), ("'", b'<a href="\'x">')])
def test_a_quote_that_is_never_closed_is_none(quote: str, tag: bytes) -> None:
    left, warnings = _read(f"<p>a</p><a href={quote}x>b</a>c".encode())
    assert left == b"<p>a</p>" + tag + b"b</a>c"
    assert "never closed" in warnings[0]


@pytest.mark.parametrize("end", [b"<a hre", b"</p"])
def test_a_tag_without_an_end_goes(end: bytes) -> None:
    assert _read(b"<p>a</p>" + end)[0] == b"<p>a</p>"


def test_an_unclosed_title_keeps_the_page() -> None:
    page = b"<title>a <body><p>" + b"words " * 1_000 + b"</p><svg><title>x</title></svg><p>z</p>"
    tags, warnings, *_ = Tags.read(page)
    assert tags.named("p").size == 2
    assert not tags.named("title").size
    assert "title" in warnings[0]
    assert Tags.read(b"<title>" + b"words " * 1_000 + b"</title><p>z").warnings == ()


def test_deep_elements_are_written_one_behind_the_other() -> None:
    left, warnings = _read(b"<div>a" * 1_000 + b"<p>b</p>" + b"</div>" * 1_000 + b"<p>z</p>")
    assert left.count(b"<div>") == left.count(b"</div>") == 1_000
    assert left.count(b"a") == 1_000
    assert left.endswith(b"<p>z</p>")
    assert "512" in warnings[0]
    tags = Tags.of_markup(b"<div>a" * 1_000)
    assert tags.depth == 512
    left, _ = _read(b"<i>a" * 1_000 + b"<p>b</p>" + b"</i>" * 1_000)
    assert (left.count(b"a"), left.count(b"<i>")) == (1_000, 510)
    assert _read(b"<ul>" + b"<li>a" * 2_000 + b"</ul>")[1] == ()


def test_where_tags_stand_in_the_page() -> None:
    page = b"<!-- x --><P>a&amp;<script>y</script><b>c</P>"
    tags = Tags.of_markup(page)
    at = {tags.name(element): int(tags.origin[tags.opened[element]]) for element in range(len(tags))}
    assert (page[at["p"] :][:3], page[at["b"] :][:3]) == (b"<P>", b"<b>")
    assert at["html"] == at["body"] == at["p"]
    ends = tags.origin[tags.closed]
    assert all(page[place:].startswith(b"</P>") for place in ends[-2:])


_PIECES = str.split(
    """
<p> </p> <b> </b> <i> </i> <!-- --> <script> </script> <svg> </svg> x ' " = < > & &amp; <title> </title> <div </div> <a
<table> <td> <td/> <li> </li> <noscript> </noscript> <select> <option> <br> <textarea> <plaintext> </html> \x00 &#0; é
"""
)


@given(st.lists(st.sampled_from([*_PIECES, " "]), max_size=60), st.booleans())
def test_the_columns_fit_the_markup(pieces: list[str], keep: bool) -> None:
    tags, *_ = Tags.read("".join(pieces).encode(), keeps_raw_text=keep, keeps_drawings=keep)
    assert tags.source.count(b"<") == tags.source.count(b">") == tags.start.size == tags.origin.size
    opened: list[str] = []
    found, deepest = set(), 0
    for tag, (start, stop) in enumerate(zip(tags.start.tolist(), tags.stop.tolist(), strict=True)):
        text = tags.source[start:stop].decode()
        if text.startswith("</"):
            first, name = opened.pop()
            assert text == f"</{name}>"
            found.add((first, tag))
        else:
            name = text.strip("</>").split()[0]
            deepest = max(deepest, len(opened) + 1)
            if text.endswith("/>"):
                found.add((tag, tag))
            else:
                opened.append((tag, name))
    assert not opened
    assert (found, tags.depth) == (set(zip(tags.opened.tolist(), tags.closed.tolist(), strict=True)), deepest)


_UNITS = (
    "<svg>", "<title>", "<!-->", "<script><!-- <script> </script>", "<i x='<svg>'>", "<", "<ul>", "<p>",
    "<b %d><i>x</b>", "<a x='>'", "<a x=\">' ", "<x%d></y%d>", "<noscript><div>", "<noscript></noscript>", "<svg><g>",
    "<button><p>", "</b>", "<select><option>", "&notit;", "&#",
)  # fmt: skip


@pytest.mark.parametrize("unit", _UNITS)
def test_reading_is_linear(unit: str) -> None:
    page = "".join(unit.replace("%d", str(number)) for number in range(2_000_000 // len(unit))).encode()
    assert seconds_of(lambda: Tags.of_markup(page)) < 3
