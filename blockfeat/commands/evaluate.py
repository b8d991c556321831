"""The command ``blockfeat evaluate``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from blockfeat.commands import console
from blockfeat.commands.options import (
    CorpusOption,
    DecoderOption,
    FavourOption,
    HeadlineOption,
    JobsOption,
    LangsOption,
    LeaveOutOption,
    ModelOption,
    QuietOption,
    labelled_pages,
)


def evaluate(
    corpus: CorpusOption = [],  # noqa: B006 (typer copies it)
    model: ModelOption = "default",
    lang: LangsOption = None,
    leave_out: LeaveOutOption = None,
    decoder: DecoderOption = None,
    favour: FavourOption = None,
    headline: HeadlineOption = None,
    by: Annotated[str, typer.Option(help="corpus, lang or page_type; several with commas.")] = "corpus,lang",
    worst: Annotated[int, typer.Option(min=0, help="Number of the worst pages to list.")] = 5,
    agreement: Annotated[
        tuple[Path, Path] | None,
        typer.Option(metavar="A B", help="Instead of a model: how two labellers of the same pages agree."),
    ] = None,
    report: Annotated[Path | None, typer.Option("--json", help="Write all scores to this file.")] = None,
    jobs: JobsOption = 1,
    quiet: QuietOption = False,
) -> None:
    """Score a model on labelled pages, or one labeller against another."""
    if agreement is not None:
        _agreement(agreement, lang, worst, report)
        return
    if not corpus:
        raise typer.BadParameter("name the labelled pages, or two labellers by --agreement", param_hint="--corpus")
    from blockfeat.extraction.extractor import Extractor
    from blockfeat.training.evaluation.report import evaluation_tables, write_evaluation
    from blockfeat.training.evaluation.score_model import score_model

    keys = _group_keys(by)
    extractor = Extractor.load(model).with_options(decoder=decoder, favour=favour, headline=headline)
    pages = labelled_pages(corpus, lang, leave_out)
    with console.progress("evaluating", quiet=quiet) as tick:
        evaluation = score_model(extractor, pages, jobs=jobs, on_page=lambda done: tick(done, len(pages)))
    for table in evaluation_tables(evaluation, keys, worst):
        console.show_table(table.title, table.columns, table.rows, right=table.first_number)
    if report is not None:
        write_evaluation(evaluation, report)


def _agreement(labellers: tuple[Path, Path], lang: str | None, worst: int, report: Path | None) -> None:
    """Score the second labeller against the first."""
    from blockfeat.training.evaluation.agreement import agreement
    from blockfeat.training.evaluation.report import agreement_tables, write_agreement

    first, second = (labelled_pages([str(path)], lang) for path in labellers)
    found = agreement(first, second)
    for path, alone in zip(labellers, (found.only_first, found.only_second), strict=True):
        if alone:
            console.error(f"{path}: {alone} pages that the other labeller has not are left out")
    for table in agreement_tables(found, worst):
        console.show_table(table.title, table.columns, table.rows, right=table.first_number)
    if report is not None:
        write_agreement(found, report)


def _group_keys(by: str) -> list[str]:
    """Read the option ``--by``."""
    from blockfeat.training.evaluation.evaluate import KEYS

    keys = [key.strip() for key in by.split(",")]
    for key in keys:
        if key not in KEYS:
            raise typer.BadParameter(f"'{key}' is none of {', '.join(KEYS)}", param_hint="--by")
    return keys
