"""Metadata side by side: blockfeat and the peers that give metadata, on the same pages."""

from __future__ import annotations

import csv
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.metadata_scores import SCORED, FieldScore, GivenMetadata, GoldPage, scores_of
from blockfeat.extraction.extractor import Extractor
from blockfeat.metadata.dates import Moment
from blockfeat.training.evaluation.metrics import markdown_table
from blockfeat.training.evaluation.peers import installed_peers

METADATA_PEERS = ("trafilatura", "newspaper4k")
"""The peers that give metadata."""

_NO_ADDRESS = "https://page.example/article"
Read = Callable[[GoldPage], GivenMetadata]


@dataclass(frozen=True)
class SystemMetadata:
    """What one system gave for the pages.

    Attributes
    ----------
    name : str
        Its name and version.
    given : tuple of GivenMetadata
        One for each page.
    failed : int
        Pages on which it raised; they count as giving nothing.
    """

    name: str
    given: tuple[GivenMetadata, ...]
    failed: int = 0


@dataclass(frozen=True)
class MetadataResult:
    """The scores of all systems.

    Attributes
    ----------
    pages : tuple of GoldPage
        The pages.
    systems : tuple of SystemMetadata
        blockfeat first.
    extraction, metadata : float
        Seconds of process time for blockfeat's extractions and for their metadata.
    """

    pages: tuple[GoldPage, ...]
    systems: tuple[SystemMetadata, ...]
    extraction: float
    metadata: float

    def scores(self, system: SystemMetadata, set_name: str | None = None) -> dict[str, FieldScore]:
        """Return the scores of a system by field, on all pages or those of one set."""
        pairs = zip(system.given, self.pages, strict=True)
        return scores_of((given, page.gold) for given, page in pairs if set_name in (None, page.set))

    def to_markdown(self) -> str:
        """Return F1 by set, then precision and recall over all, and the share of time."""
        sets = [*dict.fromkeys(page.set for page in self.pages), None]
        all_scores = {
            (name, system.name): self.scores(system, name)
            for name in (sets if len(sets) > 2 else sets[:-1])
            for system in self.systems
        }
        shown = [each for each in SCORED if any(scores[each].gold for scores in all_scores.values())]
        rows = [
            [
                name or "**all**",
                system,
                str(sum(name in (None, page.set) for page in self.pages)),
                *(_cell(scores[each]) for each in shown),
            ]
            for (name, system), scores in all_scores.items()
        ]
        share = self.metadata / self.extraction if self.extraction else 0.0
        lines = [
            markdown_table(["set", "system", "pages", *shown], rows),
            "F1 with precision / recall in brackets; pages without gold for a field are not counted.",
            f"metadata takes {share:.0%} of the time of the extraction "
            f"({1000 * self.metadata / len(self.pages):.2f} ms a page)",
        ]
        lines += [f"{system.name} failed on {system.failed} pages" for system in self.systems if system.failed]
        return "\n".join(lines)

    def write(self, folder: Path) -> Path:
        """Write ``metadata.csv``: a row for each set, system and field."""
        path = folder / "metadata.csv"
        with path.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream)
            writer.writerow(["set", "system", "field", "right", "given", "gold", "precision", "recall", "f1"])
            for name in [*dict.fromkeys(page.set for page in self.pages), None]:
                for system in self.systems:
                    for each, score in self.scores(system, name).items():
                        measures = (f"{value:.4f}" for value in (score.precision, score.recall, score.f1))
                        writer.writerow(
                            [name or "all", system.name, each, score.right, score.given, score.gold, *measures]
                        )
        return path


def run_metadata_bench(
    model: Extractor,
    pages: Sequence[GoldPage],
    *,
    peers: Sequence[str] = METADATA_PEERS,
    on_page: Callable[[str, int, int], None] | None = None,
) -> MetadataResult:
    """Read the metadata of pages with blockfeat and with the peers that are installed.

    Parameters
    ----------
    model : Extractor
        The model; its blocks say where the article begins.
    pages : sequence of GoldPage
        What `benchmarks.metadata_scores.read_gold` returns.
    peers : sequence of str
        Names out of `METADATA_PEERS`; those that are not installed are left out.
    on_page : callable, optional
        Called with the system, the number of its pages done, and the number of all pages.
    """
    seconds = [0.0, 0.0]
    readers: list[tuple[str, Read]] = [(f"blockfeat {model.model.name}", _Blockfeat(model, seconds))]
    for peer in installed_peers():
        if peer.name in METADATA_PEERS and peer.name in peers:
            peer.load()  # silences its messages
            readers.append((f"{peer.name} {peer.version}", _PEERS[peer.name]()))
    if pages:
        _Blockfeat(model, [0.0, 0.0])(pages[0])  # loads whatever is loaded lazily
    systems = []
    for name, read in readers:
        given, failed = [], 0
        for done, page in enumerate(pages, start=1):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    given.append(read(page))
            except Exception:  # any failure of any system is a result
                given.append(GivenMetadata())
                failed += 1
            if on_page is not None:
                on_page(name, done, len(pages))
        systems.append(SystemMetadata(name, tuple(given), failed))
    return MetadataResult(tuple(pages), tuple(systems), *seconds)


@dataclass(frozen=True)
class _Blockfeat:
    """Reads with blockfeat; the seconds of extraction and metadata are added to ``seconds``."""

    extractor: Extractor
    seconds: list[float]

    def __call__(self, page: GoldPage) -> GivenMetadata:
        data = page.html.encode("utf-8", "replace")
        start = time.process_time()
        extraction = self.extractor.extract(data, url=page.url)
        between = time.process_time()
        found = extraction.metadata
        end = time.process_time()
        self.seconds[0] += between - start
        self.seconds[1] += end - between
        return GivenMetadata(
            title=found.title,
            authors=found.authors,
            published=found.published,
            modified=found.modified,
            paywall=found.paywall,
            description=found.description,
            tags=found.tags,
        )


def _trafilatura() -> Read:
    """As its documentation calls it: ``extract_metadata`` with the page's address; authors are joined by semicolons."""
    extract = import_module("trafilatura").extract_metadata

    def read(page: GoldPage) -> GivenMetadata:
        found: Any = extract(page.html, default_url=page.url)
        if found is None:
            return GivenMetadata()
        authors = tuple(name.strip() for name in (found.author or "").split(";") if name.strip())
        moment = Moment(datetime.fromisoformat(found.date).date()) if found.date else None
        return GivenMetadata(found.title, authors, moment, description=found.description, tags=tuple(found.tags or ()))

    return read


def _newspaper4k() -> Read:
    """With the page's address and without images, as for the text."""
    article = import_module("newspaper").article

    def read(page: GoldPage) -> GivenMetadata:
        found = article(url=page.url or _NO_ADDRESS, input_html=page.html, fetch_images=False)
        date = found.publish_date if isinstance(found.publish_date, datetime) else None
        moment = Moment(date.date(), date.timetz()) if date is not None else None
        return GivenMetadata(
            found.title,
            tuple(found.authors or ()),
            moment,
            description=found.meta_description,
            tags=tuple(found.meta_keywords or ()),
        )

    return read


_PEERS = {"trafilatura": _trafilatura, "newspaper4k": _newspaper4k}


def _cell(score: FieldScore) -> str:
    """Return F1, precision and recall; a dash where there is no gold or nothing was given."""
    return f"{score.f1:.3f} ({score.precision:.2f} / {score.recall:.2f})" if score.gold and score.given else "–"
