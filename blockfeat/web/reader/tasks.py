"""What worker processes do for the service: each task a value that is called with what the process has loaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from blockfeat.extraction.extraction import Extraction
from blockfeat.io.outputs import explanation_table
from blockfeat.web.reader.choices import ExtractionChoices
from blockfeat.web.reader.described import (
    described_features,
    described_model,
    described_thresholds,
    features_by_name,
    usual_values,
)
from blockfeat.web.reader.differences import differing_blocks
from blockfeat.web.reader.kept import PageSource
from blockfeat.web.reader.loaded import LoadedExtractors
from blockfeat.web.reader.outputs import written
from blockfeat.web.reader.plain import plain
from blockfeat.web.safe.coloured import extraction_and_coloured_page


def _extracted(source: PageSource, choices: ExtractionChoices, loaded: LoadedExtractors) -> Extraction:
    return loaded.of(choices).extract(source.html, url=source.url, lang=choices.lang, charset=source.charset)


@dataclass(frozen=True)
class Extract:
    """Extracts a page; returns its record, and the main text in some formats.

    Attributes
    ----------
    source : PageSource
        The page.
    choices : ExtractionChoices
        Model and options.
    formats : tuple of str
        Names of formats.
    links, images : bool
        Write links in Markdown, and images, where the format can.
    evidence : bool
        Add the blocks to the record.
    """

    source: PageSource
    choices: ExtractionChoices
    formats: tuple[str, ...] = ()
    links: bool = False
    images: bool = False
    evidence: bool = False

    def __call__(self, loaded: LoadedExtractors) -> dict[str, Any]:
        """Return ``record`` and ``outputs``."""
        extraction = _extracted(self.source, self.choices, loaded)
        options = {"links": self.links, "images": self.images, "evidence": self.evidence}
        outputs = {name: written(extraction, name, **options) for name in self.formats}
        return {"record": plain(extraction.to_dict(evidence=self.evidence)), "outputs": outputs}


@dataclass(frozen=True)
class Explain:
    """Extracts a page; returns its blocks with what was decided about each, and why.

    Attributes
    ----------
    source : PageSource
        The page.
    choices : ExtractionChoices
        Model and options.
    features : bool
        Add the features of the blocks.
    blocks : tuple of int or None
        Only these blocks; all without it.
    """

    source: PageSource
    choices: ExtractionChoices
    features: bool = True
    blocks: tuple[int, ...] | None = None

    def __call__(self, loaded: LoadedExtractors) -> dict[str, Any]:
        """Return ``record``, ``thresholds`` and ``blocks``."""
        extraction = _extracted(self.source, self.choices, loaded)
        model = loaded.of(self.choices).model
        thresholds = described_thresholds(model, extraction.lang)
        known = features_by_name() if self.features else {}
        usual = usual_values(extraction.blocks) if self.features else {}
        wanted = None if self.blocks is None else set(self.blocks)
        rows = []
        for row, block in zip(explanation_table(extraction), extraction.blocks, strict=True):
            if wanted is None or block.index in wanted:
                row["features"] = described_features(block, thresholds, known, usual) if self.features else []
                rows.append({**row, "level": block.level, "links": len(block.links)})
        return {"record": plain(extraction.to_dict()), "thresholds": plain(thresholds), "blocks": plain(rows)}


@dataclass(frozen=True)
class Compare:
    """Extracts a page in two ways; returns the blocks about which the two differ."""

    source: PageSource
    first: ExtractionChoices
    second: ExtractionChoices

    def __call__(self, loaded: LoadedExtractors) -> dict[str, Any]:
        """Return what each keeps, the blocks of each about which the other decides otherwise, and their agreement."""
        pair = [_extracted(self.source, choices, loaded) for choices in (self.first, self.second)]
        return differing_blocks(*pair)


@dataclass(frozen=True)
class Colour:
    """Returns the page with its blocks coloured."""

    source: PageSource
    choices: ExtractionChoices
    look: str = "page"

    def __call__(self, loaded: LoadedExtractors) -> str:
        """Return the coloured page."""
        _, coloured = extraction_and_coloured_page(
            self.source.html,
            loaded.of(self.choices),
            url=self.source.url,
            lang=self.choices.lang,
            charset=self.source.charset,
            look=self.look,
        )
        return coloured


@dataclass(frozen=True)
class DescribeModels:
    """Describes the models that are offered."""

    names: Sequence[str]

    def __call__(self, loaded: LoadedExtractors) -> list[dict[str, Any]]:
        """Return a description of each."""
        return [described_model(name, loaded.of_model(name).model) for name in self.names]
