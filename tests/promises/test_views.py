"""Every view of a page grows in step with its bytes, in calls and in memory: counted, so that no noise decides."""

import sys
import tracemalloc
from contextlib import suppress
from functools import partial
from itertools import count

import pytest

import blockfeat
from benchmarks.shapes import synthetic_page
from benchmarks.views import BYTES_A_BYTE, View, measure_views, views_of
from blockfeat import LimitExceeded
from blockfeat.io.outputs import explanation_page, to_json_line

_VIEWS = views_of()
_WRITERS = {"explain": explanation_page, "record with evidence": partial(to_json_line, evidence=True)}
_SIZES, _FREE_CALLS, _FREE_BYTES = (3_000, 12_000), 5_000, 400_000


def _counted(view: View, page: bytes) -> tuple[int, int]:
    """Calls, of Python and of C, and the most bytes that are held at once."""
    calls = count()
    tracemalloc.start()
    sys.setprofile(lambda *_: next(calls) and None)
    with suppress(LimitExceeded):
        view(page)
    sys.setprofile(None)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return next(calls), peak


@pytest.mark.parametrize("shape", ["short paragraphs", "nested lists", "open cells", "raised", "formulas"])
def test_calls_and_memory_grow_in_step_with_the_page(shape: str) -> None:
    small, large = (synthetic_page(shape, size).encode() for size in _SIZES)
    for name, view in _VIEWS.items():
        view(small)
        before, after = _counted(view, small), _counted(view, large)
        assert after[0] <= 4**1.1 * before[0] + _FREE_CALLS, (name, before, after)
        assert after[1] <= 4**1.1 * before[1] + _FREE_BYTES, (name, before, after)


def test_quadratic_growth_is_seen() -> None:
    small, large = (_counted(lambda data: [data[:end] for end in range(len(data))], bytes(size)) for size in _SIZES)
    assert large[1] > 4**1.1 * small[1] + _FREE_BYTES


@pytest.mark.parametrize(
    ("view", "shape", "most"), [("record with evidence", "links", 1.7), ("explain", "ampersands", 2.1)]
)
def test_what_is_written_is_held_once(view: str, shape: str, most: float) -> None:
    page = synthetic_page(shape, 128 * 1024).encode()
    written = _VIEWS[view](page)
    size = len(written)
    del written
    tracemalloc.start()
    found = blockfeat.extract(page)
    _ = to_json_line(found), found.blocks, found.roles
    before, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    _WRITERS[view](found)
    peak = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    assert peak <= most * size, "bytes for each letter, explanations while their parts are joined"


def test_the_page_of_one_word_takes_no_array_of_its_places() -> None:
    page = synthetic_page("one word", 256 * 1024).encode()
    _VIEWS["page"](page)
    tracemalloc.start()
    _VIEWS["page"](page)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= 26 * len(page), peak / len(page)


@pytest.mark.parametrize(
    ("view", "shape", "most"), [("record", "table rows", 34), ("record with evidence", "anchors", 32)]
)
def test_what_is_needed_no_longer_is_not_held(view: str, shape: str, most: float) -> None:
    page = synthetic_page(shape, 1024 * 1024).encode()
    tracemalloc.start()
    _VIEWS[view](page)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= most * len(page), peak / len(page)


@pytest.mark.rest
def test_one_wide_character_in_a_large_page_breaks_no_law_of_memory() -> None:
    found = measure_views(_VIEWS, shapes=["wide line", "wide ampersands"], sizes=[4 << 20]).cells
    assert not [str(cell) for cell in found if cell.failed or cell.factor > BYTES_A_BYTE]


def test_a_page_of_many_blocks_is_explained_as_one_of_few_is(monkeypatch: pytest.MonkeyPatch) -> None:
    page = synthetic_page("links", 8 * 1024).encode()
    small = blockfeat.extract(page)
    monkeypatch.setattr("blockfeat.extraction.extractor._MANY_BLOCKS", 0)
    large = blockfeat.extract(page)
    assert large.analysis
    assert callable(large.analysis.measured.rows)
    assert to_json_line(large, evidence=True) == to_json_line(small, evidence=True)
    assert large.what_would_change(3) == small.what_would_change(3)


def test_a_page_of_too_many_blocks_is_refused_but_read(monkeypatch: pytest.MonkeyPatch) -> None:
    page = b"<p>a" * 100_000
    for name in ("explain", "record with evidence", "TEI", "page", "clean"):
        with pytest.raises(LimitExceeded, match=r"would take [0-9,]+ MB, for a page of 400,000 bytes at most 73"):
            _VIEWS[name](page)
    with pytest.raises(LimitExceeded, match="all blocks would take 98 MB"):
        _VIEWS["blocks"](b"<p>a" * 130_000)
    record = _VIEWS["monitor"](page)
    assert (record.status, record.warnings) == ("ok", ())
    assert 0 < len(record.evidence) < len(page)

    # The text of one with more is refused before its words are counted.
    monkeypatch.setattr("blockfeat.lang.measures.FastTokenizer.measure", None)
    with pytest.raises(LimitExceeded, match="the 399,999 blocks of the page would take"):
        _VIEWS["text"](b"<p>a" * 399_999)


@pytest.mark.rest
@pytest.mark.parametrize("shape", ["nested lists", "nested tables", "<p>a", "empty tags", "ampersands"])
def test_a_million_elements_give_a_result_or_a_refusal(shape: str) -> None:
    assert not [cell for cell in measure_views(_VIEWS, shapes=[shape], sizes=[4 << 20]).cells if cell.failed]
