"""What each format costs, beside trafilatura: process time a page of text, Markdown and the record."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from typing import Any

from benchmarks.speed import PageInput, SpeedResult, System, measure_speed
from blockfeat.data.corpus import LabelledPage
from blockfeat.extraction.extraction import Extraction
from blockfeat.extraction.extractor import Extractor
from blockfeat.training.evaluation.metrics import markdown_table
from blockfeat.training.evaluation.peers import installed_peers

_FORMATS: dict[str, tuple[Callable[[Extraction], object], dict[str, Any]]] = {
    "text": (lambda extraction: extraction.text, {"output_format": "txt"}),
    "Markdown": (lambda extraction: extraction.to_markdown(), {"output_format": "markdown"}),
    "record": (lambda extraction: extraction.to_dict(), {"output_format": "json", "with_metadata": True}),
}
_PEER = "trafilatura"


def measure_formats(extractor: Extractor, pages: Iterable[LabelledPage], *, passes: int = 5) -> SpeedResult:
    """Time each format of blockfeat, and of trafilatura where it is installed, on the same pages in turn."""
    peer = next((peer for peer in installed_peers() if peer.name == _PEER), None)
    systems = []
    for name, (write, options) in _FORMATS.items():
        systems.append(System(f"blockfeat {name}", "", "blockfeat", partial(_ours, extractor, write)))
        if peer is not None:
            theirs = partial(_theirs, import_module(_PEER).extract, options)
            systems.append(System(f"{_PEER} {name}", peer.version, "peer", theirs))
    return measure_speed(systems, pages, passes=passes)


def _ours(extractor: Extractor, write: Callable[[Extraction], object], page: PageInput) -> object:
    return write(extractor.extract(page.data, url=page.url))


def _theirs(extract: Callable[..., object], options: dict[str, Any], page: PageInput) -> object:
    return extract(page.html, url=page.url, include_comments=False, include_tables=True, **options)


def formats_table(result: SpeedResult) -> str:
    """Return a row a format: milliseconds a page of both, and the ratio with its quartiles over the passes."""
    rows = []
    for name in _FORMATS:
        ours, theirs = f"blockfeat {name}", f"{_PEER} {name}"
        cells = [name, f"{1000 * result.mean(ours):.2f}"]
        if theirs in result.names:
            low, high = result.quartiles(ours, theirs) or (float("nan"), float("nan"))
            ratio = f"{result.ratio(ours, theirs):.3f} ({low:.3f} to {high:.3f})"
            cells += [f"{1000 * result.mean(theirs):.2f}", ratio]
        rows.append(cells)
    return markdown_table(["format", "blockfeat, ms", f"{_PEER}, ms", f"× {_PEER}"][: len(rows[0])], rows)
