"""The command ``blockfeat explain``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blockfeat.commands import console
from blockfeat.commands.inputs import input_options
from blockfeat.commands.options import (
    AllowNetworkOption,
    CaptionsOption,
    CommentsOption,
    DecoderOption,
    FavourOption,
    FieldsOption,
    HeadlineOption,
    InputFormatOption,
    MaxBytesOption,
    ModelOption,
    RunsOption,
    SiteFileOption,
    TablesOption,
    language,
)
from blockfeat.errors import InputError

if TYPE_CHECKING:
    from blockfeat.extraction.extraction import Extraction
    from blockfeat.extraction.extractor import Extractor
    from blockfeat.io.inputs import InputOptions
    from blockfeat.models.model import Model
    from blockfeat.models.threshold import ThresholdModel


# Headers of narrow columns.
_SHORT_TITLES = {
    "average_sentence_length": "sentence length",
    "sentence_count": "sentences",
    "character_distribution": "characters",
    "stop_word_ratio": "stop words",
    "anchor_ratio": "anchors",
    "format_tag_ratio": "format",
    "list_element_ratio": "list",
    "text_structuring_ratio": "structure",
}
_LONGEST_TEXT = 60


def explain(
    page: Annotated[str, typer.Argument(help="File, address, or '-' for standard input; of several pages the first.")],
    model: ModelOption = "default",
    decoder: DecoderOption = None,
    runs: RunsOption = None,
    favour: FavourOption = None,
    headline: HeadlineOption = None,
    captions: CaptionsOption = None,
    tables: TablesOption = None,
    comments: CommentsOption = None,
    lang: Annotated[str, typer.Option(help="Language of the page, such as de; auto identifies it.")] = "auto",
    input_format: InputFormatOption = "auto",
    fields: FieldsOption = None,
    allow_network: AllowNetworkOption = None,
    max_bytes: MaxBytesOption = None,
    site: SiteFileOption = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write the blocks as a coloured HTML page.")] = None,
) -> None:
    """Show every block of a page: whether it is kept, its features, and the reason."""
    from blockfeat._files import write_text
    from blockfeat.extraction.extractor import Extractor
    from blockfeat.io.outputs import explanation_page

    reading = input_options(input_format, fields, allow_network, 0.0)
    extractor = Extractor.load(model).with_options(
        decoder=decoder,
        runs=runs,
        favour=favour,
        headline=headline,
        captions=captions,
        tables=tables,
        comments=comments,
        max_bytes=max_bytes,
    )
    if site is not None:
        from blockfeat.extraction.site_profile import SiteProfile

        extractor = extractor.with_site(SiteProfile.load(site))
    extraction = _extraction(extractor, page, language(lang), reading)
    _show_explanation(extractor.model, extraction)
    if html is not None:
        write_text(html, explanation_page(extraction))
        console.show(f"written: {html}")


def _extraction(extractor: Extractor, page: str, lang: str | None, reading: InputOptions) -> Extraction:
    """Read the one page, the first of several, and extract its text; raise InputError where either fails."""
    from blockfeat.io.inputs import read_inputs

    document = next(read_inputs([page], reading), None)
    if document is None:
        raise InputError(f"{page}: no page found")
    extraction = extractor.extract_document(replace(document, lang=lang or document.lang))
    if extraction.error:
        raise InputError(console.with_name(document.id, extraction.error))
    return extraction


def _show_explanation(model: Model, extraction: Extraction) -> None:
    """Print the model's thresholds, where it has any, and the blocks as tables."""
    from blockfeat.models.threshold import ThresholdModel

    facts = f"language {extraction.lang or 'unknown'}, encoding {extraction.encoding}"
    if isinstance(model, ThresholdModel):
        _show_thresholds(model, extraction, f"{model.name}, decoder {model.decoder.name}, {facts}")
        _show_features(model, extraction)
    else:
        rows = [
            [_kept(block.kept), str(block.index), f"{block.score:.1f}", block.reason, _short(block.text)]
            for block in extraction.blocks
        ]
        console.show_table(f"{model.name}, {facts}", ["", "#", "score", "reason", "text"], rows)
    kept = sum(block.kept for block in extraction.blocks)
    console.show(f"{kept} of {len(extraction.blocks)} blocks kept")


def _show_thresholds(model: ThresholdModel, extraction: Extraction, title: str) -> None:
    thresholds = model.thresholds_for(extraction.lang)
    rows = [
        [
            feature.title,
            f"{'at least' if feature.sign > 0 else 'at most'} {console.threshold_text(limit)}",
            feature.unit,
        ]
        for feature, limit in zip(model.features, thresholds.tolist(), strict=True)
    ]
    console.show_table(title, ["feature", "threshold", "unit"], rows)


def _show_features(model: ThresholdModel, extraction: Extraction) -> None:
    names = [feature.name for feature in model.features]
    columns = ["", "#", "score", *(_SHORT_TITLES.get(name, name) for name in names), "text"]
    rows = []
    for block in extraction.blocks:
        cells = [f"{block.features[name]:.2f}{'!' if name in block.failed else ''}" for name in names]
        rows.append([_kept(block.kept), str(block.index), f"{block.score:.1f}", *cells, _short(block.text)])
    console.show_table("blocks; ! marks a failed threshold", columns, rows)


def _kept(kept: bool) -> str:
    return "kept" if kept else "-"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 1] + "…"
