"""Benchmarks of a checkout, ``python -m benchmarks NAME``; ``NAME --help`` lists the options."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from benchmarks.escapes import measure_escapes
from benchmarks.footprint import cold_start_table, cold_starts, memory_growth, results_table
from benchmarks.formats import formats_table, measure_formats
from benchmarks.metadata import METADATA_PEERS, run_metadata_bench
from benchmarks.metadata_scores import read_gold
from benchmarks.shapes import SHAPES
from benchmarks.speed import measure_speed, systems_of
from benchmarks.stages import profile_stages
from benchmarks.text import run_text_bench
from benchmarks.text_scores import structure_gold
from benchmarks.views import SIZES, measure_views, views_of
from blockfeat._files import writing
from blockfeat.commands import console
from blockfeat.commands.options import labelled_pages
from blockfeat.data.corpus import LabelledPage
from blockfeat.data.split import sampled
from blockfeat.errors import InputError
from blockfeat.extraction.extractor import Extractor
from blockfeat.training.evaluation.peers import TO_INSTALL, Peer, missing_peers, peers_named


class Result(Protocol):
    """What a benchmark found."""

    def to_markdown(self) -> str:
        """Return its tables."""
        ...

    def write(self, folder: Path) -> object:
        """Write its files into a folder."""
        ...


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one benchmark and print its tables; return the exit code."""
    options = _parser().parse_args(arguments)
    return console.exit_code_of(lambda: console.show("\n\n".join(table.rstrip("\n") for table in options.run(options))))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="NAME")
    for name, run, summary, options in _BENCHMARKS:
        command = commands.add_parser(name, help=summary, description=summary)
        command.set_defaults(run=run)
        for option in options:
            option(command)
    return parser


def _corpora(command: argparse.ArgumentParser) -> None:
    command.add_argument("--corpus", action="append", required=True, metavar="FILE", help="or demo; repeatable")
    command.add_argument("--sample", type=int, metavar="N", help="pages of each corpus; all by default")


def _model(command: argparse.ArgumentParser) -> None:
    command.add_argument("--model", default="default", help="bundled name or model file")


def _models(command: argparse.ArgumentParser) -> None:
    command.add_argument("--model", action="append", help="bundled name or model file; repeatable")


def _peers(command: argparse.ArgumentParser) -> None:
    command.add_argument("--peers", default="all", help="all that are installed, none, or names with commas")


def _passes(command: argparse.ArgumentParser) -> None:
    command.add_argument("--passes", type=int, default=5, help="timed passes; the fastest counts")


def _output(command: argparse.ArgumentParser) -> None:
    command.add_argument("--output", type=Path, metavar="FOLDER", help="where tables and plots are written too")


def _work(command: argparse.ArgumentParser) -> None:
    command.add_argument("--leave-out", type=Path, metavar="FILE", help="list of pages that are left out")
    command.add_argument("--jobs", type=int, default=1, help="number of processes")


def _growth_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--limit", type=float, default=60.0, metavar="S", help="seconds that one page may take")
    command.add_argument("--largest", type=int, default=16, metavar="MB", help="size of the largest pages")
    command.add_argument("--view", action="append", metavar="NAME", help="only this view; repeatable")
    command.add_argument("--shape", action="append", metavar="NAME", help="only pages of this shape; repeatable")


def _footprint_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--pages", type=int, default=10_000, metavar="N", help="pages after the warm-up")
    command.add_argument("--results", action="store_true", help="instead, a list of as many results, and one pickled")


def _growth(options: argparse.Namespace) -> list[str]:
    sizes = [size for size in SIZES if size <= options.largest << 20]
    views, shapes = views_of(options.model), options.shape or SHAPES
    chosen = {name: view for name, view in views.items() if name in (options.view or views)}
    if unknown := [*(set(options.view or ()) - views.keys()), *(set(shapes) - set(SHAPES))]:
        raise InputError(f"no view or shape {unknown[0]!r}; there are {', '.join([*views, *SHAPES])}")
    return _tables(measure_views(chosen, shapes=shapes, sizes=sizes, limit=options.limit), options)


def _footprint(options: argparse.Namespace) -> list[str]:
    pages = [page.html for page in _pages(options)]
    if options.results:
        return [results_table(Extractor.load(options.model), pages, options.pages)]
    memory = memory_growth(Extractor.load(options.model), pages, options.pages)
    return [memory.to_markdown(), cold_start_table(cold_starts(model=options.model))]


def _stages(options: argparse.Namespace) -> list[str]:
    pages = [page.html.encode("utf-8", "replace") for page in _pages(options)]
    return [profile_stages(Extractor.load(options.model), pages, passes=options.passes).to_markdown()]


def _formats(options: argparse.Namespace) -> list[str]:
    return [formats_table(measure_formats(Extractor.load(options.model), _pages(options), passes=options.passes))]


def _escapes(options: argparse.Namespace) -> list[str]:
    return [measure_escapes(Extractor.load(options.model), _pages(options))]


def _speed(options: argparse.Namespace) -> list[str]:
    systems = systems_of(_extractors(options), _chosen_peers(options))
    with _progress() as tick:
        result = measure_speed(
            systems, _pages(options), passes=options.passes, on_page=lambda done, all: tick(done, all, "timing")
        )
    return _tables(result, options)


def _text(options: argparse.Namespace) -> list[str]:
    gold = structure_gold(path for path in options.corpus if path != "demo")
    models, peers, pages = _extractors(options), _chosen_peers(options), _pages(options)
    with _progress() as tick:
        result = run_text_bench(
            models, peers, pages, gold, jobs=options.jobs, on_page=lambda name, done, all: tick(done, all, name)
        )
    return _tables(result, options)


def _metadata(options: argparse.Namespace) -> list[str]:
    names = [peer.name for peer in _chosen_peers(options)]
    pages = read_gold(options.corpus, sample=options.sample)
    with _progress() as tick:
        result = run_metadata_bench(
            Extractor.load(options.model), pages, peers=names, on_page=lambda name, done, all: tick(done, all, name)
        )
    return _tables(result, options)


def _mentions(options: argparse.Namespace) -> list[str]:
    from benchmarks.mentions import mention_systems, run_mentions  # the extra monitor is not needed by the others

    systems = mention_systems(_extractors(options), _chosen_peers(options))
    with _progress() as tick:
        result = run_mentions(
            systems, _pages(options), jobs=options.jobs, on_page=lambda name, done, all: tick(done, all, name)
        )
    return _tables(result, options)


def _monitor(options: argparse.Namespace) -> list[str]:
    from benchmarks.monitor import measure_pages, pages_table  # the extra monitor is not needed by the others

    return [pages_table(measure_pages(options.model, _pages(options), passes=options.passes))]


def _tables(result: Result, options: argparse.Namespace) -> list[str]:
    """Return the tables of a result, which is also written where the options name a folder."""
    if options.output is not None:
        with writing(options.output):
            options.output.mkdir(parents=True, exist_ok=True)
            result.write(options.output)
    return [result.to_markdown()]


def _progress() -> AbstractContextManager[console.Ticker]:
    return console.progress("benchmark")


def _extractors(options: argparse.Namespace) -> list[Extractor]:
    return [Extractor.load(name) for name in options.model or ["default"]]


def _chosen_peers(options: argparse.Namespace) -> tuple[Peer, ...]:
    """Return the peers that the options name; say on standard error which are not installed where all are wanted."""
    if options.peers == "all" and missing_peers():
        console.error(f"not installed: {', '.join(missing_peers())} ({TO_INSTALL})")
    return peers_named(name.strip() for name in options.peers.split(","))


def _pages(options: argparse.Namespace) -> list[LabelledPage]:
    leave_out = getattr(options, "leave_out", None)
    return sampled(labelled_pages(options.corpus, leave_out=leave_out), options.sample)


_Option = Callable[[argparse.ArgumentParser], None]
_Run = Callable[[argparse.Namespace], list[str]]
_BENCHMARKS: tuple[tuple[str, _Run, str, tuple[_Option, ...]], ...] = (
    ("speed", _speed, "process time a page, beside bare parsing", (_corpora, _models, _peers, _passes, _output)),
    ("growth", _growth, "memory, time and growth of every view on synthetic pages", (_model, _output, _growth_options)),
    ("footprint", _footprint, "resident memory over many pages, cold starts", (_corpora, _model, _footprint_options)),
    ("stages", _stages, "process time of each stage of the chain", (_corpora, _model, _passes)),
    ("formats", _formats, "process time of each format, beside trafilatura", (_corpora, _model, _passes)),
    (
        "monitor",
        _monitor,
        "process time of the monitor's reading of a page, beside its text",
        (_corpora, _model, _passes),
    ),
    ("escapes", _escapes, "needless escapes of Markdown, and words that are read back", (_corpora, _model)),
    ("text", _text, "boundaries, edges and structure of texts", (_corpora, _models, _peers, _work, _output)),
    (
        "metadata",
        _metadata,
        f"titles, authors, dates …, beside {', '.join(METADATA_PEERS)}; --corpus names files of gold metadata",
        (_corpora, _model, _peers, _output),
    ),
    ("mentions", _mentions, "names that an article mentions, by language", (_corpora, _models, _peers, _work, _output)),
)

if __name__ == "__main__":
    sys.exit(main())
