"""What the monitor costs: a page beside its text, an unchanged feed, and memory over many rounds of feeds."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from benchmarks.speed import PageInput, SpeedResult, System, measure_speed
from blockfeat.data.corpus import LabelledPage
from blockfeat.extraction.extractor import Extractor
from blockfeat.monitor.mentions.brand import Brand
from blockfeat.monitor.reading import FetchedPage, PageReader, ReaderSettings
from blockfeat.training.evaluation.metrics import markdown_table

BRANDS = (
    *("Apple", "Google", "BBC", "World Health Organization", "Volkswagen"),
    *("Microsoft", "Amazon", "Facebook", "Netflix", "Tesla", "Samsung", "Toyota", "Siemens", "Lufthansa", "Reuters"),
    *("Deutsche Bank", "Bayern", "Nestlé", "Airbus", "Boeing", "Pfizer", "European Union", "United Nations"),
    *("Le Monde", "Coca-Cola"),
)
"""Names that news has; the first five are those of the small monitor."""
_TEXT = "text"


def measure_pages(model: str, pages: Iterable[LabelledPage], *, passes: int = 5) -> SpeedResult:
    """Time the text, the record and what the monitor makes of the same pages, in turn."""
    extractor = Extractor.load(model)
    systems = [
        System(_TEXT, "", "blockfeat", lambda page: extractor.extract(page.data, url=page.url).text),
        System("record", "", "blockfeat", lambda page: extractor.extract(page.data, url=page.url).to_dict()),
    ]
    for count in (5, len(BRANDS)):
        for evidence in (False, True):
            brands = tuple(map(Brand, BRANDS[:count]))
            reader = PageReader.of(ReaderSettings(model, brands, evidence=evidence))
            name = f"monitor, {count} brands" + (", evidence" if evidence else "")
            systems.append(System(name, "", "blockfeat", partial(_read, reader)))
    return measure_speed(systems, pages, passes=passes)


def _read(reader: PageReader, page: PageInput) -> object:
    return reader.read(FetchedPage(page.data, page.url or "https://example.org/"))


def pages_table(result: SpeedResult) -> str:
    """Return a row each: milliseconds a page, and the ratio to the text with its quartiles over the passes."""
    rows = []
    for name in result.names:
        low, high = result.quartiles(name, _TEXT) or (float("nan"), float("nan"))
        rows.append(
            [name, f"{1000 * result.mean(name):.2f}", f"{result.ratio(name, _TEXT):.2f} ({low:.2f} to {high:.2f})"]
        )
    return markdown_table(["what", "ms a page", "× text"], rows)
