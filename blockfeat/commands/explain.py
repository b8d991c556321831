"""The command ``blockfeat explain``: every block of a page, kept or dropped, and why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blockfeat.commands import console
from blockfeat.commands.options import LangOption, ModelOption, language, with_extraction_options, with_input_options
from blockfeat.errors import InputError
from blockfeat.extraction.options import DEFAULT_OPTIONS, ExtractionOptions, GivenOptions
from blockfeat.io.inputs.options import DEFAULT_READING, InputOptions

if TYPE_CHECKING:
    from blockfeat.extraction.extraction import Extraction
    from blockfeat.io.inputs import Document
    from blockfeat.models.model import Model

_LONGEST_TEXT = 60
_CHANGES_SHOWN = 6
# Options that affect the blocks.
_OPTIONS = tuple(name for name in GivenOptions.__annotations__ if name not in ("metadata", "normalise"))


@with_input_options(delay=False)
@with_extraction_options(*_OPTIONS)
def explain(
    page: Annotated[str, typer.Argument(help="File, address, or '-' for standard input; of several pages the first.")],
    model: ModelOption = "default",
    options: ExtractionOptions = DEFAULT_OPTIONS,
    lang: LangOption = "auto",
    reading: InputOptions = DEFAULT_READING,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the blocks as a coloured HTML page.")
    ] = None,
    why: Annotated[int | None, typer.Option("--why", min=0, help="Only this block, and what would change it.")] = None,
) -> None:
    """Show every block of a page: whether it is kept, its features, and the reason; or write that to --output."""
    from blockfeat._files import write_text
    from blockfeat.extraction.extractor import Extractor
    from blockfeat.io.outputs import explanation_page

    extractor = Extractor.load(model).with_options(**options.given())
    document = first_page(page, reading)
    extraction = extractor.extract_document(replace(document, lang=language(lang) or document.lang))
    if extraction.error:
        raise InputError(console.with_name(document.id, extraction.error))
    if why is not None:
        _show_block(extraction, why)
    elif output is None:
        _show_explanation(extractor.model, extraction)
    if why is None:
        console.show(f"{sum(block.kept for block in extraction.blocks)} of {len(extraction.blocks)} blocks kept")
    if output is not None:
        write_text(output, explanation_page(extraction))
        console.show(f"written: {output}")


def first_page(page: str, reading: InputOptions) -> Document:
    """Return the page of an input, the first of several."""
    from blockfeat.io.inputs import read_inputs

    for document in read_inputs([page], reading):
        return document
    raise InputError(f"{page}: no page found")


def _show_block(extraction: Extraction, number: int) -> None:
    """Print the reason of one block, what moved its score most, and what would reverse the decision."""
    from blockfeat.extraction.reasons import strongest
    from blockfeat.features.measuring import features_named

    if number >= len(extraction.blocks):
        raise typer.BadParameter(f"the page has blocks 0 to {len(extraction.blocks) - 1}", param_hint="--why")
    block = extraction.blocks[number]
    console.show(f"{number}: {_short(block.text)}")
    console.show(block.reason)
    if block.contributions:
        features = features_named(tuple(block.contributions))
        moved = strongest(features, list(block.contributions.values()))
        console.show("moved the score most: " + ", ".join(f"{title} {value:+.1f}" for title, value in moved))
    other = "dropped" if block.kept else "kept"
    found = extraction.what_would_change(number)
    if found is None:
        console.show(f"a rule decides, or the whole page: no change of this block would have it {other}")
    elif found.like is not None:
        like = extraction.blocks[found.like]
        console.show(f"its neighbours decide: it would be {other} among those of {like.index}: {_short(like.text)}")
    else:
        rest = len(found.changes) - _CHANGES_SHOWN
        shown = "; ".join(map(str, found.changes[:_CHANGES_SHOWN]))
        console.show(f"would be {other} with {shown}{f'; and {rest} smaller changes' if rest > 0 else ''}")


def _show_explanation(model: Model, extraction: Extraction) -> None:
    """Print the model's thresholds, where it has any, and the blocks as tables."""
    from blockfeat.models.threshold import ThresholdModel

    title = f"{model.name}, language {extraction.lang or 'unknown'}, encoding {extraction.encoding}"
    if isinstance(model, ThresholdModel):
        limits = zip(model.features, model.thresholds_for(extraction.lang).tolist(), strict=True)
        thresholds = [
            [
                feature.title,
                f"{'at least' if feature.sign > 0 else 'at most'} {console.threshold_text(limit)}",
                feature.unit,
            ]
            for feature, limit in limits
        ]
        console.show_table(f"decoder {model.decoder.name}", ["feature", "threshold", "unit"], thresholds)
    rows = [
        ["kept" if block.kept else "-", str(block.index), f"{block.score:.1f}", block.reason, _short(block.text)]
        for block in extraction.blocks
    ]
    console.show_table(title, ["", "#", "score", "reason", "text"], rows)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 1] + "…"
