"""The commands ``models``, ``evaluate`` and ``bench``: list and score models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blockfeat._extras import require_extra
from blockfeat._files import is_same_file, writing
from blockfeat.commands import console
from blockfeat.commands import options as shared
from blockfeat.errors import InputError
from blockfeat.extraction.options import DEFAULT_OPTIONS, ExtractionOptions

if TYPE_CHECKING:
    from blockfeat.training.evaluation.strategies import Agreement


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


@shared.with_extraction_options("decoder", "favour", "headline")
def evaluate(
    corpus: shared.CorpusOption = [],  # noqa: B006 (typer copies it)
    model: shared.ModelOption = "default",
    lang: shared.LangsOption = None,
    leave_out: shared.LeaveOutOption = None,
    options: ExtractionOptions = DEFAULT_OPTIONS,
    by: Annotated[str, typer.Option(help="corpus, lang or page_type; several with commas.")] = "corpus,lang",
    worst: Annotated[int, typer.Option(min=0, help="Number of the worst pages to list.")] = 5,
    agreement: Annotated[
        tuple[Path, Path] | None,
        typer.Option(metavar="A B", help="Instead of a model: how two labellers of the same pages agree."),
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write all scores to a file, as JSON.")] = None,
    jobs: shared.JobsOption = 1,
    quiet: shared.QuietOption = False,
) -> None:
    """Score a model on labelled pages, or one labeller against another."""
    require_extra("train", what="evaluate")
    from blockfeat.training.evaluation import report

    if output is not None and any(is_same_file(name, output) for name in (*(corpus or ()), *(agreement or ()))):
        raise console.wrong(f"{output}: it is an input too", "--output")
    if agreement is not None:
        found = _agreement(agreement, lang)
        tables, scores = report.agreement_tables(found, worst), found.to_dict()
    elif corpus:
        from blockfeat.extraction.extractor import Extractor
        from blockfeat.training.evaluation.evaluate import KEYS, score_model

        keys = [key.strip() for key in by.split(",")]
        for key in keys:
            console.check_choice(key, KEYS, "--by")
        extractor = Extractor.load(model).with_options(**options.given())
        pages = shared.labelled_pages(corpus, lang, leave_out)
        with console.progress("evaluating", quiet=quiet) as tick:
            evaluation = score_model(extractor, pages, jobs=jobs, on_page=lambda done: tick(done, len(pages)))
        tables, scores = report.evaluation_tables(evaluation, keys, worst), evaluation.to_dict(pages=True)
    else:
        raise typer.BadParameter("name the labelled pages, or two labellers by --agreement", param_hint="--corpus")
    for table in tables:
        console.show_table(table.title, table.columns, table.rows, right=table.first_number)
    if output is not None:
        report.write_scores(scores, output)


def _agreement(labellers: tuple[Path, Path], lang: str | None) -> Agreement:
    """Score the second labeller against the first."""
    from blockfeat.training.evaluation.strategies import agreement

    first, second = (shared.labelled_pages([str(path)], lang) for path in labellers)
    found = agreement(first, second)
    for path, alone in zip(labellers, (found.only_first, found.only_second), strict=True):
        if alone:
            console.error(f"{path}: {alone} pages that the other labeller has not are left out")
    return found


def bench(
    corpus: shared.CorpusOption,
    model: Annotated[list[str] | None, typer.Option("--model", "-m", help="Bundled name or file; repeatable.")] = None,
    peers: Annotated[str, typer.Option(help="all that are installed, none, or names with commas.")] = "all",
    sample: Annotated[int | None, typer.Option(min=1, help="Pages of each corpus; all by default.")] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for tables.")] = Path("bench-output"),
    leave_out: shared.LeaveOutOption = None,
    jobs: shared.JobsOption = 1,
    quiet: shared.QuietOption = False,
) -> None:
    """Score the texts of models and of installed peers on the same pages."""
    require_extra("train", what="bench")
    from blockfeat.data.split import sampled
    from blockfeat.extraction.extractor import Extractor
    from blockfeat.training.evaluation.bench import bench_systems, run_bench
    from blockfeat.training.evaluation.peers import peers_named

    try:
        others = peers_named(name.strip() for name in peers.split(","))
    except InputError as error:
        raise typer.BadParameter(str(error), param_hint="--peers") from None
    systems = bench_systems(map(Extractor.load, model or ["default"]), others)
    pages = sampled(shared.labelled_pages(corpus, leave_out=leave_out), sample)
    with writing(output):
        output.mkdir(parents=True, exist_ok=True)
    with console.progress("bench", quiet=quiet) as tick:
        result = run_bench(systems, pages, jobs=jobs, on_page=lambda name, done, all: tick(done, all, name))
    console.show(result.to_markdown())
    for path in result.write(output):
        console.show(f"written: {path}")
