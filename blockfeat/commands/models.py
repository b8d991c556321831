"""The commands ``blockfeat models`` and ``adapt``: what is bundled, and what a site's pages teach."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from blockfeat.commands import console
from blockfeat.commands.options import QuietOption


def models() -> None:
    """List the bundled models."""
    from blockfeat.models import DEFAULT_MODEL, bundled_models, load_model

    rows = []
    for name in bundled_models():
        model = load_model(name)
        shown = f"{name} (used by default)" if name == DEFAULT_MODEL else name
        languages = ",".join(model.languages) or "any"
        features = str(len(model.feature_names) or "-")
        rows.append([shown, model.kind, model.table.name, model.decoding, features, languages])
    columns = ["model", "kind", "tag table", "decoding", "features", "languages"]
    console.show_table("", columns, rows)
    console.show("what each is for: docs/which-model.md; how good on which pages: docs/models.md")


def adapt(
    pages: Annotated[
        list[str], typer.Option("--pages", "-p", help="Folder or file with pages of the site; repeatable.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Model file to write (.npz).")],
    model: Annotated[str, typer.Option("--model", "-m", help="Token model to start from.")] = "mss-supervised",
    name: Annotated[str | None, typer.Option(help="Name of the new model; the file's by default.")] = None,
    window: Annotated[
        int, typer.Option(min=1, help="Tokens beside a boundary of the text that give the certainty.")
    ] = 10,
    share: Annotated[float, typer.Option(help="Share of the pages, the most certain, to learn from.")] = 0.6,
    distance: Annotated[
        int, typer.Option(min=1, help="Tokens from a boundary up to which a token has importance.")
    ] = 64,
    factor: Annotated[float, typer.Option(min=0, help="Weight of importance.")] = 24.0,
    iterations: Annotated[int, typer.Option(min=1, help="Most iterations.")] = 10,
    quiet: QuietOption = False,
) -> None:
    """Adapt a token model to one site from unlabelled pages of that site."""
    from blockfeat.errors import ModelError
    from blockfeat.io.inputs import read_inputs
    from blockfeat.models.store import load_model, save_model
    from blockfeat.papers.tokens.adapt import AdaptOptions
    from blockfeat.papers.tokens.adapt import adapt as adapt_model
    from blockfeat.papers.tokens.model import TokenModel

    base = load_model(model)
    if not isinstance(base, TokenModel):
        raise ModelError(f"model {model!r} does not label tokens and cannot be adapted; use mss-supervised")
    options = AdaptOptions(window, share, distance, factor, iterations)
    with console.progress("adapting", quiet=quiet) as tick:
        found = adapt_model(
            read_inputs(pages),
            base,
            name=name or output.stem,
            options=options,
            on_page=lambda done: tick(done, None, "pages read"),
            on_iteration=lambda done: tick(done, iterations, "iterations"),
        )
    save_model(found.model, output)
    if not quiet:
        for problem in found.skipped:
            console.error(problem)
    console.show(f"{found.pages} pages, {len(found.changed)} iterations")
    for number, changed in enumerate(found.changed, start=1):
        console.show(f"iteration {number}: the text of {changed} pages changed")
    console.show(f"written: {output}")
