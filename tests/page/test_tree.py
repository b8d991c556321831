"""The scanner's trees against those that lxml makes of the same page; ``docs/broken-pages.md`` has what differs.

``BLOCKFEAT_ALL_PAGES=1`` compares all pages of ``../shared/corpora`` instead of a few of each.
"""

import json
import lzma
import os
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.data.corpus import demo_pages
from blockfeat.page import Tags, tables
from blockfeat.page.tags import are_among, name_keys
from property_examples import examples
from reference_tree import events_of_lxml, events_of_tags

_CORPORA = Path(__file__).parents[3] / "shared" / "corpora"
_FEW = None if os.environ.get("BLOCKFEAT_ALL_PAGES") else 8
# Share of the pages on which nothing was mended whose trees are equal.
_EQUAL_SHARE = 0.97


def test_demo_pages_have_the_trees_of_lxml() -> None:
    for page in demo_pages():
        data = page.html.encode()
        assert events_of_tags(Tags.of_markup(data)) == events_of_lxml(data), page.id


# Left out: what is cut or moved, what a body or a head in the middle does, and what needs an end tag.
_NAMES = sorted(
    {"ins", "label", "main", "nav", "strong", "x-card", *tables.NAMES}
    - {"script", "style", "svg"}
    - tables.NEEDS_END_TAG
    - {"body", "head", "html", "noscript", "plaintext", "wbr"}
)
_TAGS = st.sampled_from([f"<{slash}{name}>" for name in _NAMES for slash in ("", "/")])
_PIECES = st.one_of(
    _TAGS,
    st.sampled_from(["<p>", "</p>", "<table>", "</table>", "<td>", "<tr>", "<li>", "<ul>", "</ul>", "<div>", "</div>"]),
    st.sampled_from(
        ["x ", "&amp;", "&eacute", "&notit;", "&#8212;", " < ", "<!-- - -->", "<br/>", "<p/>", "<?x y>", "</>"]
    ),
    st.builds('<{} class="{}" id=b>'.format, st.sampled_from(_NAMES), st.text("a <'&;", max_size=4)),
)
_STARTS = st.sampled_from(["", "<body>", "<html><head></head>", "<head>", "<!DOCTYPE html>"])


@examples(400)
@given(st.lists(_PIECES, max_size=40), _STARTS)
def test_broken_pages_have_the_trees_of_lxml(pieces: list[str], start: str) -> None:
    data = (start + "".join(pieces)).encode()
    assert events_of_tags(Tags.of_markup(data)) == events_of_lxml(data)


@pytest.mark.corpora
@pytest.mark.skipif(not _CORPORA.is_dir(), reason="needs the corpora in ../shared/corpora")
def test_pages_of_the_corpora_have_the_trees_of_lxml() -> None:
    pages = equal = 0
    differing = []
    for path in sorted(_CORPORA.glob("*.jsonl.xz")):
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            for line in islice(lines, _FEW):
                html = json.loads(line).get("html")
                data = (html or "").encode("utf-8", "replace").replace(b"\0", b"")
                tags, warnings, *_ = Tags.read(data)
                is_equal = events_of_tags(tags) == events_of_lxml(data)
                # What was mended has another tree on purpose.
                pages += not warnings
                equal += is_equal and not warnings
                if not is_equal and not warnings:
                    differing.append(f"{path.name}: {json.loads(line).get('id')}")
    assert equal >= _EQUAL_SHARE * pages, differing


@given(st.lists(st.sampled_from(tables.NAMES)), st.lists(st.sampled_from(tables.NAMES)))
@examples(40)
def test_keys_are_among_those_of_names_as_numpy_says(present: list[str], wanted: list[str]) -> None:
    keys, names = name_keys(present), name_keys(wanted)
    assert np.array_equal(are_among(keys, names), np.isin(keys, names))
