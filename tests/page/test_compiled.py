"""The compiled scanner gives the same as its source run by Python."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

import blockfeat.page
from blockfeat.compiled import uncompiled_modules
from blockfeat.data.corpus import demo_pages
from blockfeat.page import scanner as compiled
from hostile import hostile_pages
from property_examples import examples

_MODULES = ("markup", "tree", "tokens", "scanner")

pytestmark = pytest.mark.skipif(
    any(name.startswith("blockfeat.page.") for name in uncompiled_modules()), reason="the scanner is not compiled here"
)


def _from_source() -> ModuleType:
    """Import the source of the compiled modules, each on top of the sources below it."""
    folder = Path(blockfeat.page.__file__).parent
    with patch.dict(sys.modules):
        for name in _MODULES:
            full = f"blockfeat.page.{name}"
            spec = importlib.util.spec_from_file_location(full, folder / f"{name}.py")
            assert spec is not None
            assert spec.loader is not None
            sys.modules[full] = module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
        return sys.modules["blockfeat.page.scanner"]


_SOURCE = _from_source()


def _outcome(module: ModuleType, data: bytes, keep: bool) -> tuple[object, ...]:
    scanner = module.scanned(data, keeps_raw_text=keep, keeps_drawings=keep)
    outcome = (scanner.written(), scanner.greatest_depth(), scanner.noted())
    return (*outcome, *(bytes(column) for column in scanner.take_columns()))


def test_it_is_compiled() -> None:
    assert not str(compiled.__file__).endswith(".py")
    assert str(_SOURCE.__file__).endswith(".py")


def test_the_same_on_demo_pages() -> None:
    for page in demo_pages()[::6]:
        data = page.html.encode()
        assert _outcome(compiled, data, False) == _outcome(_SOURCE, data, False), page.id


def test_the_same_on_hostile_pages() -> None:
    for name, _, page in hostile_pages((3_000,)):
        data = page.decode("utf-8", "replace").encode()
        assert _outcome(compiled, data, False) == _outcome(_SOURCE, data, False), name


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
def test_the_same_on_broken_pages(pieces: list[str], keep: bool) -> None:
    data = "".join(pieces).encode("utf-8", "replace")
    assert _outcome(compiled, data, keep) == _outcome(_SOURCE, data, keep)
