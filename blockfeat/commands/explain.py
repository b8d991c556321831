"""The command ``blockfeat explain``: every block of pages, kept or dropped, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from math import isinf
from typing import TYPE_CHECKING, Annotated

import typer

from blockfeat.commands import console
from blockfeat.commands import options as shared
from blockfeat.commands.batch import Inputs, run_batch, target_of
from blockfeat.errors import InputError
from blockfeat.extraction.options import DEFAULT_OPTIONS, ExtractionOptions, GivenOptions
from blockfeat.io.inputs.options import DEFAULT_READING, InputOptions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from blockfeat.extraction.extraction import Extraction
    from blockfeat.models.model import Model
    from blockfeat.models.threshold import ThresholdModel

_LONGEST_TEXT = 60
_CHANGES_SHOWN = 6
# Options that affect the blocks.
_OPTIONS = tuple(name for name in GivenOptions.__annotations__ if name not in ("metadata", "normalise"))


@shared.with_input_options()
@shared.with_extraction_options(*_OPTIONS)
def explain(
    pages: Annotated[list[str], typer.Argument(help="Files, folders, addresses, or '-' for standard input.")],
    model: shared.ModelOption = "default",
    options: ExtractionOptions = DEFAULT_OPTIONS,
    lang: shared.LangOption = "auto",
    reading: InputOptions = DEFAULT_READING,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", help="Coloured page (.html), records with all blocks (.json), or a folder of pages."
        ),
    ] = None,
    why: Annotated[int | None, typer.Option("--why", min=0, help="Only this block, and what would change it.")] = None,
    quiet: shared.QuietOption = False,
) -> None:
    """Show every block of pages: whether it is kept, its features, and the reason; or write that to --output."""
    from blockfeat.extraction.extractor import Extractor
    from blockfeat.io.outputs import explanation_page
    from blockfeat.io.outputs.formats import Formatter

    extractor = Extractor.load(model).with_options(**options.given())
    target = target_of(output, None, inputs=pages, resume=False)
    if target.is_folder or target.format == "html":
        target = replace(target, format="page")
    elif target.format != "json" and target.path is not None:
        raise console.wrong(f"{output}: explanations are .html, .json, or a folder of pages", "--output")
    write: Callable[[Extraction], str] = partial(_tables, extractor.model) if why is None else partial(_block, why)
    if target.format == "page":
        write = explanation_page
    renderer = Formatter(extractor, target.format, {"evidence": True}, shared.language(lang), write)
    if code := run_batch(Inputs(tuple(pages), ()), reading, renderer, target, quiet=quiet):
        raise typer.Exit(code)
    if target.path is not None:
        console.show(f"written: {output}")


def _tables(model: Model, extraction: Extraction) -> str:
    """Return the model's thresholds, where it has any, and the blocks as tables."""
    from blockfeat.models.threshold import ThresholdModel

    tables = []
    if isinstance(model, ThresholdModel):
        limits = {extraction.lang or "": model.thresholds_for(extraction.lang)}
        tables.append(thresholds_table(f"decoder {model.decoder.name}", model, limits))
    rows = [
        ["kept" if block.kept else "-", str(block.index), f"{block.score:.1f}", block.reason, _short(block.text)]
        for block in extraction.blocks
    ]
    title = f"{model.name}, language {extraction.lang or 'unknown'}, encoding {extraction.encoding}"
    tables.append(console.table_text(title, ["", "#", "score", "reason", "text"], rows))
    return "\n".join([*tables, f"{sum(block.kept for block in extraction.blocks)} of {len(rows)} blocks kept"])


def thresholds_table(title: str, model: ThresholdModel, limits: Mapping[str, NDArray[np.float64]]) -> str:
    """Return the thresholds of a model, by name, as a table."""
    rows = []
    for place, feature in enumerate(model.features):
        bound = "at least" if feature.sign > 0 else "at most"
        shown = ["-" if isinf(limit[place]) else f"{limit[place]:.3f}" for limit in limits.values()]
        rows.append([f"{feature.title}, {bound}", *shown, feature.unit])
    return console.table_text(title, ["feature", *limits, "unit"], rows)


def _block(number: int, extraction: Extraction) -> str:
    """Return the reason of one block, what moved its score most, and what would reverse the decision."""
    from blockfeat.extraction.reasons import strongest
    from blockfeat.features.measuring import features_named

    if number >= (count := len(extraction.blocks)):
        raise InputError(f"the page has {f'blocks 0 to {count - 1}, not {number}' if count else 'no blocks'}")
    block = extraction.blocks[number]
    lines = [f"{number}: {_short(block.text)}", block.reason]
    if block.contributions:
        features = features_named(tuple(block.contributions))
        moved = strongest(features, list(block.contributions.values()))
        lines.append("moved the score most: " + ", ".join(f"{title} {value:+.1f}" for title, value in moved))
    other = "dropped" if block.kept else "kept"
    found = extraction.what_would_change(number)
    if found is None:
        lines.append(f"a rule decides, or the whole page: no change of this block would have it {other}")
    elif found.like is not None:
        like = extraction.blocks[found.like]
        lines.append(f"its neighbours decide: it would be {other} among those of {like.index}: {_short(like.text)}")
    else:
        rest = len(found.changes) - _CHANGES_SHOWN
        shown = "; ".join(map(str, found.changes[:_CHANGES_SHOWN]))
        lines.append(f"would be {other} with {shown}{f'; and {rest} smaller changes' if rest > 0 else ''}")
    return "\n".join(lines)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 1] + "…"
