"""The compiled scanner gives the same as its source run by Python."""

from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.data.corpus import demo_pages
from blockfeat.page import scanner as compiled
from hostile import hostile_pages
from property_examples import examples
from uncompiled import load_uncompiled_chain


@pytest.fixture(scope="module")
def source() -> ModuleType:
    """The scanner as plain Python, on top of the sources below it."""
    return load_uncompiled_chain("blockfeat.page", ("markup", "tree", "tokens", "scanner"))


def _outcome(module: ModuleType, data: bytes, keep: bool) -> tuple[object, ...]:
    scanner = module.scanned(data, keeps_raw_text=keep, keeps_drawings=keep)
    outcome = (scanner.written(), scanner.greatest_depth(), scanner.noted())
    return (*outcome, *(column.tobytes() for column in scanner.columns()))


def test_it_is_compiled(source: ModuleType) -> None:
    assert not str(compiled.__file__).endswith(".py")
    assert str(source.__file__).endswith(".py")


def test_the_same_on_demo_pages(source: ModuleType) -> None:
    for page in demo_pages()[::6]:
        data = page.html.encode()
        assert _outcome(compiled, data, False) == _outcome(source, data, False), page.id


def test_the_same_on_hostile_pages(source: ModuleType) -> None:
    for name, _, page in hostile_pages((3_000,)):
        data = page.decode("utf-8", "replace").encode()
        assert _outcome(compiled, data, False) == _outcome(source, data, False), name


_PIECES = st.one_of(
    st.text(max_size=5),
    st.sampled_from(["<p>", "</p>", "<p a=1 b='&lt;' a=2/>", "<b", "</b>", "<!--", "-->", "<script>", "</script>"]),
    st.sampled_from(["<title>", "</title>", "<svg>", "</svg>", "<noscript>", "</noscript>", "<select>", "<option>"]),
    st.sampled_from(
        ["&", "&#", "x41;", "&notit;", "&eacute", '="', "'", "<xmp>", "</xmp>", "<x-y>", "<table>", "<td>"]
    ),
)


@examples(300)
@given(st.lists(_PIECES, max_size=40), st.booleans())
def test_the_same_on_broken_pages(source: ModuleType, pieces: list[str], keep: bool) -> None:
    data = "".join(pieces).encode("utf-8", "replace")
    assert _outcome(compiled, data, keep) == _outcome(source, data, keep)
