"""The commands ``blockfeat evaluate``, one model, and ``blockfeat bench``, models beside the peers, or speed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from blockfeat._extras import require_extra
from blockfeat._files import writing
from blockfeat.commands import console
from blockfeat.commands.options import (
    CorpusOption,
    JobsOption,
    LangsOption,
    LeaveOutOption,
    ModelOption,
    QuietOption,
    labelled_pages,
    with_extraction_options,
)
from blockfeat.errors import InputError
from blockfeat.extraction.options import DEFAULT_OPTIONS, ExtractionOptions

if TYPE_CHECKING:
    from blockfeat.commands.console import Ticker
    from blockfeat.data.corpus import LabelledPage
    from blockfeat.extraction.extractor import Extractor
    from blockfeat.monitor.mentions.scores import MentionBench
    from blockfeat.training.evaluation.bench_result import BenchResult
    from blockfeat.training.evaluation.peers import Peer
    from blockfeat.training.evaluation.text_bench import TextBench


@with_extraction_options("decoder", "favour", "headline")
def evaluate(
    corpus: CorpusOption = [],  # noqa: B006 (typer copies it)
    model: ModelOption = "default",
    lang: LangsOption = None,
    leave_out: LeaveOutOption = None,
    options: ExtractionOptions = DEFAULT_OPTIONS,
    by: Annotated[str, typer.Option(help="corpus, lang or page_type; several with commas.")] = "corpus,lang",
    worst: Annotated[int, typer.Option(min=0, help="Number of the worst pages to list.")] = 5,
    agreement: Annotated[
        tuple[Path, Path] | None,
        typer.Option(metavar="A B", help="Instead of a model: how two labellers of the same pages agree."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write all scores to this file, as JSON.")
    ] = None,
    jobs: JobsOption = 1,
    quiet: QuietOption = False,
) -> None:
    """Score a model on labelled pages, or one labeller against another."""
    require_extra("train", what="evaluate")
    if agreement is not None:
        _agreement(agreement, lang, worst, output)
        return
    if not corpus:
        raise typer.BadParameter("name the labelled pages, or two labellers by --agreement", param_hint="--corpus")
    from blockfeat.extraction.extractor import Extractor
    from blockfeat.training.evaluation.evaluate import score_model
    from blockfeat.training.evaluation.report import evaluation_tables, write_scores

    keys = _group_keys(by)
    extractor = Extractor.load(model).with_options(**options.given())
    pages = labelled_pages(corpus, lang, leave_out)
    with console.progress("evaluating", quiet=quiet) as tick:
        evaluation = score_model(extractor, pages, jobs=jobs, on_page=lambda done: tick(done, len(pages)))
    for table in evaluation_tables(evaluation, keys, worst):
        console.show_table(table.title, table.columns, table.rows, right=table.first_number)
    if output is not None:
        write_scores(evaluation.to_dict(pages=True), output)


def _agreement(labellers: tuple[Path, Path], lang: str | None, worst: int, output: Path | None) -> None:
    """Score the second labeller against the first."""
    from blockfeat.training.evaluation.report import agreement_tables, write_scores
    from blockfeat.training.evaluation.strategies import agreement

    first, second = (labelled_pages([str(path)], lang) for path in labellers)
    found = agreement(first, second)
    for path, alone in zip(labellers, (found.only_first, found.only_second), strict=True):
        if alone:
            console.error(f"{path}: {alone} pages that the other labeller has not are left out")
    for table in agreement_tables(found, worst):
        console.show_table(table.title, table.columns, table.rows, right=table.first_number)
    if output is not None:
        write_scores(found.to_dict(), output)


def _group_keys(by: str) -> list[str]:
    """Read the option ``--by``."""
    from blockfeat.training.evaluation.evaluate import KEYS

    keys = [key.strip() for key in by.split(",")]
    for key in keys:
        console.check_choice(key, KEYS, "--by")
    return keys


def bench(
    corpus: CorpusOption,
    what: Annotated[
        Literal["quality", "text", "metadata", "mentions"],
        typer.Argument(
            help="quality: scores of the texts; text: their boundaries, edges and structure; metadata: title, authors, "
            "dates, --corpus names gold metadata; mentions: which names an article mentions, by language."
        ),
    ] = "quality",
    model: Annotated[
        list[str] | None, typer.Option("--model", "-m", help="Bundled name or model file; repeatable.")
    ] = None,
    peers: Annotated[str, typer.Option(help="all that are installed, none, or names with commas.")] = "all",
    speed: Annotated[bool, typer.Option("--speed", help="Measure process time instead of quality.")] = False,
    growth: Annotated[
        bool, typer.Option("--growth", help="Deprecated: run python -m benchmarks growth from a checkout.")
    ] = False,
    metadata: Annotated[bool, typer.Option("--metadata", help="Deprecated: bench metadata.")] = False,
    memory: Annotated[
        bool, typer.Option("--memory", help="Deprecated: run python -m benchmarks footprint from a checkout.")
    ] = False,
    sample: Annotated[int | None, typer.Option(min=1, help="Pages of each corpus; all by default.")] = None,
    passes: Annotated[int, typer.Option(min=1, help="Timed passes; the fastest counts.")] = 5,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for tables and plots.")] = Path("bench-output"),
    leave_out: LeaveOutOption = None,
    jobs: JobsOption = 1,
    quiet: QuietOption = False,
) -> None:
    """Compare models and installed peers on the same pages in one run."""
    require_extra("train", what="bench")
    if what == "mentions":
        require_extra("monitor", what="bench mentions")
    from blockfeat.extraction.extractor import Extractor
    from blockfeat.training.evaluation.bench import sampled

    what = "metadata" if metadata else what
    if speed and what != "quality":
        raise typer.BadParameter(f"measure one thing at a time: {what} or --speed", param_hint="--speed")
    if what == "metadata" and leave_out is not None:
        raise typer.BadParameter("metadata are scored on all pages of their gold", param_hint="--leave-out")
    models = [Extractor.load(name) for name in model or ["default"]]
    chosen = _peers(peers)
    if what == "metadata":
        _metadata(models[0], chosen, corpus, sample=sample, folder=output, quiet=quiet)
        return
    pages = sampled(labelled_pages(corpus, leave_out=leave_out), sample)
    with writing(output):
        output.mkdir(parents=True, exist_ok=True)
    with console.progress("bench", quiet=quiet) as tick:
        run = _Bench(models, chosen, corpus, pages, output, tick)
        for line in run.timed(passes, growth=growth, memory=memory) if speed else run.scored(what, jobs):
            console.show(line)
    if peers == "all":
        _show_missing()


@dataclass(frozen=True)
class _Bench:
    """What is compared, on which pages, of which corpora; where tables and plots go."""

    models: Sequence[Extractor]
    peers: Sequence[Peer]
    corpora: Sequence[str]
    pages: Sequence[LabelledPage]
    folder: Path
    tick: Ticker

    def scored(self, what: str, jobs: int) -> Iterator[str]:
        """Score models and peers by their texts, or by the names in them; write that; yield the lines to print."""
        result: BenchResult | MentionBench | TextBench

        def on_page(system: str, done: int, all: int) -> None:
            self.tick(done, all, system)

        if what == "mentions":
            from blockfeat.monitor.mentions.bench import run_mentions

            result = run_mentions(self.models, self.peers, self.pages, jobs=jobs, on_page=on_page)
        elif what == "text":
            from blockfeat.training.evaluation.text_bench import run_text_bench
            from blockfeat.training.evaluation.text_scores import structure_gold

            gold = structure_gold(path for path in self.corpora if path != "demo")
            result = run_text_bench(self.models, self.peers, self.pages, gold, jobs=jobs, on_page=on_page)
        else:
            from blockfeat.training.evaluation.bench import run_bench

            result = run_bench(self.models, self.peers, self.pages, jobs=jobs, on_page=on_page)
        yield result.to_markdown()
        yield from (f"written: {path}" for path in result.write(self.folder))

    def timed(self, passes: int, *, growth: bool, memory: bool) -> Iterator[str]:
        """Time models and peers on the same pages; write tables and plots; yield the lines to print."""
        from blockfeat.training.evaluation.speed import measure_speed, systems_of

        systems = systems_of(self.models, self.peers)
        result = measure_speed(
            systems, self.pages, passes=passes, on_page=lambda done, all: self.tick(done, all, "timing")
        )
        with writing(self.folder):
            result.to_frame().to_csv(self.folder / "speed.csv", index=False)
            result.plot(self.folder / "speed.png")
        yield result.to_markdown()
        yield from self._of_checkout(growth=growth, memory=memory)
        yield f"written: {self.folder}"

    def _of_checkout(self, *, growth: bool, memory: bool) -> Iterator[str]:
        """Run what has moved to the folder ``benchmarks`` where that can be imported; else say what to run."""
        from blockfeat.training.evaluation.speed import systems_of

        if stages := _benchmark("stages"):
            pages = [page.html.encode("utf-8", "replace") for page in self.pages]
            yield stages.profile_stages(self.models[0], pages).to_markdown()
        if growth and (module := _benchmark("growth")):
            grown = module.measure_growth(
                systems_of(self.models), on_page=lambda system, shape, size: self.tick(0, None, f"{shape} {size}")
            )
            grown.write(self.folder)
            yield grown.to_markdown()
        if memory and (module := _benchmark("footprint")):
            found = module.memory_growth(self.models[0], [page.html for page in self.pages], 10_000)
            yield f"resident memory over 10,000 pages: {found.growth / 2**20:+.1f} MB after warm-up"
        moved = [name for name, asked in (("stages", True), ("growth", growth), ("footprint", memory)) if asked]
        if stages is None:
            yield f"not measured: {', '.join(moved)}; from a checkout, run python -m benchmarks {'|'.join(moved)}"
        elif len(moved) > 1:
            yield f"deprecated: --growth and --memory; run python -m benchmarks {'|'.join(moved[1:])}"


def _metadata(
    model: Extractor, peers: Sequence[Peer], paths: Sequence[str], *, sample: int | None, folder: Path, quiet: bool
) -> None:
    """Score metadata beside the peers that give them; print the table and write it."""
    from blockfeat.training.evaluation.metadata import METADATA_PEERS, run_metadata_bench
    from blockfeat.training.evaluation.metadata_scores import read_gold

    names = [peer.name for peer in peers]
    pages = read_gold(paths, sample=sample)
    with console.progress("bench", quiet=quiet) as tick:
        result = run_metadata_bench(
            model, pages, peers=names, on_page=lambda system, done, all: tick(done, all, system)
        )
    console.show(result.to_markdown())
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        console.show(f"written: {result.write(folder)}")
    missing = [name for name in METADATA_PEERS if name not in names]
    if missing:
        console.show(f"without {', '.join(missing)} (pip install 'blockfeat[peers]', --peers)")


def _benchmark(name: str) -> Any:
    """Import a module of the folder ``benchmarks`` of a checkout; None elsewhere."""
    try:
        return import_module(f"benchmarks.{name}")
    except ModuleNotFoundError:
        return None


def _peers(names: str) -> tuple[Peer, ...]:
    """Read the option ``--peers``."""
    from blockfeat.training.evaluation.peers import peers_named

    try:
        return peers_named(name.strip() for name in names.split(","))
    except InputError as error:
        raise typer.BadParameter(str(error), param_hint="--peers") from None


def _show_missing() -> None:
    """Name the peers that are not installed."""
    from blockfeat.training.evaluation.peers import PEER_NAMES, has_markdownify, installed_peers

    missing = sorted(set(PEER_NAMES) - {peer.name for peer in installed_peers()})
    missing += [] if has_markdownify() else ["markdownify"]
    if missing:
        console.show(f"not installed: {', '.join(missing)} (pip install 'blockfeat[peers]')")
