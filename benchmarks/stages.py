"""Where the time of an extraction goes: process time of each stage of the chain."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from blockfeat.errors import InputError
from blockfeat.extraction.extractor import Extractor
from blockfeat.features.measuring import FeatureExtractor, PageFeatures, context_features, feature_matrix, page_rows
from blockfeat.features.schema import Measured
from blockfeat.page.page import Page
from blockfeat.training.evaluation.metrics import markdown_table

if TYPE_CHECKING:
    import pandas


STAGES: tuple[str, ...] = ("page", "blocks", "language", "features", "prediction", "extraction")
"""The stages in the order in which a page passes through them."""


@dataclass(frozen=True)
class StageProfile:
    """Mean process time a page by stage.

    Attributes
    ----------
    model : str
        Name of the model.
    pages, passes : int
        How much was measured; of each page and stage the best pass counts.
    seconds : dict
        Mean seconds a page by stage, in the order of `STAGES`.
    """

    model: str
    pages: int
    passes: int
    seconds: dict[str, float]

    @property
    def total(self) -> float:
        """Mean seconds a page of all stages together."""
        return sum(self.seconds.values())

    def to_frame(self) -> pandas.DataFrame:
        """Return one row a stage: stage, seconds, share."""
        import pandas

        rows = [(stage, seconds, seconds / (self.total or 1)) for stage, seconds in self.seconds.items()]
        return pandas.DataFrame(rows, columns=["stage", "seconds", "share"])

    def to_markdown(self) -> str:
        """Return a table of milliseconds a page and shares."""
        rows = [
            [stage, f"{1000 * seconds:.3f}", f"{100 * seconds / (self.total or 1):.1f} %"]
            for stage, seconds in self.seconds.items()
        ]
        return markdown_table(["stage", "ms a page", "share"], [*rows, ["all", f"{1000 * self.total:.3f}", "100 %"]])


def profile_stages(extractor: Extractor, pages: Iterable[str | bytes], *, passes: int = 5) -> StageProfile:
    """Measure the process time of each stage, best of several passes.

    Parameters
    ----------
    extractor : Extractor
        With the model to measure.
    pages : iterable of str or bytes
        The pages; one that cannot be extracted raises.
    passes : int
        At least 1.

    Raises
    ------
    InputError
        There are no pages, or no passes.
    """
    found = list(pages)
    if not found or passes < 1:
        raise InputError(f"a profile needs at least one page and one pass, not {len(found)} and {passes}")
    best = [dict.fromkeys(STAGES, float("inf")) for _ in found]
    for _ in range(passes):
        for page, seconds in zip(found, best, strict=True):
            times = list(_clock_after_each_stage(extractor, page))
            for stage, (before, after) in zip(STAGES, pairwise(times), strict=True):
                seconds[stage] = min(seconds[stage], after - before)
    means = {stage: sum(seconds[stage] for seconds in best) / len(best) for stage in STAGES}
    return StageProfile(extractor.model.name, len(found), passes, means)


def _clock_after_each_stage(extractor: Extractor, html: str | bytes) -> Iterator[float]:
    """Take one page through the chain; yield the process time before it and after each stage."""
    yield time.process_time()
    page = Page.parse(html)
    yield time.process_time()
    measurer = extractor.measurer
    if isinstance(measurer, FeatureExtractor) and type(measurer).measure is FeatureExtractor.measure:
        blocks = measurer.cutter.cut(page, measurer.segmenter)
        yield time.process_time()
        page_wide = measurer.stop_word_scope == "page"
        language = measurer.identifier.page_language(
            blocks.measures, blocks.block_starts, declared=page.declared_lang, languages=measurer.languages,
            stop_lists=measurer.stop_lists, page_wide=page_wide,
        )  # fmt: skip
        yield time.process_time()
        found, has_all = Measured(blocks, language.stop_words), measurer.features == context_features()
        rows = page_rows(found) if has_all else feature_matrix(measurer.features, found)
        measured = PageFeatures(blocks, rows, language.lang, language.stop_words)
    else:
        # A measurer with a segmentation of its own does all of it in one step.
        yield time.process_time()
        yield time.process_time()
        measured = measurer.measure(page)
    yield time.process_time()
    prediction = extractor.model.predict(measured)
    yield time.process_time()
    extractor.assemble(page, measured, prediction)
    yield time.process_time()
